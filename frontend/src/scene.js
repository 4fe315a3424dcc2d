// An answer on its network, in a file: a deadlock in steps, failures, a loop with flows, or channels over time.

import { Busy } from "./busy.js";
import { Cases } from "./cases.js";
import { Chooser, KEYS } from "./chooser.js";
import { button, make } from "./dom.js";
import { keepFocus } from "./focus.js";
import { Loop } from "./loop.js";
import { Story } from "./story.js";
import { View } from "./view.js";

// The picture with its buttons, and below it what is given.
export function stage(view, ...below) {
  const status = make("p", { class: "status", id: "unknot-status", role: "status", "aria-live": "polite" });
  const chooser = new Chooser(view);
  view.said = (words) => { status.textContent = words; };
  view.renewed = () => chooser.renew();
  if (view.geometry) chooser.renew();
  keepFocus(view.root, view.canvas);
  view.root.addEventListener("keydown", (event) => { if (event.key === "Escape") left(event, chooser); });
  return make("div", { class: "stage" }, view.canvas,
    make("div", { class: "controls" }, button("Whole", () => view.fit()), button("SVG", () => view.save("svg")), button("PNG", () => view.save("png")), status), chooser.element,
    make("details", { class: "help" }, make("summary", {}, "Keys"), make("p", { id: "unknot-keys" }, KEYS)), ...below);
}

// Escape closes what is open around the focus, or drops the choice.
function left(event, chooser) {
  const open = event.target.closest("details[open]");
  if (!open) return void (chooser.view.geometry && chooser.drop());
  open.open = false;
  open.querySelector("summary").focus();
}

export function showScene(root, { network, story, cases, loop, busy, order }) {
  const view = new View(root), panels = [];
  root.classList.add("playground", "scene");
  if (network) view.setNetwork(network);
  const steps = story ? new Story(view, () => {}) : null;
  if (cases) panels.push(new Cases(view, cases).element);
  if (loop) panels.push(new Loop(view, loop).element);
  if (busy) panels.push(new Busy(view, busy).element);
  const picture = stage(view);
  if (!network) picture.replaceChildren(make("p", {}, "The network is too large to show; the words beside say what happens."));
  root.replaceChildren(picture, make("div", { class: "panel" }, steps?.element ?? null, ...panels));
  if (!steps && !panels.length) root.classList.add("alone");
  if (order) view.show({ shares: order[0].map((channel, i) => [channel, order[1][i]]) });
  steps?.set(story);
  // Keys step wherever the reader is, but where an element has keys of its own.
  document.addEventListener("keydown", (event) => { if (event.target === document.body) steps?.key(event); });
  return { view, story: steps };
}
