// Channels of a schedule over time: the picture at one time, and a chart of the busiest with a line at that time.

import { count, draw, figure, fill, make } from "./dom.js";
import { Player } from "./player.js";

const ROWS = 48, ROW = 9, LEFT = 92, WIDTH = 360, LETTERS = 16;

export class Busy {
  constructor(view, { end, unit, rows }) {
    Object.assign(this, { view, end, unit, rows });
    this.player = new Player((at) => this.show(at), "Time");
    this.words = make("p", { "aria-live": "polite" });
    this.chart = make("div", { class: "chart" });
    this.element = make("section", {}, make("h2", {}, "Busy channels"), this.player.element, this.words, this.chart,
      make("p", { class: "help" }, `Rows: the ${Math.min(ROWS, rows.length)} busiest of ${rows.length.toLocaleString("en")} channels, filled where busy. Those of terminals are in the chart alone.`));
    fill(this.chart, this.drawn());
    this.player.set(rows[0]?.shares.length ?? 1);
  }

  drawn() {
    const rows = this.rows.slice(0, ROWS), bottom = rows.length * ROW + 4, height = bottom + 14, many = rows[0]?.shares.length ?? 1;
    const svg = draw("svg", { viewBox: `0 0 ${LEFT + WIDTH} ${height}`, role: "img", "aria-label": `Busy times of the ${rows.length} busiest channels` });
    rows.forEach(({ name, shares }, y) => {
      const text = draw("text", { class: "axis small", x: LEFT - 4, y: y * ROW + 8, "text-anchor": "end" });
      text.textContent = name.length > LETTERS ? `${name.slice(0, LETTERS - 1)}…` : name;
      const boxes = shares.map((share, x) => (share > 0 ? `M${(LEFT + (x / many) * WIDTH).toFixed(1)} ${y * ROW + 2}h${((share / many) * WIDTH).toFixed(2)}v6h${((-share / many) * WIDTH).toFixed(2)}z` : ""));
      svg.append(text, draw("path", { class: "bar", d: boxes.join("") }));
    });
    for (const [words, x, anchor] of [["0", LEFT, "start"], [`${figure(this.end)} ${this.unit}`, LEFT + WIDTH, "end"]]) {
      svg.append(draw("text", { class: "axis", x, y: height - 3, "text-anchor": anchor }));
      svg.lastChild.textContent = words;
    }
    this.line = draw("path", { class: "now-line", d: "" });
    this.line.dataset.height = bottom;
    svg.append(this.line);
    return svg;
  }

  show(at) {
    const many = this.rows[0]?.shares.length ?? 1, x = LEFT + ((at + 0.5) / many) * WIDTH;
    this.line.setAttribute("d", `M${x} 0V${this.line.dataset.height}`);
    const inside = this.rows.filter((row) => row.channel !== null);
    this.view.show({ shares: inside.map((row) => [row.channel, row.shares[at]]) });
    const busy = inside.filter((row) => row.shares[at] > 0).length;
    this.words.textContent = `From ${figure((this.end * at) / many)} of ${figure(this.end)} ${this.unit} on: ${count(busy, "channel")} between routers ${busy === 1 ? "is" : "are"} busy.`;
  }
}
