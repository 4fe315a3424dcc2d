// A deadlock stepped forwards and backwards, as the simulator replayed the messages, with who waits for whom in words.

import { button, count, fill, make } from "./dom.js";

export class Story {
  constructor(view, onEnd) {
    Object.assign(this, { view, onEnd, story: null, step: 0 });
    this.now = make("p", { "aria-live": "polite", class: "now" });
    this.list = make("ol", { class: "messages" });
    this.range = make("input", { type: "range", min: 0, value: 0, "aria-label": "Step", oninput: () => this.go(Number(this.range.value)) });
    const named = { First: () => this.go(0), Back: () => this.go(this.step - 1), Play: () => this.play(), Step: () => this.go(this.step + 1), Last: () => this.go(this.last) };
    this.buttons = Object.entries(named).map(([name, act]) => button(name, act, { class: name.toLowerCase() }));
    this.element = make("section", { class: "story", hidden: true }, make("h2", {}, "How it comes about"),
      make("div", { class: "controls" }, ...this.buttons, this.range), this.now, this.list);
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  get last() {
    return this.story.steps.length;
  }

  // null: there is no deadlock to step through.
  set(story) {
    this.pause();
    this.story = story;
    this.element.hidden = !story;
    this.view.show({ buffers: null, heads: null, waits: [] });
    if (!story) return;
    this.range.max = this.last;
    this.show(0);
  }

  key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key], own = [this.range, ...this.buttons].includes(event.target);
    if (!this.story || event.altKey || event.ctrlKey || event.metaKey || event.target === this.range) return;
    if (event.key === " " && !own) this.play();
    else if (steps !== undefined) this.go(this.step + steps);
    else return;
    event.preventDefault();
  }

  go(to) {
    this.pause();
    this.show(to);
  }

  play() {
    if (this.timer) return this.pause();
    if (this.step === this.last) this.show(0);
    this.timer = setInterval(() => {
      this.show(this.step + 1);
      if (this.step === this.last) this.pause();
    }, 450);
    this.buttons[2].textContent = "Pause";
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.buttons[2].textContent = "Play";
  }

  show(to) {
    const { story } = this;
    this.step = Math.max(0, Math.min(this.last, to));
    const [cycle, buffers, said] = story.steps[Math.min(this.step, this.last - 1)], ended = this.step === this.last;
    const heads = story.messages.map((message, m) => this.head(m, buffers));
    this.view.show({
      buffers: drawn(story, buffers), heads,
      waits: ended ? story.messages.flatMap((message, m) => message.waits.map((other) => [m, other])) : [],
    });
    // Messages of a protocol come and go; those of a knot are all listed from the beginning.
    const listed = story.messages.map((message, m) => [message, m]).filter(([, m]) => !story.moves || heads[m]);
    fill(this.list, ...listed.map(([message, m]) => make("li", {},
      make("span", { class: "chip", style: `background:${message.colour};color:${message.on}` }, String(m + 1)), this.words(m, buffers, heads[m], ended))));
    this.now.textContent = `Step ${this.step} of ${this.last}${ended ? `: ${this.outcome()}` : said ? `: ${said}.` : `, cycle ${cycle}${this.step === 0 && !buffers.length ? ": the network is empty." : "."}`}`;
    this.range.value = this.step;
    if (ended) this.onEnd();
  }

  outcome() {
    const { moves, stuck, until } = this.story;
    if (moves) return "no message can move. It is a deadlock.";
    return stuck ? `every header may go on, and nothing has moved by cycle ${until}. It is a deadlock.` : `the messages did not stay blocked until cycle ${until}.`;
  }

  // Where the header of a message is: in the buffer furthest along its path.
  head(m, buffers) {
    const { lanes, messages } = this.story, { path, colour, on } = messages[m];
    const at = Math.max(-1, ...buffers.filter(([message]) => message === m).map(([, vc]) => path.indexOf(vc)));
    return at < 0 ? null : { ...lanes[path[at]], colour, on, number: m + 1, atEnd: at === path.length - 1 };
  }

  words(m, buffers, head, ended) {
    const message = this.story.messages[m], name = message.name ? `${message.name}: ` : "";
    if (!head) return `Not sent yet, at terminal ${message.port}.`;
    if (ended && this.story.stuck) {
      const holders = message.waits.map((other) => other + 1);
      const held = holders.length ? `, held by message${holders.length > 1 ? "s" : ""} ${holders.join(" and ")}` : "";
      const place = message.wanted.length ? `blocked for ever in ${head.name}: waits for ${message.wanted.join(" or ")}${held}.` : `stands in ${head.name} behind another message.`;
      return name ? name + place : place[0].toUpperCase() + place.slice(1);
    }
    if (message.name) return `${name}in ${head.name}.`;
    const inside = buffers.reduce((sum, [other, , flits]) => sum + (other === m ? flits : 0), 0);
    return `Header in ${head.name}, ${count(inside, "flit")} of ${message.length} in buffers.`;
  }
}

function drawn(story, buffers) {
  const used = {};
  return buffers.map(([m, vc, flits]) => {
    const from = (used[vc] ?? 0) / story.depth;
    used[vc] = (used[vc] ?? 0) + flits;
    return { ...story.lanes[vc], from, to: used[vc] / story.depth, colour: story.messages[m].colour };
  });
}
