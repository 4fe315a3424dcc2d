// The design on the page: one object, changed by `set`, told to listeners, and kept in the address.

export const DEFAULTS = {
  network: "mesh(4, 4)", routing: "dimension_order", vcs: null, switching: "vct", buffer_depth: 8, traffic: "uniform",
  load: 0.1, packet_length: 1, dead: [], turns: [],
};
const NUMBERS = ["vcs", "buffer_depth", "load", "packet_length"];
const LISTS = ["dead", "turns"];

export class State {
  constructor(design) {
    this.design = { ...DEFAULTS, ...design };
    this.listeners = [];
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  // A change of the network takes back what had failed in the old one.
  set(changes) {
    const next = { ...this.design, ...changes };
    if (next.network !== this.design.network) Object.assign(next, { dead: changes.dead ?? [], turns: changes.turns ?? [] });
    if (JSON.stringify(next) === JSON.stringify(this.design)) return;
    const before = this.design;
    this.design = next;
    for (const listener of this.listeners) listener(next, before);
  }

  // A name in or out of a list such as `dead`.
  toggle(list, name) {
    const names = this.design[list];
    this.set({ [list]: names.includes(name) ? names.filter((one) => one !== name) : [...names, name] });
  }
}

export function toAddress(design) {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(design)) {
    if (JSON.stringify(value) === JSON.stringify(DEFAULTS[key])) continue;
    if (LISTS.includes(key)) value.forEach((one) => words.append(key, one));
    else words.set(key, String(value));
  }
  return words.toString();
}

export function fromAddress(text) {
  const words = new URLSearchParams(text);
  const design = {};
  for (const key of Object.keys(DEFAULTS)) {
    if (!words.has(key)) continue;
    if (LISTS.includes(key)) design[key] = words.getAll(key);
    else if (!NUMBERS.includes(key)) design[key] = words.get(key);
    else if (Number.isFinite(Number(words.get(key)))) design[key] = Number(words.get(key));
  }
  return design;
}
