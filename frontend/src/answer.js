// The verdict in words, what the picture's colours mean, and the command and line of Python that ask the same.

import { copyable, count, fill, make } from "./dom.js";

const YES = { true: "yes", false: "NO", null: "open" };

export class Answer {
  constructor(view) {
    this.view = view;
    this.words = make("p", { class: "verdict", role: "status", "aria-live": "polite" });
    this.notice = make("p", { class: "bad", role: "alert" });
    this.facts = make("div");
    this.commands = make("div");
    this.sections = make("div");
    this.colouring = make("select", { "aria-label": "Colours of channels", onchange: () => this.colour() });
    this.element = make("section", { class: "answer" }, make("h2", {}, "Answer"), this.notice, this.words, this.facts,
      make("label", { class: "wide" }, make("span", {}, "Show"), this.colouring),
      make("details", {}, make("summary", {}, "Why"), this.sections), this.commands);
    this.parts = {};
  }

  begin() {
    this.parts = {};
    this.words.textContent = "Asking the prover …";
    this.words.className = "verdict";
    this.view.show({ shares: null, folded: null });
  }

  // Say what is wrong with the address; the page stays as it is.
  warn(sentence) {
    this.notice.textContent = sentence;
  }

  // What a sentence says is wrong, or that the server has ended, with what starts it again.
  fail(error, address) {
    this.words.textContent = error.message;
    this.words.className = `verdict bad ${error.ended ? "ended" : "wrong"}`;
    fill(this.facts);
    fill(this.sections);
    fill(this.commands, ...(error.ended ? [copyable("command", "unknot explore"), copyable("design", address)] : []));
  }

  take(part) {
    Object.assign(this.parts, part);
    if (part.progress) this.words.textContent = part.progress;
    if (part.words) this.tell(part);
    if (part.order || part.dependencies) this.offer();
  }

  tell(part) {
    const good = part.free && part.delivered;
    this.words.textContent = part.words;
    this.words.className = `verdict ${good ? "good" : part.free === false || part.delivered === false ? "bad" : ""}`;
    const lost = part.delivered === false ? make("p", {}, `${part.undelivered[0].toLocaleString("en")} of ${count(part.undelivered[1], "pair")} may not be delivered.`) : null;
    const names = Object.keys(part.techniques);
    const table = names.length > 1 && make("table", {}, make("caption", {}, "Free of deadlock, by technique"),
      make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name))),
      make("tr", {}, ...names.map((name) => make("td", {}, YES[part.techniques[name]]))));
    fill(this.facts, make("p", {}, `${part.routing}: ${part.established}.`), lost, table || null);
    fill(this.sections, ...part.sections.flatMap(([title, paragraphs]) => [make("h3", {}, title), ...paragraphs.map((text) => make("p", {}, text))]));
    fill(this.commands, copyable("command", part.command), copyable("Python", part.python));
  }

  offer() {
    const { order, dependencies } = this.parts, kept = this.colouring.value;
    const entries = [["", "the network"]];
    if (order) entries.push(["order", "order of the proof, faint first"]);
    if (dependencies) entries.push(["folded", "who depends on whom, cycles in red"]);
    fill(this.colouring, ...entries.map(([value, text]) => make("option", { value }, text)));
    this.colouring.value = entries.some(([value]) => value === kept) ? kept : "";
    this.colour();
  }

  colour() {
    const { order, dependencies } = this.parts, chosen = this.colouring.value;
    const shares = chosen === "order" && order ? order[0].map((channel, i) => [channel, order[1][i]]) : null;
    this.view.show({ shares, folded: chosen === "folded" ? dependencies : null });
  }
}
