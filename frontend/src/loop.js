// Buffers that wait for one another in a circle, and the flows that fill them, each shown by a button.

import { button, fill, make } from "./dom.js";

export class Loop {
  constructor(view, { ring, flows }) {
    Object.assign(this, { view, ring, flows });
    this.buttons = flows.map((flow, i) => button(String(i + 1), () => this.choose(i), { "aria-pressed": "false", "aria-label": `Show flow ${i + 1}` }));
    this.list = make("ol", { class: "messages" });
    fill(this.list, ...flows.map((flow, i) => make("li", {}, this.buttons[i], ` ${flow.words}`)));
    this.element = make("section", {}, make("h2", {}, ring.length ? "The loop" : "No loop"),
      make("p", {}, ring.length ? `The ${ring.length} buffers at the ends of the red arrows wait for one another. A flow's way is blue.` : "No buffers wait for one another in a circle."), this.list);
    view.show({ ring });
  }

  choose(number) {
    this.buttons.forEach((one, i) => one.setAttribute("aria-pressed", String(i === number && one.getAttribute("aria-pressed") !== "true")));
    const shown = this.buttons[number].getAttribute("aria-pressed") === "true";
    this.view.show({ ways: shown ? this.flows[number].channels : [], ring: this.ring });
  }
}
