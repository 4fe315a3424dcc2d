// One picture of the network on a pen: links, colours of channels, marks, messages and names.

import { ramp } from "./colours.js";
import { piece } from "./geometry.js";

const NAMED = 34, LANED = 26, TERMINALS = 44, BENT = 12, COLOURED = 4;
/* Pixels between neighbours from which names, turns, terminals, bows and single channels have room. */

export function paint(pen, geometry, scene, place, colours) {
  const gap = geometry.spacing * place.k;
  const frame = { pen, geometry, scene, place, colours, gap };
  drawLinks(frame);
  if (scene.link >= 0) drawChosen(frame);
  if (scene.shares) drawShares(frame);
  if (scene.folded && gap >= LANED) drawTurns(frame);
  drawMarks(frame);
  if (scene.buffers) drawBuffers(frame);
  drawRouters(frame);
  if (scene.heads) drawHeads(frame);
}

function drawLinks({ pen, geometry: g, scene, colours, gap, place }) {
  const alive = [], gone = [];
  for (const c of g.links) {
    const a = g.source[c], b = g.target[c];
    const points = gap < BENT ? [g.x[a], g.y[a], g.x[b], g.y[b]] : g.link(c);
    (g.gone.has(c) ? gone : alive).push(placed(points, place));
  }
  if (!scene.shares || gap >= COLOURED) pen.lines(alive, colours.line, Math.max(0.6, Math.min(2.2, gap / 22)), { alpha: gap < 6 ? 0.55 : 1 });
  if (gone.length) pen.lines(gone, colours.bad, 1.4, { dash: [4, 5], alpha: 0.7 });
}

function drawChosen({ pen, geometry: g, scene, colours, gap, place }) {
  const points = placed(g.link(scene.link), place);
  pen.lines([points], colours.accent, Math.max(5, Math.min(12, gap / 8)), { alpha: 0.45, cap: "round" });
  pen.lines([points], colours.ink, 2, { dash: g.gone.has(scene.link) ? [4, 5] : [] });
}

// Channels in the colour of their share: of the proof's order, or of the time in which they are busy.
function drawShares({ pen, geometry: g, scene, colours, gap, place }) {
  const groups = new Map();
  for (const [channel, share] of scene.shares) {
    const step = Math.round(share * 20) / 20;
    if (!groups.has(step)) groups.set(step, []);
    groups.get(step).push(way(g, place, channel));
  }
  for (const [share, ways] of [...groups].sort((a, b) => a[0] - b[0])) {
    pen.lines(ways, ramp(share, colours.theme), Math.max(1, Math.min(4, gap / 14)));
  }
}

// Each pair of channels of which packets of one wait for the other, as a stroke at the router between.
function drawTurns({ pen, geometry: g, scene, colours, gap, place }) {
  const calm = [], cyclic = [];
  for (const [a, b, on] of scene.folded) (on ? cyclic : calm).push([...way(g, place, a).slice(-2), ...way(g, place, b).slice(0, 2)]);
  pen.lines(calm, colours.soft, Math.max(0.7, gap / 70), { alpha: 0.55 });
  pen.lines(cyclic, colours.bad, Math.max(1, gap / 45), { alpha: 0.8 });
}

function drawMarks({ pen, geometry: g, scene, colours, gap, place }) {
  const under = scene.ways?.length ? 2.2 : 1; // of a circle, the rim beside a way
  for (const [channels, colour, wide] of [[scene.ring, colours.bad, under], [scene.ways, colours.accent, 1]]) {
    if (!channels?.length) continue;
    const ways = channels.map((c) => way(g, place, c));
    pen.lines(ways, colour, wide * Math.max(1.6, Math.min(4, gap / 14)), { cap: "round" });
    if (gap >= 14) pen.lines(ways.map((points) => arrow(points, Math.min(9, gap / 6))), colour, Math.max(1.2, gap / 26), { cap: "round" });
  }
}

