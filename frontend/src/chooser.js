// Routers and links chosen by keys, by name or from a list: all that a pointer chooses on the picture.

import { button, count, fill, make } from "./dom.js";

export const KEYS = "On the picture arrow keys choose a router, Page Up and Page Down the one before and after, Home and End the first and the last. "
  + "L goes through the links of the router, Enter clicks what is chosen, Escape drops it. + and − zoom, 0 shows all.";
const OFFERED = 2000, TOLD = 6;
/* Names in the list of the field; neighbours in a sentence. */
let made = 0;

export class Chooser {
  constructor(view) {
    const id = `unknot-routers-${made++}`;
    this.view = view;
    this.field = make("input", { list: id, autocomplete: "off", spellcheck: "false", placeholder: "a router, or a link a--b", onkeydown: (event) => event.key === "Enter" && this.find() });
    this.names = make("datalist", { id });
    this.links = make("ul", { class: "chips links" });
    this.element = make("div", { class: "choice" }, make("label", {}, make("span", {}, "Choose"), this.field, this.names), this.links);
    view.canvas.addEventListener("keydown", (event) => this.key(event));
    view.chosen = () => this.list();
    view.chosenWords = () => this.words();
  }

  // The names of a new network, and the links of the router that is chosen.
  renew() {
    const { names } = this.view.geometry;
    fill(this.names, ...names.slice(0, OFFERED).map((value) => make("option", { value })));
    this.list();
  }

  get router() {
    return this.view.scene.focus ?? -1;
  }

  get link() {
    return this.view.scene.link ?? -1;
  }

  key(event) {
    const { view } = this, g = view.geometry, last = (g?.count ?? 0) - 1, at = this.router;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const to = { Home: 0, End: last, PageDown: Math.min(last, at + 1), PageUp: Math.max(0, at - 1) }[event.key];
    const act = {
      Enter: () => this.click(), " ": () => this.click(), l: () => this.step(1), L: () => this.step(-1), Escape: () => this.drop(),
      "+": () => view.zoomBy(1.3), "-": () => view.zoomBy(1 / 1.3), 0: () => view.fit(),
    }[event.key];
    if (!g || event.ctrlKey || event.altKey || event.metaKey || !(way || act || to !== undefined)) return;
    event.preventDefault();
    event.stopPropagation();
    if (act) act();
    else if (to !== undefined) this.choose(to);
    else this.choose(at < 0 ? 0 : Math.max(g.neighbour(at, ...way), -1));
  }

  // Choose a router, and say where; with -1 there is none on that side, and the choice stays.
  choose(router, link = -1) {
    const { view } = this, g = view.geometry;
    if (router < 0) return view.said?.(`Nothing lies further on that side of ${g.names[this.router]}.`);
    view.show({ focus: router, link });
    view.reveal(router);
    this.list();
    return view.said?.(this.words());
  }

  words() {
    const { router, link } = this;
    return router < 0 ? "" : link < 0 ? this.routerWords(router) : this.linkWords(router, link);
  }

  routerWords(router) {
    const g = this.view.geometry, others = g.linksOf(router).map((c) => g.names[g.otherEnd(c, router)]);
    const told = others.slice(0, TOLD).join(", ") + (others.length > TOLD ? ` and ${others.length - TOLD} more` : "");
    const failed = this.view.isDead(router) ? ", failed" : "";
    return `Router ${g.names[router]}${failed}, ${(router + 1).toLocaleString("en")} of ${g.count.toLocaleString("en")}: ${count(g.terminals[router], "terminal")}, ${count(others.length, "link")}${others.length ? ` to ${told}` : ""}.`;
  }

  linkWords(router, link) {
    const g = this.view.geometry, links = g.linksOf(router);
    return `Link ${g.linkName(link)}${g.gone.has(link) ? ", failed" : ""}, ${links.indexOf(link) + 1} of ${links.length} of ${g.names[router]}.`;
  }

  // The next link of the router, around it.
  step(by) {
    if (this.router < 0) return this.choose(0);
    const links = this.view.geometry.linksOf(this.router), at = links.indexOf(this.link);
    if (!links.length) return this.view.said?.("This router has no links.");
    return this.choose(this.router, links[at < 0 ? (by > 0 ? 0 : links.length - 1) : (at + by + links.length) % links.length]);
  }

  click() {
    if (this.link >= 0) this.view.pick({ link: this.link });
    else if (this.router >= 0) this.view.pick({ router: this.router });
    else this.choose(0);
  }

  // First the link, then what questions have marked and the router.
  drop() {
    if (this.link >= 0) return this.choose(this.router);
    this.view.show({ focus: -1, link: -1 });
    this.view.dropped?.();
    this.list();
    return this.view.said?.("Nothing is chosen.");
  }

  find() {
    const text = this.field.value.trim(), g = this.view.geometry;
    if (!text || !g) return;
    const router = g.names.indexOf(text), link = router < 0 ? g.linkNamed(text) : -1;
    if (router < 0 && link < 0) return void this.view.said?.(`There is no router or link ${text}; names are such as ${g.names[0]}${g.links.length ? ` and ${g.linkName(g.links[0])}` : ""}.`);
    this.field.value = "";
    this.choose(router < 0 ? g.source[link] : router, link);
    this.view.canvas.focus({ preventScroll: true });
  }

  // The links of the router, each a button that clicks the link.
  list() {
    const { view, router } = this, g = view.geometry, shown = view.takesLinks && router >= 0 && router < g.count;
    this.links.setAttribute("aria-label", shown ? `Links of ${g.names[router]}; pressed: failed` : "Links");
    fill(this.links, ...(shown ? g.linksOf(router) : []).map((c) => make("li", {},
      button(g.linkName(c), () => view.pick({ link: c }), { "aria-pressed": String(g.gone.has(c)), "aria-label": `Link ${g.linkName(c)}` }))));
  }
}
