// The network on a canvas: pan and zoom, picking by pointer and keys, and the same picture as SVG and PNG.

import { select } from "d3-selection";
import { zoom, zoomIdentity, zoomTransform } from "d3-zoom";
import { themed } from "./colours.js";
import { make } from "./dom.js";
import { Geometry } from "./geometry.js";
import { paint } from "./paint.js";
import { CanvasPen, SvgPen } from "./pens.js";

const MANY = 3000;
/* Links from which a moved picture is the last one, stretched, until the hand rests. */
const REST = 90;
const REACH = 14;
const MARGIN = 40;
/* Pixels between a router chosen by keys and the edge. */

export class View {
  constructor(root) {
    this.root = root;
    this.canvas = make("canvas", { tabindex: 0, role: "application", "aria-roledescription": "network", "aria-label": "Network", "aria-describedby": "unknot-status unknot-keys" });
    this.scene = {};
    this.place = { k: 40, x: 0, y: 0 };
    this.pick = () => {};
    this.zoom = zoom().scaleExtent([0.02, 60]).on("zoom", ({ transform }) => this.moved(transform));
    select(this.canvas).call(this.zoom).on("dblclick.zoom", null);
    this.canvas.addEventListener("click", (event) => this.clicked(event));
    new ResizeObserver(() => this.resized()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  setNetwork(network) {
    const same = this.geometry && this.geometry.name === network.name && this.geometry.count === network.x.length;
    const { focus = -1, link = -1 } = same ? this.scene : {};
    this.geometry = new Geometry(network);
    this.scene = { focus, link, deadRouters: network.deadRouters ?? [] };
    this.canvas.setAttribute("aria-label", `${network.name}: ${network.summary}`);
    this.renewed?.();
    if (same) this.draw();
    else this.fit();
  }

  show(changes) {
    Object.assign(this.scene, changes);
    this.draw();
  }

  // Channels and routers that are gone.
  fail(channels, routers) {
    if (this.geometry) this.geometry.gone = new Set(channels);
    this.show({ deadRouters: routers });
    this.chosen?.();
  }

  fit() {
    const { width, height } = this.size(), [x0, y0, x1, y1] = this.geometry.box;
    const room = Math.max(this.geometry.spacing, 1e-6);
    this.base = Math.min(width / (x1 - x0 + 1.6 * room), height / (y1 - y0 + 1.6 * room), 150 / room);
    const k = this.base;
    this.origin = { x: width / 2 - ((x0 + x1) / 2) * k, y: height / 2 - ((y0 + y1) / 2) * k };
    select(this.canvas).call(this.zoom.transform, zoomIdentity);
  }

  size() {
    return { width: this.canvas.clientWidth || 600, height: this.canvas.clientHeight || 400 };
  }

  resized() {
    const { width, height } = this.size(), ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    if (this.geometry) this.fit();
  }

  moved(transform) {
    this.place = { k: this.base * transform.k, x: this.origin.x * transform.k + transform.x, y: this.origin.y * transform.k + transform.y };
    if (this.geometry.links.length > MANY && this.last) this.stretched();
    else this.draw();
  }

  // A large picture follows the hand as an image, and is drawn anew at rest.
  stretched() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.draw(), REST);
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const context = this.canvas.getContext("2d"), { place, image } = this.last, k = this.place.k / place.k;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.fillStyle = this.colours.paper;
      context.fillRect(0, 0, this.canvas.width, this.canvas.height);
      const ratio = window.devicePixelRatio || 1;
      context.setTransform(k, 0, 0, k, (this.place.x - place.x * k) * ratio, (this.place.y - place.y * k) * ratio);
      context.drawImage(image, 0, 0);
    });
  }

  draw() {
    if (!this.geometry || this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.drawNow();
    });
  }

  drawNow() {
    const context = this.canvas.getContext("2d"), ratio = window.devicePixelRatio || 1, { width, height } = this.size();
    this.colours = themed(this.root);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.colours.paper;
    context.fillRect(0, 0, width, height);
    paint(new CanvasPen(context), this.geometry, { ...this.scene, ink: this.colours.ink }, this.place, this.colours);
    if (this.geometry.links.length <= MANY) return;
    const image = document.createElement("canvas");
    [image.width, image.height] = [this.canvas.width, this.canvas.height];
    image.getContext("2d").drawImage(this.canvas, 0, 0);
    this.last = { image, place: this.place };
  }

  clicked(event) {
    if (!this.geometry) return;
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - this.place.x) / this.place.k, y = (event.clientY - box.top - this.place.y) / this.place.k;
    const router = this.geometry.nearestRouter(x, y, Math.max(0.3 * this.geometry.spacing, REACH / this.place.k));
    this.pick(router >= 0 ? { router } : { link: this.geometry.nearestLink(x, y, REACH / this.place.k) });
  }

  zoomBy(factor) {
    select(this.canvas).call(this.zoom.scaleBy, factor);
  }

  // Move the picture until a router is within.
  reveal(router) {
    const { width, height } = this.size(), { k, x, y } = this.place, g = this.geometry;
    const [px, py] = [g.x[router] * k + x, g.y[router] * k + y];
    const [dx, dy] = [inside(px, width) - px, inside(py, height) - py];
    const { x: tx, y: ty, k: scale } = zoomTransform(this.canvas);
    if (dx || dy) select(this.canvas).call(this.zoom.transform, zoomIdentity.translate(tx + dx, ty + dy).scale(scale));
  }

  isDead(router) {
    return (this.scene.deadRouters ?? []).includes(router);
  }

  svg() {
    const { width, height } = this.size(), pen = new SvgPen();
    paint(pen, this.geometry, { ...this.scene, ink: this.colours.ink }, this.place, this.colours);
    return pen.document(width, height, this.colours.paper);
  }

  save(form) {
    if (form === "svg") return kept(new Blob([this.svg()], { type: "image/svg+xml" }), "network.svg");
    this.drawNow();
    return this.canvas.toBlob((blob) => kept(blob, "network.png"));
  }
}

// The value nearest to one that keeps away from both edges.
function inside(value, size) {
  return Math.max(Math.min(MARGIN, size / 2), Math.min(size - MARGIN, value));
}

function kept(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
