// The design in the address: each step is an entry of the history, so Back and Forward undo and redo.

import { DEFAULTS } from "./state.js";

const NUMBERS = ["vcs", "buffer_depth", "load", "packet_length"];
const LISTS = ["dead", "turns"];
const ALWAYS = ["network", "routing"];
const SAME = 1500;
/* Milliseconds within which changes of one field are one step; each failure and each turn is a step of its own. */

export function toAddress(design, exercise = null) {
  const words = new URLSearchParams();
  if (exercise !== null) words.set("exercise", exercise + 1);
  for (const [key, value] of Object.entries(design)) {
    if (!ALWAYS.includes(key) && JSON.stringify(value) === JSON.stringify(DEFAULTS[key])) continue;
    if (LISTS.includes(key)) value.forEach((one) => words.append(key, one));
    else words.set(key, String(value));
  }
  return words.toString();
}

// The design and the exercise of an address; an address that cannot be read throws a sentence.
export function fromAddress(text, exercises = 0) {
  const words = new URLSearchParams(text), design = { ...DEFAULTS };
  let exercise = null;
  for (const [key, value] of words) {
    if (key === "exercise") exercise = numbered(value, exercises);
    else if (!Object.hasOwn(DEFAULTS, key)) throw new Error(`The address has “${key}”, which is no part of a design. Parts are ${Object.keys(DEFAULTS).join(", ")}.`);
    else if (LISTS.includes(key)) design[key] = words.getAll(key);
    else if (!NUMBERS.includes(key)) design[key] = value;
    else if (value.trim() && Number.isFinite(Number(value))) design[key] = Number(value);
    else throw new Error(`The address has ${key}=${value}, where a number is expected.`);
  }
  return { design, exercise };
}

function numbered(value, exercises) {
  if (!exercises) throw new Error("The address names an exercise, and this page has no course: unknot explore --exercise 1 begins one.");
  if (!/^\d+$/.test(value) || value < 1 || value > exercises) throw new Error(`The address has exercise=${value}; the course has exercises 1 to ${exercises}.`);
  return Number(value) - 1;
}

export class Address {
  // `read` takes the text of an address that was edited, or to which the reader went back.
  constructor(read) {
    this.last = null;
    window.addEventListener("hashchange", () => {
      this.last = null;
      this.reading = true;
      read(location.hash.slice(1));
      this.reading = false;
    });
  }

  write(text, changed) {
    const address = `#${text}`, now = Date.now(), key = String(changed);
    if (address === location.hash) return;
    const typed = this.last?.key === key && now - this.last.at < SAME && !LISTS.some((list) => changed.includes(list));
    const same = this.reading || !changed.length || typed;
    history[same ? "replaceState" : "pushState"](null, "", address);
    this.last = { key, at: now };
  }
}
