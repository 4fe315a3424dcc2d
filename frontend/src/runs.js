// Runs: a latency curve that fills point by point, and a short run flit by flit with the heat of channels.

import { button, copyable, draw, fill, make } from "./dom.js";
import { Player } from "./player.js";

const WIDTH = 320, HEIGHT = 170, LEFT = 42, BOTTOM = 28;

export class Runs {
  constructor(view, ask) {
    Object.assign(this, { view, ask, frames: [] });
    this.chart = make("div", { class: "chart" });
    this.words = make("p", { "aria-live": "polite" });
    this.command = make("div");
    this.player = new Player((at) => this.show(at), "Cycle");
    this.player.set(0);
    this.cancel = button("Stop", () => { this.stop(); this.words.textContent = "Stopped."; }, { hidden: true });
    this.element = make("section", {}, make("h2", {}, "Run"),
      make("div", { class: "controls" }, button("Latency curve", () => this.curve()), button("Flit by flit", () => this.film()), this.cancel),
      this.player.element, this.words, this.chart, this.command);
  }

  clear() {
    this.stop();
    this.player.pause();
    this.frames = [];
    this.player.set(0);
    fill(this.chart);
    fill(this.command);
    this.words.textContent = "";
  }

  stop() {
    this.control?.abort();
    this.cancel.hidden = true;
  }

  async run(question, take) {
    this.clear();
    const control = this.control = new AbortController();
    this.cancel.hidden = false;
    try {
      await this.ask(question, {}, (part) => {
        if (part.command) fill(this.command, copyable("command", part.command), copyable("Python", part.python));
        if (part.progress) this.words.textContent = part.progress;
        else take(part);
      }, control.signal);
    } catch (error) {
      if (!control.signal.aborted) this.words.textContent = error.message;
    }
    if (this.control === control) this.cancel.hidden = true;
  }

  async curve() {
    const points = [];
    this.words.textContent = "Running loads …";
    await this.run("curve", (part) => {
      if (part.load === undefined) return;
      points.push(part);
      points.sort((a, b) => a.load - b.load);
      fill(this.chart, plot(points));
      const over = points.find((one) => one.outcome !== "stable");
      this.words.textContent = over ? `Stable up to ${Math.max(0, ...points.filter((one) => one.outcome === "stable").map((one) => one.load))}; at ${over.load}: ${over.outcome}.` : `Stable at ${part.load} flits per terminal and cycle.`;
    });
  }

  async film() {
    this.words.textContent = "Running flit by flit …";
    let begin = null;
    await this.run("film", (part) => {
      if (part.channel) begin = part;
      if (part.frames) {
        part.frames.forEach(([vcs, flits]) => this.frames.push({ begin, vcs, flits, heat: part.heat }));
        this.player.set(this.frames.length);
        if (this.frames.length === part.frames.length) this.player.play();
      }
      if (part.knot !== undefined) this.ended = part.knot ? "The run ended in a deadlock." : `${part.arrived.toLocaleString("en")} flits arrived, ${part.inside.toLocaleString("en")} are under way.`;
    });
  }

  // A cycle of the film: flits in buffers, channels by how busy they are in its window.
  show(at) {
    const { begin, vcs, flits, heat } = this.frames[at];
    const buffers = vcs.map((vc, i) => ({ channel: begin.channel[vc], index: begin.index[vc], of: begin.counts[vc], from: 0, to: flits[i] / begin.depth, colour: "#d55e00" }));
    this.view.show({ buffers, heads: null, shares: heat[0].map((channel, i) => [channel, heat[1][i]]) });
    const busiest = Math.max(0, ...heat[1]);
    this.words.textContent = `Cycle ${at + 1}: ${flits.reduce((a, b) => a + b, 0)} flits in buffers; the busiest channel is busy ${Math.round(100 * busiest)} % of these ${begin.window} cycles.${at === this.frames.length - 1 && this.ended ? ` ${this.ended}` : ""}`;
  }
}

// Latency against load; points that are not stable are open.
function plot(points) {
  const stable = points.filter((one) => one.outcome === "stable"), most = Math.max(...points.map((one) => one.load), 0.1);
  const top = 1.3 * Math.max(...(stable.length ? stable : points).map((one) => one.latency ?? 0), 1);
  const x = (load) => LEFT + (load / most) * (WIDTH - LEFT - 12), y = (latency) => HEIGHT - BOTTOM - (Math.min(latency, top) / top) * (HEIGHT - BOTTOM - 10);
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Latency in cycles: ${points.map((one) => `${one.latency?.toFixed(1) ?? "none"} at load ${one.load}, ${one.outcome}`).join("; ")}` });
  const text = (words, attributes) => { svg.append(draw("text", { class: "axis", ...attributes })); svg.lastChild.textContent = words; };
  svg.append(draw("path", { class: "axis", d: `M${LEFT} 6V${HEIGHT - BOTTOM}H${WIDTH - 6}` }));
  text("load (flits per terminal and cycle)", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 4, "text-anchor": "middle" });
  text(`${Math.round(top)}`, { x: LEFT - 4, y: 14, "text-anchor": "end" });
  text("cycles", { x: LEFT - 4, y: 26, "text-anchor": "end" });
  text(String(most), { x: WIDTH - 12, y: HEIGHT - BOTTOM + 12, "text-anchor": "end" });
  svg.append(draw("polyline", { class: "curve", points: stable.map((one) => `${x(one.load)},${y(one.latency)}`).join(" ") }));
  for (const one of points) svg.append(draw("circle", { class: one.outcome === "stable" ? "point" : "point open", cx: x(one.load), cy: y(one.latency ?? top), r: 3.5 }));
  return svg;
}
