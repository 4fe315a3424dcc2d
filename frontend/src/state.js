// The design on the page: one object, changed by `set` and told to listeners.

export const DEFAULTS = {
  network: "mesh(4, 4)", routing: "dimension_order", vcs: null, switching: "vct", buffer_depth: 8, traffic: "uniform",
  load: 0.1, packet_length: 1, dead: [], turns: [],
};

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
    if (!changed(next, this.design).length) return;
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

// The parts in which two designs differ.
export function changed(next, before) {
  return Object.keys(next).filter((key) => JSON.stringify(next[key]) !== JSON.stringify(before[key]));
}
