// What a click or Enter does: kill, or ask for paths and turns; and offers to mend, each taken over by a button.

import { button, fill, make } from "./dom.js";

const HELP = {
  kill: "Click a link or a router to let it fail; click it again to take that back. By keys: choose a router, then press one of its links below the picture.",
  paths: "Click two routers, or choose them and press Enter: where packets start, and where they end.",
  turn: "Click three routers in a row, or choose them and press Enter: why may packets not turn there, or why may they?",
};

export class Tools {
  constructor(state, view, ask) {
    Object.assign(this, { state, view, ask, mode: "kill", picked: [], going: new Map() });
    this.modes = Object.keys(HELP).map((mode) => button({ kill: "Kill", paths: "Paths", turn: "Turn" }[mode], () => this.choose(mode), { "aria-pressed": "false" }));
    this.help = make("p", { class: "help" });
    this.result = make("div", { "aria-live": "polite" });
    this.offers = make("div", { "aria-live": "polite" });
    this.element = make("section", {}, make("h2", {}, "Ask on the picture"), make("div", { class: "controls", role: "group", "aria-label": "What a click does" }, ...this.modes), this.help, this.result,
      make("h2", {}, "Mend"), make("div", { class: "controls" },
        button("Fewest lanes", () => this.mend("lanes", "Looking for routes in the fewest lanes …")),
        button("Remedies", () => this.mend("remedies", "Looking for remedies …"))), this.offers);
    view.pick = (what) => this.take(what);
    view.dropped = () => this.clear();
    this.choose("kill");
  }

  choose(mode) {
    this.mode = mode;
    this.modes.forEach((one, i) => one.setAttribute("aria-pressed", String(Object.keys(HELP)[i] === mode)));
    this.help.textContent = HELP[mode];
    this.view.takesLinks = mode === "kill";
    this.view.chosen?.();
    this.clear();
  }

  // What was found belongs to the design before; offers stay as long as their network does.
  renew(redrawn) {
    this.clear();
    if (redrawn) fill(this.offers);
    if (this.stop(this.offers)) this.offers.textContent = "Stopped, since the design has changed.";
  }

  // End what a place waits for; true if there was something.
  stop(place) {
    const control = this.going.get(place);
    control?.abort();
    this.going.delete(place);
    return control !== undefined;
  }

  clear() {
    this.stop(this.result);
    this.picked = [];
    fill(this.result);
    this.view.show({ picked: [], ways: [], ring: [] });
  }

  take({ router = -1, link = -1 }) {
    const { names } = this.view.geometry;
    if (this.mode === "kill") {
      if (router >= 0) this.state.toggle("dead", names[router]);
      else if (link >= 0) this.toggleLink(link);
      return;
    }
    if (router < 0) return this.view.said?.("Paths and turns are asked by routers; links can be killed.");
    const most = this.mode === "paths" ? 2 : 3;
    if (this.picked.length === most) this.clear();
    this.picked.push(router);
    this.view.show({ picked: this.picked });
    if (this.picked.length === most) this[this.mode](this.picked.map((one) => names[one]));
    else this.result.textContent = `From ${names[this.picked[0]]}${this.picked[1] >= 0 ? ` by ${names[this.picked[1]]}` : ""} to …`;
  }

  toggleLink(link) {
    const { geometry } = this.view, back = geometry.back[link];
    const known = [link, back].filter((c) => c >= 0).map((c) => geometry.linkName(c)).find((name) => this.state.design.dead.includes(name));
    this.state.toggle("dead", known ?? geometry.linkName(link));
  }

  async paths([from, to]) {
    await this.question("paths", { from, to }, (part) => {
      this.view.show({ ways: part.channels });
      const lost = part.stuck.length ? make("p", { class: "bad" }, `Packets that come to ${part.stuck.join(", ")} cannot go on.`) : null;
      const more = part.more ? " and more" : "";
      fill(this.result, make("p", {}, `From ${part.from} to ${part.to}: ${part.paths.length}${more} ${part.paths.length === 1 ? "path" : "paths"}.`), lost,
        make("ol", { class: "paths", tabindex: 0, "aria-label": "Paths" }, ...part.paths.map((path) => make("li", {}, path.join(", ")))));
    });
  }

  async turn([a, b, c]) {
    await this.question("turn", { a, b, c }, (part) => {
      this.view.show({ ring: part.cycle });
      const turn = part.turn;
      const act = part.allowed || this.state.design.turns.includes(turn)
        ? button(part.allowed ? "Forbid this turn" : "Allow this turn again", () => this.state.toggle("turns", turn)) : null;
      fill(this.result, ...part.words.filter(Boolean).map((text) => make("p", {}, text)), act);
    });
  }

  async mend(question, words) {
    this.stop(this.offers);
    this.offers.textContent = words;
    await this.question(question, {}, (part) => {
      const taken = ({ routing, vcs, turns }) => this.state.set({ routing, vcs, turns });
      fill(this.offers, part.offers.length ? null : make("p", {}, "There is none."), ...part.offers.map((offer) => make("p", { class: "offer" }, `${offer.words} `, button("Take over", () => taken(offer)))));
    }, this.offers);
  }

  async question(name, given, take, place = this.result) {
    this.stop(place);
    const control = new AbortController();
    this.going.set(place, control);
    try {
      await this.ask(name, given, (part) => (part.progress ? fill(place, part.progress) : take(part)), control.signal);
    } catch (error) {
      if (!control.signal.aborted) fill(place, make("p", { class: "bad" }, error.message));
    }
    if (this.going.get(place) === control) this.going.delete(place);
  }
}
