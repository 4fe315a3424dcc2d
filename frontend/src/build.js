// What the page builds: family and sizes by sliders or text, routing, VCs, technique, traffic, and what failed.

import { button, fill, make } from "./dom.js";

const FAMILIES = {
  mesh: [["width", 2, 32, 4], ["height", 2, 32, 4]],
  torus: [["width", 3, 32, 4], ["height", 3, 32, 4]],
  ring: [["routers", 3, 64, 8]],
  hypercube: [["dimensions", 1, 10, 4]],
  complete: [["routers", 2, 32, 6]],
  fat_tree: [["arity", 2, 16, 2], ["levels", 2, 4, 3]],
  dragonfly: [["routers", 2, 16, 4], ["terminals", 1, 8, 2], ["global links", 1, 8, 2]],
  slim_fly: [["q", 5, 13, 5]],
};
const SWITCHINGS = ["saf", "vct", "wormhole", "wormhole-nonatomic", "bubble('localised')", "damq(slots=4, reserved=1)"];
const TRAFFIC = ["uniform", "transpose", "bit_complement", "tornado", "shuffle", "neighbour", "hotspot(0, share=0.1)"];
const QUIET = 350;

export function buildPanel(state, { routings, locked = [] }) {
  const panel = make("form", { class: "build", onsubmit: (event) => event.preventDefault(), onchange: () => take() });
  const fields = {};
  let timer = null, pending = {};

  // What is typed is taken a moment later, or as soon as the field is left.
  function set(changes, wait = QUIET) {
    clearTimeout(timer);
    Object.assign(pending, changes);
    timer = setTimeout(take, wait);
  }

  function take() {
    clearTimeout(timer);
    const taken = pending;
    if (Object.keys(taken).length) state.set(taken);
    if (taken === pending) pending = {};
  }

  function field(name, label, attributes = {}, list = null) {
    const input = make("input", { id: `unknot-${name}`, autocomplete: "off", spellcheck: "false", disabled: locked.includes(name), ...attributes });
    if (list) input.setAttribute("list", `unknot-${name}-list`);
    input.addEventListener("input", () => {
      const value = input.type === "number" ? (input.value === "" ? null : Number(input.value)) : input.value.trim();
      if (input.type !== "number" || value !== null || name === "vcs") set({ [name]: value });
    });
    fields[name] = input;
    const options = list && make("datalist", { id: `unknot-${name}-list` }, ...list.map((value) => make("option", { value })));
    return make("label", {}, make("span", {}, label), input, options);
  }

  const family = make("select", { "aria-label": "Family", disabled: locked.includes("network") },
    ...Object.keys(FAMILIES).map((name) => make("option", {}, name)), make("option", { value: "" }, "text"));
  const sliders = make("div", { class: "sliders" });
  let showing = null;

  function showSliders(name, values) {
    const ranges = FAMILIES[name] ?? [], there = [...sliders.querySelectorAll("input")];
    if (name === showing && values?.length === there.length) { // one of them may have the focus
      values.forEach((value, i) => { there[i].value = value; there[i].nextSibling.textContent = value; });
      return values;
    }
    showing = name;
    const inputs = ranges.map(([label, min, max, start], i) => {
      const input = make("input", { type: "range", min, max, value: values?.[i] ?? start, "aria-label": label, disabled: locked.includes("network") });
      const shown = make("output", {}, input.value);
      input.addEventListener("input", () => {
        shown.textContent = input.value;
        const text = `${name}(${inputs.map(([one]) => one.value).join(", ")})`;
        fields.network.value = text;
        set({ network: text });
      });
      return [input, make("label", {}, make("span", {}, label), input, shown)];
    });
    fill(sliders, ...inputs.map(([, label]) => label));
    return inputs.map(([input]) => Number(input.value));
  }

  family.addEventListener("change", () => {
    const values = showSliders(family.value);
    if (family.value) set({ network: `${family.value}(${values.join(", ")})` }, 0);
    else fields.network.focus();
  });

  const failed = make("ul", { class: "chips", "aria-label": "Failed, and forbidden" });
  fill(panel,
    make("label", {}, make("span", {}, "Family"), family), sliders,
    field("network", "Network"),
    field("routing", "Routing", {}, routings),
    make("div", { class: "row" }, field("vcs", "VCs", { type: "number", min: 1, max: 64, placeholder: "its own" }),
      field("buffer_depth", "Flits per VC", { type: "number", min: 1, max: 4096 })),
    field("switching", "Switching", {}, SWITCHINGS),
    make("div", { class: "row" }, field("traffic", "Traffic", {}, TRAFFIC), field("load", "Load", { type: "number", min: 0, max: 1, step: 0.05 })),
    failed,
  );

  function follow(design) {
    for (const [name, input] of Object.entries(fields)) {
      if (!(name in pending)) input.value = design[name] ?? "";
    }
    const call = /^\s*(\w+)\(([\d\s,]+)\)\s*$/.exec(design.network), known = call && FAMILIES[call[1]];
    const values = known ? call[2].split(",").map(Number) : [];
    family.value = known && values.length === known.length ? call[1] : "";
    showSliders(family.value, values);
    const chip = (list, name, words) => make("li", {}, `${words} ${name} `, button("×", () => state.toggle(list, name), { "aria-label": `Take back: ${words} ${name}` }));
    fill(failed, ...design.dead.map((name) => chip("dead", name, "failed:")), ...design.turns.map((name) => chip("turns", name, "forbidden:")));
  }

  state.onChange(follow);
  follow(state.design);
  return panel;
}
