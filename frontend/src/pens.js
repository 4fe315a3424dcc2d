// Two pens with the same strokes: one draws on a canvas, the other writes SVG.

export class CanvasPen {
  constructor(context) {
    this.context = context;
  }

  // Many lines of one colour in one stroke, each [x, y, x, y, …].
  lines(ways, colour, width, { dash = [], alpha = 1, cap = "butt" } = {}) {
    const c = this.context;
    c.beginPath();
    for (const points of ways) {
      c.moveTo(points[0], points[1]);
      for (let i = 2; i < points.length; i += 2) c.lineTo(points[i], points[i + 1]);
    }
    c.strokeStyle = colour;
    c.globalAlpha = alpha;
    c.lineWidth = width;
    c.lineCap = cap;
    c.setLineDash(dash);
    c.stroke();
    c.globalAlpha = 1;
  }

  squares(points, side, colour) {
    const c = this.context;
    c.fillStyle = colour;
    for (let i = 0; i < points.length; i += 2) c.fillRect(points[i] - side / 2, points[i + 1] - side / 2, side, side);
  }

  circle(x, y, radius, colour, edge, width) {
    const c = this.context;
    c.beginPath();
    c.arc(x, y, radius, 0, 2 * Math.PI);
    if (colour) {
      c.fillStyle = colour;
      c.fill();
    }
    if (!edge) return;
    c.setLineDash([]);
    c.strokeStyle = edge;
    c.lineWidth = width;
    c.stroke();
  }

  text(x, y, words, size, colour, bold = false) {
    const c = this.context;
    c.font = `${bold ? "bold " : ""}${size}px system-ui, sans-serif`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.fillStyle = colour;
    c.fillText(words, x, y);
  }
}

export class SvgPen {
  constructor() {
    this.parts = [];
  }

  lines(ways, colour, width, { dash = [], alpha = 1, cap = "butt" } = {}) {
    const d = ways.map((points) => `M${points.map(fixed).join(" ")}`).join("");
    const dashes = dash.length ? ` stroke-dasharray="${dash.map(fixed).join(" ")}"` : "";
    this.parts.push(`<path d="${d}" fill="none" stroke="${colour}" stroke-width="${fixed(width)}" opacity="${alpha}" stroke-linecap="${cap}"${dashes}/>`);
  }

  squares(points, side, colour) {
    for (let i = 0; i < points.length; i += 2) {
      this.parts.push(`<rect x="${fixed(points[i] - side / 2)}" y="${fixed(points[i + 1] - side / 2)}" width="${fixed(side)}" height="${fixed(side)}" fill="${colour}"/>`);
    }
  }

  circle(x, y, radius, colour, edge = "none", width = 0) {
    this.parts.push(`<circle cx="${fixed(x)}" cy="${fixed(y)}" r="${fixed(radius)}" fill="${colour ?? "none"}" stroke="${edge}" stroke-width="${fixed(width)}"/>`);
  }

  text(x, y, words, size, colour, bold = false) {
    const escaped = words.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
    this.parts.push(`<text x="${fixed(x)}" y="${fixed(y)}" font-size="${fixed(size)}" fill="${colour}" text-anchor="middle" dominant-baseline="central"${bold ? ' font-weight="bold"' : ""}>${escaped}</text>`);
  }

  document(width, height, background) {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif"><rect width="100%" height="100%" fill="${background}"/>${this.parts.join("")}</svg>`;
  }
}

function fixed(number) {
  return String(Math.round(number * 100) / 100);
}
