// Where things are: routers, links, the lanes of virtual channels, in units in which neighbours are about 1 apart.

import { quadtree } from "d3-quadtree";

const BOW = 10;
/* Straight pieces of a bow. */
const FAR = 1e6;
/* Beyond all distances: routers more aside than ahead come last. */

export class Geometry {
  constructor(network) {
    Object.assign(this, network);
    this.count = network.x.length;
    this.tree = quadtree().x((r) => this.x[r]).y((r) => this.y[r]).addAll([...Array(this.count).keys()]);
    this.gone = new Set(network.dead);
    this.back = reversed(network);
    // A link is drawn once, by the channel with the lower number of two that lead both ways.
    this.links = network.source.map((_, c) => c).filter((c) => this.back[c] < 0 || this.back[c] > c);
    this.box = [Math.min(...bounds(this.x, Math.min)), Math.min(...bounds(this.y, Math.min)),
      Math.max(...bounds(this.x, Math.max)), Math.max(...bounds(this.y, Math.max))];
    this.spacing = spacing(this);
  }

  // Points of a channel beside the middle of its link, on the right of its way, from router to router: [x, y, …].
  way(channel, index = 0, of = 1) {
    const side = this.laneStep(of) * (index + 1), trim = 0.22 * this.spacing;
    return shortened(beside(this.link(channel), side), Math.min(trim, 0.3 * this.length(channel)));
  }

  laneStep(of) {
    return this.spacing * Math.min(0.075, 0.2 / (of + 1));
  }

  length(channel) {
    return Math.hypot(this.x[this.target[channel]] - this.x[this.source[channel]], this.y[this.target[channel]] - this.y[this.source[channel]]);
  }

  // Points of the middle of a link: straight, or a bow where the line would run through another router.
  link(channel) {
    const a = this.source[channel], b = this.target[channel], ends = [this.x[a], this.y[a], this.x[b], this.y[b]];
    if (!this.isBent(channel)) return ends;
    const [ax, ay, bx, by] = ends, length = this.length(channel) || 1, sign = a < b ? 1 : -1, bow = sign * 0.62 * this.spacing;
    const [mx, my] = [(ax + bx) / 2 - ((by - ay) / length) * bow, (ay + by) / 2 + ((bx - ax) / length) * bow];
    const points = [];
    for (let i = 0; i <= BOW; i++) {
      const s = i / BOW, [u, v, w] = [(1 - s) ** 2, 2 * s * (1 - s), s * s];
      points.push(u * ax + v * mx + w * bx, u * ay + v * my + w * by);
    }
    return points;
  }

  isBent(channel) {
    this.bent ??= new Map();
    if (!this.bent.has(channel)) this.bent.set(channel, this.runsThrough(channel));
    return this.bent.get(channel);
  }

  runsThrough(channel) {
    const a = this.source[channel], b = this.target[channel], steps = Math.min(40, Math.ceil((4 * this.length(channel)) / this.spacing));
    for (let i = 1; i < steps; i++) {
      const x = this.x[a] + ((this.x[b] - this.x[a]) * i) / steps, y = this.y[a] + ((this.y[b] - this.y[a]) * i) / steps;
      const met = this.tree.find(x, y, 0.16 * this.spacing);
      if (met !== undefined && met !== a && met !== b) return true;
    }
    return false;
  }

  nearestRouter(x, y, within) {
    return this.tree.find(x, y, within) ?? -1;
  }

  nearestLink(x, y, within) {
    let best = -1, least = within;
    for (const c of this.links) {
      const points = this.link(c);
      let away = Infinity;
      for (let i = 0; i + 3 < points.length; i += 2) away = Math.min(away, distance(x, y, ...points.slice(i, i + 4)));
      if (away < least) [best, least] = [c, away];
    }
    return best;
  }

  linkName(channel) {
    return `${this.names[this.source[channel]]}--${this.names[this.target[channel]]}`;
  }

