// The page put together: a picture on the left, questions on the right; also a widget of notebooks.

import { Address, fromAddress, toAddress } from "./address.js";
import { Answer } from "./answer.js";
import { buildPanel } from "./build.js";
import { Course } from "./course.js";
import { make } from "./dom.js";
import { showScene, stage } from "./scene.js";
import { State, changed } from "./state.js";
import { Story } from "./story.js";
import { Tools } from "./tools.js";
import { fromFile, fromNotebook, fromServer } from "./transport.js";
import { Runs } from "./runs.js";
import { View } from "./view.js";

export function start(root, given, transport, { address = false } = {}) {
  const state = new State(given.design);
  const view = new View(root);
  const ask = (question, more, onPart, signal) => transport(question, state.design, more, onPart, signal);
  const answer = new Answer(view), runs = new Runs(view, ask);
  let course = null;
  const story = new Story(view, () => { if (course) course.stepped = true; });
  const tools = new Tools(state, view, ask);
  if (given.course?.length) course = new Course(state, ask, given.course, given.exercise ?? 0, () => keep([]));
  const place = address ? new Address((text) => read(text)) : null;
  let control = new AbortController();

  const written = () => toAddress(state.design, course ? course.number : null);
  const keep = (parts) => place?.write(written(), parts);

  // Take over what the address says; a wrong one changes nothing.
  function read(text) {
    try {
      const { design, exercise } = text ? fromAddress(text, given.course?.length) : { design: given.design, exercise: null };
      if (course && exercise !== null && exercise !== course.number) course.turnTo(exercise);
      answer.warn("");
      state.set(design);
      keep([]);
    } catch (error) {
      answer.warn(`${error.message} The page shows the design before.`);
    }
  }

  async function renew(design, before) {
    control.abort();
    control = new AbortController();
    const { signal } = control;
    document.title = address ? `Unknot: ${design.network}` : document.title;
    const redrawn = !before || before.network !== design.network || String(before.dead) !== String(design.dead);
    tools.renew(redrawn);
    course?.renew();
    runs.clear();
    story.set(null);
    answer.begin();
    try {
      if (redrawn) await transport("network", design, {}, (part) => part.progress || drawn(part, design), signal);
      await transport("verdict", design, {}, (part) => {
        answer.take(part);
        if (part.story) story.set(part.story);
      }, signal);
    } catch (error) {
      if (!signal.aborted) answer.fail(error, `#${written()}`);
    }
  }

  function drawn(part, design) {
    const failed = design.dead.map((name) => part.names.indexOf(name)).filter((router) => router >= 0);
    view.setNetwork({ ...part, deadRouters: failed });
    view.said([`${part.name}: ${part.summary}.`, view.chosenWords?.()].filter(Boolean).join(" "));
  }

  root.classList.add("playground");
  root.replaceChildren(
    stage(view, story.element),
    make("div", { class: "panel" }, course?.element ?? null, make("section", {}, make("h2", {}, "Build"), buildPanel(state, given)), answer.element, tools.element, runs.element),
  );
  if (address) read(location.hash.slice(1));
  state.onChange((design, before) => {
    answer.warn("");
    keep(changed(design, before));
    renew(design, before);
  });
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
  const root = make("div", { "data-lm-suppress-shortcuts": "true" }); // JupyterLab leaves keys to the widget
  el.append(root);
  start(root, model.get("start"), fromNotebook(model));
}

export default { render };
