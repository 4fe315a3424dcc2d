// Exercises, each solved when the prover says so.

import { button, fill, make } from "./dom.js";

export class Course {
  constructor(state, ask, exercises, number) {
    Object.assign(this, { state, ask, exercises, number, hints: 0, stepped: false });
    this.element = make("section", { class: "course" });
    this.result = make("p", { "aria-live": "polite" });
    this.show();
  }

  begin(number) {
    Object.assign(this, { number, hints: 0, stepped: false });
    this.result.textContent = "";
    this.state.set({ dead: [], turns: [], vcs: null, switching: "vct", buffer_depth: 8, ...this.exercises[number].design });
    this.show();
  }

  show() {
    const { title, task, hints } = this.exercises[this.number], many = this.exercises.length;
    const shown = hints.slice(0, this.hints).map((text) => make("li", {}, text));
    fill(this.element, make("h2", {}, `Exercise ${this.number + 1} of ${many}: ${title}`), make("p", {}, task),
      shown.length ? make("ul", {}, ...shown) : null,
      make("div", { class: "controls" },
        button("Check", () => this.check()),
        button("Hint", () => { this.hints++; this.show(); }, { disabled: this.hints >= hints.length }),
        button("Begin again", () => this.begin(this.number)),
        button("Previous", () => this.begin(this.number - 1), { disabled: this.number === 0 }),
        button("Next", () => this.begin(this.number + 1), { disabled: this.number === many - 1 })),
      this.result);
  }

  async check() {
    this.result.textContent = "Asking the prover …";
    try {
      await this.ask("exercise", { number: this.number, stepped: this.stepped }, ({ solved, missing }) => {
        this.result.textContent = solved ? "Solved." : `Not yet. ${missing.join(" ")}`;
        this.result.className = solved ? "good" : "bad";
      });
    } catch (error) {
      this.result.textContent = error.message;
    }
  }
}
