// Play, pause, and a slider over frames.

import { button, make } from "./dom.js";

const SPEED = 110;

export class Player {
  constructor(show, label) {
    Object.assign(this, { act: show, at: 0, many: 0 });
    this.range = make("input", { type: "range", min: 0, value: 0, "aria-label": label, oninput: () => { this.pause(); this.show(Number(this.range.value)); } });
    this.playing = button("Play", () => (this.timer ? this.pause() : this.play()));
    this.element = make("div", { class: "controls" }, this.playing, this.range);
  }

  // The number of frames; new ones may come while the others play.
  set(many) {
    this.many = many;
    this.range.max = Math.max(0, many - 1);
    this.element.hidden = !many;
    if (many === 0) this.at = 0;
    if (many && !this.timer) this.show(Math.min(this.at, many - 1));
  }

  show(at) {
    this.at = at;
    this.range.value = at;
    this.act(at);
  }

  play() {
    this.playing.textContent = "Pause";
    if (this.at >= this.many - 1) this.at = 0;
    this.timer = setInterval(() => (this.at >= this.many - 1 ? this.pause() : this.show(this.at + 1)), SPEED);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.playing.textContent = "Play";
  }
}
