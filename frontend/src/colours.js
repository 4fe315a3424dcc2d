// Colours that differ for the colour-blind (Okabe and Ito), and a ramp whose brightness rises alone.

const RAMP = {
  light: ["#dfe6ec", "#9fc4d8", "#4f94bd", "#25608f", "#12304f"],
  dark: ["#2b343c", "#2c5a78", "#3f8fbf", "#8cc6e6", "#eaf6fd"],
};

export function ramp(share, theme) {
  const stops = RAMP[theme], at = Math.max(0, Math.min(1, share)) * (stops.length - 1), low = Math.min(Math.floor(at), stops.length - 2);
  return mix(stops[low], stops[low + 1], at - low);
}

function mix(a, b, share) {
  const part = (text, i) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);
  return `#${[0, 1, 2].map((i) => Math.round(part(a, i) * (1 - share) + part(b, i) * share).toString(16).padStart(2, "0")).join("")}`;
}

// Colours of the theme, as the style sheet has them.
export function themed(root) {
  const style = getComputedStyle(root);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: of("ink"), soft: of("soft"), paper: of("paper"), line: of("line"), router: of("router"), accent: of("accent"),
    bad: of("bad"), good: of("good"), theme: of("theme") || "light",
  };
}
