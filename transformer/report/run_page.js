"use strict";
// Shows the numbers under the pointer. The charts stand without it.

const svgNames = "http://www.w3.org/2000/svg";

// At most so many digits, and no more than the number has.
const digits = (value, count) => String(Number(value.toPrecision(count)));

// The point of a curve that is nearest to x, in pixels.
function nearest(points, x) {
  let best = points[0];
  for (const point of points)
    if (Math.abs(point[0] - x) < Math.abs(best[0] - x)) best = point;
  return best;
}

function add(parent, name, attributes) {
  const element = parent.appendChild(document.createElementNS(svgNames, name));
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function prepare(figure) {
  const chart = JSON.parse(figure.dataset.curves);
  const svg = figure.querySelector("svg");
  const marks = add(svg, "g", {});
  const box = figure.appendChild(document.createElement("div"));
  box.className = "values";
  box.hidden = true;

  function hide() {
    box.hidden = true;
    marks.replaceChildren();
  }

  function show(event) {
    const frame = svg.getBoundingClientRect();
    const x = (event.clientX - frame.left) * (svg.viewBox.baseVal.width / frame.width);
    // The point nearest to the pointer says where all curves are read.
    const at = nearest(chart.curves.map((curve) => nearest(curve.points, x)), x);
    marks.replaceChildren();
    box.replaceChildren();
    const heading = box.appendChild(document.createElement("b"));
    heading.textContent = `${digits(at[2], 6)} ${chart.x}`;
    add(marks, "line", { x1: at[0], x2: at[0], y1: chart.top, y2: chart.bottom, class: "pointer" });
    for (const curve of chart.curves) {
      if (at[0] < curve.points[0][0] || at[0] > curve.points.at(-1)[0]) continue; // not there yet, or over
      const point = nearest(curve.points, at[0]);
      add(marks, "circle", { cx: point[0], cy: point[1], r: 3, class: curve.style });
      const line = box.appendChild(document.createElement("div"));
      const elsewhere = point[2] === at[2] ? "" : ` (at ${digits(point[2], 6)})`;
      line.textContent = `${digits(point[3], 4)}  ${curve.name}${elsewhere}`;
    }
    box.hidden = false;
    // Beside the pointer, on the side that has room.
    const left = event.clientX - frame.left;
    box.style.top = `${Math.max(0, event.clientY - frame.top - box.offsetHeight / 2)}px`;
    box.style.left = left < frame.width / 2 ? `${left + 16}px` : `${left - box.offsetWidth - 16}px`;
  }

  svg.addEventListener("pointermove", show);
  svg.addEventListener("pointerdown", show);
  svg.addEventListener("pointerleave", hide);
}

document.querySelectorAll("figure.curves").forEach(prepare);
