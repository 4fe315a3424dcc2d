// Failures to switch on and off by a click on the list or on the picture, with the outcome of each set that was tried.

import { button, fill, make } from "./dom.js";

const SHOWN = 300;
/* Rows of the list; a click on the picture finds the others. */

export class Cases {
  constructor(view, { parts, rows }) {
    Object.assign(this, { view, parts, rows, off: new Set() });
    this.known = new Map(rows.map((row) => [String(row.parts), row]));
    this.words = make("p", { class: "verdict", role: "status", "aria-live": "polite" });
    this.list = make("ol", { class: "cases" });
    this.buttons = rows.slice(0, SHOWN).map((row) => button(this.named(row.parts), () => this.choose(row.parts), { "aria-pressed": "false" }));
    fill(this.list, ...this.buttons.map((one, i) => make("li", {}, one, make("span", { class: mark(rows[i].holds) }, ` ${sign(rows[i].holds)} ${rows[i].words}`))));
    const more = rows.length > SHOWN ? make("p", { class: "help" }, `${(rows.length - SHOWN).toLocaleString("en")} more are found by clicks on the picture.`) : null;
    this.element = make("section", {}, make("h2", {}, "What fails"), this.words,
      make("div", { class: "controls" }, button("Nothing fails", () => this.choose([]))),
      make("p", { class: "help" }, "Click a link or a router of the picture, or choose it by keys and press Enter, to switch it off or on; or choose a row, the worst first."), this.list, more);
    view.pick = (what) => this.clicked(what);
    view.takesLinks = true;
    this.show();
  }

  named(parts) {
    return parts.map((part) => this.parts[part].name).join(", ");
  }

  choose(parts) {
    this.off = new Set(parts);
    this.show();
  }

  clicked({ router = -1, link = -1 }) {
    const { geometry } = this.view, channels = [link, geometry.back[link]].filter((c) => c >= 0);
    const part = this.parts.findIndex((one) => (router >= 0 ? one.routers.includes(router) : one.channels.some((c) => channels.includes(c))));
    if (part < 0) return this.view.said?.("No failure of this was tried.");
    if (!this.off.delete(part)) this.off.add(part);
    return this.show();
  }

  show() {
    const parts = [...this.off].sort((a, b) => a - b), row = this.known.get(String(parts));
    const gone = parts.flatMap((part) => this.parts[part].channels), routers = parts.flatMap((part) => this.parts[part].routers);
    this.view.fail(gone, routers);
    this.buttons.forEach((one, i) => one.setAttribute("aria-pressed", String(this.rows[i] === row)));
    const words = row ? row.words : "this set was not tried; --at-once and --budget of the command try more";
    this.words.className = `verdict ${row ? mark(row.holds) : ""}`;
    this.words.textContent = parts.length ? `Without ${this.named(parts)}: ${words}.` : "Nothing has failed.";
  }
}

function mark(holds) {
  return holds === true ? "good" : holds === false ? "bad" : "";
}

function sign(holds) {
  return holds === true ? "✓" : holds === false ? "✗" : "?";
}
