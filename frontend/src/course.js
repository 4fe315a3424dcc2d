// Exercises, each solved when the prover says so.

import { button, enable, fill, make } from "./dom.js";

const CLEAN = { dead: [], turns: [], vcs: null, switching: "vct", buffer_depth: 8 };

export class Course {
  // `begun` is told that an exercise begins.
  constructor(state, ask, exercises, number, begun) {
    Object.assign(this, { state, ask, exercises, begun, control: new AbortController() });
    this.words = make("div");
    this.result = make("p", { role: "status", "aria-live": "polite" });
    this.hint = button("Hint", () => { this.hints++; this.show(); });
    this.previous = button("Previous", () => this.begin(this.number - 1));
    this.next = button("Next", () => this.begin(this.number + 1));
    this.element = make("section", { class: "course" }, this.words,
      make("div", { class: "controls" }, button("Check", () => this.check()), this.hint, button("Begin again", () => this.begin(this.number)), this.previous, this.next),
      this.result);
    this.turnTo(number);
  }

  // Show an exercise; the design stays.
  turnTo(number) {
    Object.assign(this, { number, hints: 0, stepped: false });
    this.renew();
    this.show();
  }

  begin(number) {
    this.turnTo(number);
    this.state.set({ ...CLEAN, ...this.exercises[number].design });
    this.begun();
  }

  show() {
    const { title, task, hints } = this.exercises[this.number], many = this.exercises.length;
    const shown = hints.slice(0, this.hints).map((text) => make("li", {}, text));
    fill(this.words, make("h2", {}, `Exercise ${this.number + 1} of ${many}: ${title}`), make("p", {}, task),
      make("ul", { "aria-live": "polite" }, ...shown));
    enable(this.hint, this.hints < hints.length);
    enable(this.previous, this.number > 0);
    enable(this.next, this.number < many - 1);
  }

  // What was said of an earlier design no longer holds.
  renew() {
    this.control.abort();
    this.result.textContent = "";
  }

  async check() {
    this.renew();
    const { signal } = this.control = new AbortController();
    this.result.textContent = "Asking the prover …";
    this.result.className = "";
    try {
      await this.ask("exercise", { number: this.number, stepped: this.stepped }, ({ solved, missing, progress }) => {
        this.result.textContent = progress ?? (solved ? "Solved." : `Not yet. ${missing.join(" ")}`);
        this.result.className = progress ? "" : solved ? "good" : "bad";
      }, signal);
    } catch (error) {
      if (!signal.aborted) this.result.textContent = error.message;
    }
  }
}
