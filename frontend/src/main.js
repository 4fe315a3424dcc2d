// The page put together: a picture on the left, questions on the right; also a widget of notebooks.

import { Answer } from "./answer.js";
import { buildPanel } from "./build.js";
import { Course } from "./course.js";
import { make } from "./dom.js";
import { showScene, stage } from "./scene.js";
import { State, fromAddress, toAddress } from "./state.js";
import { Story } from "./story.js";
import { Tools } from "./tools.js";
import { fromFile, fromNotebook, fromServer } from "./transport.js";
import { Runs } from "./runs.js";
import { View } from "./view.js";

export function start(root, given, transport, { address = false } = {}) {
  const linked = address ? fromAddress(location.hash.slice(1)) : {};
  const state = new State({ ...given.design, ...linked });
  const view = new View(root);
  const ask = (question, more, onPart, signal) => transport(question, state.design, more, onPart, signal);
  const answer = new Answer(view), runs = new Runs(view, ask);
  let course = null;
  const story = new Story(view, () => { if (course) course.stepped = true; });
  const tools = new Tools(state, view, ask);
  if (given.course?.length) course = new Course(state, ask, given.course, given.exercise ?? 0);
  let control = new AbortController();

  async function renew(design, before) {
    control.abort();
    control = new AbortController();
    const { signal } = control;
    if (address) history.replaceState(null, "", `#${toAddress(design)}`);
    document.title = address ? `Unknot: ${design.network}` : document.title;
    const redrawn = !before || before.network !== design.network || String(before.dead) !== String(design.dead);
    tools.clear();
    runs.clear();
    story.set(null);
    answer.begin();
    try {
      if (redrawn) await transport("network", design, {}, (part) => { view.setNetwork(part); view.said(`${part.name}: ${part.summary}.`); }, signal);
      await transport("verdict", design, {}, (part) => {
        answer.take(part);
        if (part.story) story.set(part.story);
      }, signal);
    } catch (error) {
      if (error.name !== "AbortError" && !signal.aborted) answer.fail(error.message);
    }
  }

  state.onChange((design, before) => renew(design, before));
  root.classList.add("playground");
  root.replaceChildren(
    stage(view, story.element),
    make("div", { class: "panel" }, course?.element ?? null, make("section", {}, make("h2", {}, "Build"), buildPanel(state, given)), answer.element, tools.element, runs.element),
  );
  renew(state.design, null);
  return { state, view, story };
}

const script = document.getElementById("unknot-start");
if (script) {
  const given = JSON.parse(script.textContent);
  const transport = given.answers ? fromFile(given.answers) : fromServer(location.pathname);
  window.unknot = start(document.getElementById("unknot-explore"), given, transport, { address: !given.answers });
}

const answer = document.getElementById("unknot-answer");
if (answer) window.unknot = showScene(document.getElementById("unknot-scene"), JSON.parse(answer.textContent));

function render({ model, el }) {
  const root = make("div");
  el.append(root);
  start(root, model.get("start"), fromNotebook(model));
}

export default { render };
