"use strict";
(() => {
  const story = JSON.parse(document.getElementById("story").textContent);
  const $ = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const LAST = story.steps.length; // one step more than frames: the headers are let go, and nothing moves
  const flits = (n) => n + (n === 1 ? " flit" : " flits");
  const make = (name, attributes, parent) => {
    const element = document.createElementNS(SVG, name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    parent.append(element);
    return element;
  };
  let step = 0, timer = null;

  // Worms and discs are made anew at each step; flits of a buffer stand at the end of its channel, those in front first.
  function draw(buffers) {
    const worms = $("worms"), discs = $("discs");
    if (!worms) return;
    worms.replaceChildren();
    discs.replaceChildren();
    const used = {};
    for (const [m, vc, n] of buffers) {
      const lane = story.lanes[vc], before = used[vc] || 0;
      used[vc] = before + n;
      make("path", {
        d: lane.d, fill: "none", stroke: story.messages[m].colour, "stroke-width": story.width, pathLength: story.depth,
        "stroke-dasharray": `${n} ${2 * story.depth}`, "stroke-dashoffset": -before,
      }, worms);
    }
    story.messages.forEach((message, m) => {
      const at = header(m, buffers);
      if (at === undefined) return;
      const [x, y] = story.lanes[at].head;
      const disc = make("g", { transform: `translate(${x},${y})` }, discs);
      make("circle", { r: story.disc, fill: message.colour, stroke: "#ffffff" }, disc);
      const size = story.disc * (m < 9 ? 1.35 : m < 99 ? 1.1 : 0.8);
      make("text", {
        y: 0.36 * size, "font-size": size, "font-weight": 700, "text-anchor": "middle", fill: message.on,
      }, disc).textContent = m + 1;
    });
  }

  // The VC of a message that is furthest along its path.
  function header(m, buffers) {
    const path = story.messages[m].path;
    let best = -1;
    for (const [message, vc] of buffers) if (message === m) best = Math.max(best, path.indexOf(vc));
    return path[best];
  }

  function words(m, buffers) {
    const message = story.messages[m], at = header(m, buffers);
    if (step === LAST && story.stuck) {
      const holders = message.waits.map((other) => other + 1);
      return `Blocked for ever in ${story.lanes[at].name}: waits for ${message.wanted.join(" or ")}, ` +
        `held by message${holders.length > 1 ? "s" : ""} ${holders.join(" and ")}.`;
    }
    if (at === undefined) return `Not sent yet, at terminal ${message.port}.`;
    const inside = buffers.reduce((sum, [other, , n]) => sum + (other === m ? n : 0), 0);
    const place = `Header in ${story.lanes[at].name}, ${flits(inside)} of ${message.length} in buffers`;
    return inside === message.length && at === message.path[message.path.length - 1] ? `${place}: in place.` : `${place}.`;
  }

  function show(to) {
    step = Math.max(0, Math.min(LAST, to));
    const [cycle, buffers] = story.steps[Math.min(step, LAST - 1)];
    draw(buffers);
    document.querySelectorAll(".arrows").forEach((arrow) => { arrow.style.visibility = step === LAST ? "visible" : "hidden"; });
    document.querySelectorAll(".message").forEach((item, m) => {
      const under = item.querySelector(".under");
      under.textContent = words(m, buffers);
      under.classList.toggle("against", step === LAST && story.stuck);
    });
    $("now").textContent = step < LAST
      ? `Step ${step} of ${LAST}, cycle ${cycle}` + (step === 0 && !buffers.length ? ": the network is empty." : ".")
      : `Step ${step} of ${LAST}: ` + (story.stuck
        ? `every header may go on, and nothing has moved by cycle ${story.until}. It is a deadlock.`
        : `in the simulator the messages did not stay blocked until cycle ${story.until}.`);
    $("at").value = step;
    if (step === LAST) pause();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    $("play").firstChild.textContent = "▶▶";
    $("play").lastChild.textContent = " Play";
  }

  function play() {
    if (timer !== null) return pause();
    if (step === LAST) show(0);
    timer = setInterval(() => show(step + 1), 450);
    $("play").firstChild.textContent = "❚❚";
    $("play").lastChild.textContent = " Pause";
  }

  const go = (to) => { pause(); show(to); };
  const actions = { first: () => go(0), back: () => go(step - 1), play, next: () => go(step + 1), last: () => go(LAST) };
  const keys = { Home: "first", ArrowLeft: "back", " ": "play", ArrowRight: "next", End: "last" };
  for (const id in actions) $(id).addEventListener("click", actions[id]);
  $("at").max = LAST;
  $("at").addEventListener("input", () => go(Number($("at").value)));
  document.addEventListener("keydown", (event) => {
    // The slider moves by these keys itself, and the space bar presses the button that has the focus.
    const own = event.target.id === "at" || (event.key === " " && event.target.closest("button"));
    if (own || event.altKey || event.ctrlKey || event.metaKey || !(event.key in keys)) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });
  $("player").hidden = false;
  show(0);
})();