  // A link by its name, from either end; -1: there is none.
  linkNamed(text) {
    const named = (c) => this.linkName(c) === text || `${this.names[this.target[c]]}--${this.names[this.source[c]]}` === text;
    return this.links.find(named) ?? -1;
  }

  otherEnd(link, router) {
    return this.source[link] === router ? this.target[link] : this.source[link];
  }

  // Links of a router, in their order around it.
  linksOf(router) {
    const turned = (c) => Math.atan2(this.y[this.otherEnd(c, router)] - this.y[router], this.x[this.otherEnd(c, router)] - this.x[router]);
    return this.links.filter((c) => this.source[c] === router || this.target[c] === router).sort((a, b) => turned(a) - turned(b) || a - b);
  }

  // The router that lies most in a direction from another; -1: none lies on that side.
  neighbour(router, dx, dy) {
    let best = -1, least = Infinity;
    for (let other = 0; other < this.count; other++) {
      const [x, y] = [this.x[other] - this.x[router], this.y[other] - this.y[router]];
      const along = x * dx + y * dy, aside = Math.abs(x * dy - y * dx), wide = aside > along ? FAR : 0;
      if (other === router || along <= 1e-9) continue;
      if (wide + along + 2 * aside < least) [best, least] = [other, wide + along + 2 * aside];
    }
    return best;
  }
}

function reversed({ source, target }) {
  const waiting = new Map(), back = source.map(() => -1);
  source.forEach((a, c) => {
    const key = `${target[c]} ${a}`, others = waiting.get(key);
    if (others?.length) {
      const other = others.shift();
      [back[c], back[other]] = [other, c];
    } else {
      const own = `${a} ${target[c]}`;
      waiting.set(own, [...(waiting.get(own) ?? []), c]);
    }
  });
  return back;
}

function bounds(values, pick) {
  return [values.reduce((a, b) => pick(a, b), values[0] ?? 0)];
}

// The usual length of short links, the measure of everything that is drawn.
function spacing({ x, y, source, target, links }) {
  const lengths = links.slice(0, 4000).map((c) => Math.hypot(x[source[c]] - x[target[c]], y[source[c]] - y[target[c]]));
  lengths.sort((a, b) => a - b);
  return lengths.find((length) => length > 0) ?? 1;
}

function distance(x, y, ax, ay, bx, by) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

// A line beside another, at a distance to the right.
function beside(points, away) {
  const moved = [];
  for (let i = 0; i < points.length; i += 2) {
    const [p, q] = [Math.max(0, i - 2), Math.min(points.length - 2, i + 2)];
    const [dx, dy] = [points[q] - points[p], points[q + 1] - points[p + 1]], length = Math.hypot(dx, dy) || 1;
    moved.push(points[i] - (dy / length) * away, points[i + 1] + (dx / length) * away);
  }
  return moved;
}

// A line without its ends.
function shortened(points, trim) {
  const total = lengthOf(points), share = trim / (total || 1);
  return piece(points, share, 1 - share);
}

function lengthOf(points) {
  let length = 0;
  for (let i = 2; i < points.length; i += 2) length += Math.hypot(points[i] - points[i - 2], points[i + 1] - points[i - 1]);
  return length;
}

// The piece of a line between two shares of its length.
export function piece(points, from, to) {
  const total = lengthOf(points), out = [];
  let at = 0;
  for (let i = 2; i < points.length; i += 2) {
    const [ax, ay, bx, by] = points.slice(i - 2, i + 2), length = Math.hypot(bx - ax, by - ay) || 1e-9;
    const low = Math.max(0, (from * total - at) / length), high = Math.min(1, (to * total - at) / length);
    if (low <= high && low <= 1 && high >= 0) {
      if (!out.length) out.push(ax + (bx - ax) * low, ay + (by - ay) * low);
      out.push(ax + (bx - ax) * high, ay + (by - ay) * high);
    }
    at += length;
  }
  return out;
}
