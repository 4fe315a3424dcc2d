// Elements with attributes and children in one call. Text is always text: no HTML is ever made of names.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") element.style.cssText = value; // as an attribute the page's policy refuses styles
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function button(text, act, attributes = {}) {
  const acts = (event) => event.currentTarget.getAttribute("aria-disabled") !== "true" && act(event);
  return make("button", { type: "button", onclick: acts, ...attributes }, text);
}

// Make a button act or not; one that does not keeps the focus.
export function enable(one, acts) {
  one.setAttribute("aria-disabled", String(!acts));
}

export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function count(number, noun) {
  const many = noun.endsWith("cy") ? `${noun.slice(0, -1)}ies` : /(ch|ss)$/.test(noun) ? `${noun}es` : `${noun}s`;
  return `${number.toLocaleString("en")} ${number === 1 ? noun : many}`;
}

// A number with about four digits, and never as a power of ten.
export function figure(number) {
  return number.toLocaleString("en", number >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 });
}

// A line to copy: a command, or a line of Python.
export function copyable(label, text) {
  const copy = button("Copy", async () => {
    await navigator.clipboard?.writeText(text);
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1200);
  }, { "aria-label": `Copy: ${label}` });
  return make("div", { class: "copyable" }, make("code", {}, text), copy);
}

// An element of SVG with attributes.
export function draw(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