// The head of an arrow at the end of a line.
function arrow(points, size) {
  const [ax, ay, bx, by] = points.slice(-4), length = Math.hypot(bx - ax, by - ay) || 1;
  const [ux, uy] = [((bx - ax) / length) * size, ((by - ay) / length) * size];
  return [bx - ux - uy * 0.6, by - uy + ux * 0.6, bx, by, bx - ux + uy * 0.6, by - uy - ux * 0.6];
}

// Flits in buffers: at the end of the lane of their VC, those in front first.
function drawBuffers({ pen, geometry: g, scene, colours, gap, place }) {
  for (const { channel, index, of, from, to, colour } of scene.buffers) {
    const points = piece(way(g, place, channel, index, of), 1 - to, 1 - from);
    const width = Math.max(1.5, Math.min(9, gap / 9 / Math.sqrt(of)));
    if (colours.theme === "dark") pen.lines([points], colours.soft, width + 2); // some colours are as dark as the paper
    pen.lines([points], colour, width);
  }
}

function drawHeads({ pen, geometry: g, scene, gap, place }) {
  const radius = Math.max(3, Math.min(11, gap / 9));
  const at = (head) => way(g, place, head.channel, head.index, head.of).slice(-2);
  for (const [a, b] of scene.waits) {
    if (!scene.heads[a] || !scene.heads[b]) continue;
    const points = piece([...at(scene.heads[a]), ...at(scene.heads[b])], 0, 1), length = Math.hypot(points[2] - points[0], points[3] - points[1]) || 1;
    const cut = Math.min(0.3, (radius + 2) / length), short = piece(points, cut, 1 - cut);
    pen.lines([short], scene.ink, 1.4, { dash: [4, 4] });
    pen.lines([arrow(short, 9)], scene.ink, 1.4, { cap: "round" });
  }
  for (const head of scene.heads.filter(Boolean)) {
    const [x, y] = at(head);
    pen.circle(x, y, radius, head.colour, "#ffffff", 1);
    if (radius >= 5) pen.text(x, y, String(head.number), radius * 1.25, head.on, true);
  }
}

function drawRouters({ pen, geometry: g, scene, colours, gap, place }) {
  const px = (r) => g.x[r] * place.k + place.x, py = (r) => g.y[r] * place.k + place.y;
  const routers = [...Array(g.count).keys()], dead = new Set(scene.deadRouters ?? []), picked = scene.picked ?? [];
  const small = gap < 9, radius = small ? Math.max(2, gap / 3) : Math.min(15, gap / 6.5);
  if (small) pen.squares(routers.flatMap((r) => [px(r), py(r)]), Math.max(1.2, gap / 3), colours.router);
  for (const r of small ? [...new Set([...picked, ...dead])] : routers) {
    const chosen = picked.includes(r), edge = dead.has(r) ? colours.bad : chosen ? colours.accent : colours.router;
    pen.circle(px(r), py(r), radius, !dead.has(r) && g.terminals[r] ? colours.router : colours.paper, edge, chosen ? 3 : 1.5);
    if (g.terminals[r] && gap >= TERMINALS) pen.squares([px(r), py(r)], radius * 0.55, colours.paper);
  }
  if (scene.focus >= 0) drawRing(pen, px(scene.focus), py(scene.focus), radius, colours);
  if (gap < NAMED) return;
  const size = Math.min(13, gap / 5);
  for (const r of routers) pen.text(px(r), py(r) + radius + size * 0.75, g.names[r], size, colours.ink);
}

// Around the router that keys have chosen: two rings, one of which stands out on any ground.
function drawRing(pen, x, y, radius, colours) {
  pen.circle(x, y, radius + 4, null, colours.paper, 5);
  pen.circle(x, y, radius + 4, null, colours.accent, 3);
}

function way(g, place, channel, index = 0, of = 1) {
  return placed(g.way(channel, index, of), place);
}

function placed(points, { k, x, y }) {
  return points.map((value, i) => value * k + (i % 2 ? y : x));
}
