// Focus stays on the page: where the element that has it goes away, a like one or a neighbour takes it, or the picture.

const TAKES = "button:not([disabled]), input:not([disabled]), select:not([disabled])";

export function keepFocus(root, fallback) {
  let last = null;
  const within = (element, selector) => [...element.querySelectorAll(selector)].filter((one) => one.getClientRects().length);
  root.addEventListener("focusin", ({ target }) => {
    const list = target.closest("ul, ol, .controls");
    last = { target, name: named(target), list, place: list ? within(list, TAKES).indexOf(target) : -1 };
  });
  root.addEventListener("pointerdown", ({ target }) => { if (!target.closest(`${TAKES}, canvas, summary`)) last = null; });
  new MutationObserver(() => {
    if (!last || isThere(last.target) || root.getRootNode().activeElement !== bodyOf(root)) return;
    const { name, list, place } = last, near = list && root.contains(list) ? within(list, TAKES) : [];
    const like = within(root, TAKES).find((one) => named(one) === name);
    (like ?? near[Math.min(Math.max(0, place), near.length - 1)] ?? fallback).focus({ preventScroll: true });
  }).observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ["hidden", "disabled"] });
}

function named(element) {
  return element.getAttribute("aria-label") ?? element.textContent;
}

function isThere(element) {
  return element.isConnected && !element.disabled && element.getClientRects().length > 0;
}

// Without focus the active element is the body, or nothing in a shadow tree.
function bodyOf(root) {
  return root.getRootNode() === document ? document.body : null;
}
