"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);

// What each kind of attention asks and looks at: lists of a sentence's pieces.
const kinds = {
  encoder: {name: "encoder", queries: "source", keys: "source", caption: "Encoder self-attention: the source over itself"},
  masked: {name: "masked", queries: "read", keys: "read", caption: "Masked self-attention: what the decoder has read, over itself"},
  cross: {name: "cross", queries: "target", keys: "source", caption: "Cross-attention: what the decoder writes, over the source"},
};
const views = {lines: drawLines, matrix: drawMatrix, model: drawModel};
const sideNames = {source: "source", read: "target, as it is read", target: "target, as it is written"};
const ofText = (one) => one.source.length === 0;  // a text alone: there is no source

const leastLine = 0.02;  // below it a line is drawn only for the word that is pointed at
const state = {sentence: 0, kind: "cross", view: "matrix", layer: 0, heads: new Set(), words: true, chosen: null};
let turn = 0;        // counts changes: what an earlier one waited for comes too late
let weights = null;  // of the state's sentence and kind: {layers, heads, queries, keys, values}

// --- Weights ---------------------------------------------------------------------------------------------

async function inflated(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function weightsOf(sentence, kind) {
  const stored = sentence[kind];
  stored.values ??= await inflated(stored.base64);
  return {
    layers: stored.layers, heads: stored.heads, values: stored.values,
    queries: sentence[kinds[kind].queries].length, keys: sentence[kinds[kind].keys].length,
  };
}

// A recurrent model has attention over the source alone, a language model over its text.
const isThere = (kind) => sentence()[kind].layers > 0;

// One head's weights, or the mean of several: rows of numbers between 0 and 1, of pieces or of words.
function matrixOf(layer, heads) {
  const {queries, keys, values} = weights;
  const rows = Array.from({length: queries}, () => new Float64Array(keys));
  for (const head of heads) {
    let at = (layer * weights.heads + head) * queries * keys;
    for (const row of rows)
      for (let key = 0; key < keys; ++key) row[key] += values[at++] / 255 / heads.length;
  }
  return state.words ? joined(rows) : rows;
}

// A key word has the sum over its pieces, a query word the mean over its own.
function joined(rows) {
  const queryWords = wordsOf("queries"), keyWords = wordsOf("keys");
  const sums = Array.from({length: count(queryWords)}, () => new Float64Array(count(keyWords)));
  const sizes = new Array(sums.length).fill(0);
  rows.forEach((row, query) => {
    ++sizes[queryWords[query]];
    row.forEach((weight, key) => sums[queryWords[query]][keyWords[key]] += weight);
  });
  sums.forEach((row, word) => row.forEach((_, key) => row[key] /= sizes[word]));
  return sums;
}

const sentence = () => data.sentences[state.sentence];
const sideOf = (role) => kinds[state.kind][role];
const wordsOf = (role) => sentence()[sideOf(role) + "_words"];
const count = (words) => words.length === 0 ? 0 : words[words.length - 1] + 1;

function joinedTexts(side) {
  const words = sentence()[side + "_words"], texts = new Array(count(words)).fill("");
  sentence()[side].forEach((piece, i) => texts[words[i]] += piece.replaceAll("\u2581", ""));
  return texts.map((text) => text || "\u2581");
}
const labelsOfSide = (side) => state.words ? joinedTexts(side) : sentence()[side];
const labels = (role) => labelsOfSide(sideOf(role));
const chosenHeads = () => [...state.heads].sort((a, b) => a - b);

// --- Drawing ---------------------------------------------------------------------------------------------

function svgElement(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// A piece, whose mark for a blank is there, but faint.
function labelElement(attributes, text) {
  const made = svgElement("text", attributes);
  for (const part of text.split(/(\u2581)/)) made.append(svgElement("tspan", part === "\u2581" ? {class: "blank"} : {}, part));
  return made;
}

// Eight hues that are easy to tell apart, then ever finer steps around the circle.
const hues = [212, 24, 140, 340, 275, 48, 184, 0];
const colourOf = (head) => `hsl(${hues[head] ?? (head * 137.5) % 360} 70% var(--head-lightness))`;
const painted = (colour) => {  // what a canvas understands
  const probe = document.body.appendChild(document.createElement("span"));
  probe.style.color = colour;
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
};

const rowHeight = 23, sideWidth = 230, gapWidth = 330;
const middle = (i) => 26 + i * rowHeight + rowHeight / 2;

function drawLines(view) {
  const queries = labels("queries"), keys = labels("keys");
  const height = middle(Math.max(queries.length, keys.length)) + 4;
  const svg = svgElement("svg", {width: 2 * sideWidth + gapWidth, height, class: "lines-view"});
  svg.append(svgElement("text", {x: sideWidth - 8, y: 14, "text-anchor": "end", class: "side"}, sideNames[sideOf("queries")]),
             svgElement("text", {x: sideWidth + gapWidth + 8, y: 14, class: "side"}, sideNames[sideOf("keys")]),
             svgElement("g", {class: "lines"}), svgElement("g", {class: "bars"}));
  for (const [role, texts] of [["queries", queries], ["keys", keys]]) {
    const left = role === "queries";
    texts.forEach((text, i) => {
      const word = svgElement("g", {class: "word", tabindex: i === 0 && left ? 0 : -1, role: "button", "data-role": role, "data-i": i});
      word.append(svgElement("rect", {x: left ? 0 : sideWidth + gapWidth, y: middle(i) - rowHeight / 2 + 1, width: sideWidth,
                                      height: rowHeight - 2, rx: 4}),
                  labelElement({x: left ? sideWidth - 8 : sideWidth + gapWidth + 8, y: middle(i) + 5,
                                "text-anchor": left ? "end" : "start"}, shortened(text, 26)),
                  svgElement("title", {}, text));
      svg.append(word);
    });
  }
  const point = (event) => {
    const word = event.target.closest(".word");
    if (word) choose({role: word.dataset.role, i: Number(word.dataset.i)});
  };
  svg.addEventListener("pointerover", point);
  svg.addEventListener("focusin", point);
  svg.addEventListener("pointerleave", () => choose(null));
  view.replaceChildren(svg);
  showChosenLines();
}

const shortened = (text, most) => [...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text;

function showChosenLines() {
  const svg = element("view").querySelector(".lines-view");
  const group = svg.querySelector(".lines"), bars = svg.querySelector(".bars");
  group.replaceChildren();
  bars.replaceChildren();
  const heads = chosenHeads();
  heads.forEach((head, place) => {
    const colour = colourOf(head), apart = (place - (heads.length - 1) / 2) * Math.min(2, 12 / heads.length);
    matrixOf(state.layer, [head]).forEach((row, query) => row.forEach((weight, key) => {
      const chosen = state.chosen;
      if (chosen ? chosen.i !== (chosen.role === "queries" ? query : key) || weight < 1 / 255 : weight < leastLine) return;
      group.append(svgElement("line", {x1: sideWidth, y1: middle(query) + apart, x2: sideWidth + gapWidth, y2: middle(key) + apart,
                                       style: `stroke:${colour};stroke-opacity:${weight.toFixed(3)}`,
                                       "data-query": query, "data-key": key}));
      if (!chosen) return;
      // A cell for each head beside the words of the other side.
      const cell = Math.min(10, 100 / heads.length), left = chosen.role === "keys";
      bars.append(svgElement("rect", {x: left ? 2 + place * cell : 2 * sideWidth + gapWidth - 2 - (heads.length - place) * cell,
                                      y: middle(left ? query : key) - 7, width: cell - 1, height: 14,
                                      style: `fill:${colour};fill-opacity:${weight.toFixed(3)}`}));
    }));
  });
  for (const word of svg.querySelectorAll(".word"))
    word.classList.toggle("chosen", state.chosen !== null && word.dataset.role === state.chosen.role &&
                                        Number(word.dataset.i) === state.chosen.i);
}

function drawMatrix(view) {
  const queries = labels("queries"), keys = labels("keys"), heads = chosenHeads();
  const most = Math.max(queries.length, keys.length), least = most > 400 ? 2 : most > 120 ? 6 : 12;
  const room = (texts) => 16 + 7.6 * Math.min(18, Math.max(1, ...texts.map((text) => [...text].length)));
  const left = room(queries), top = room(keys);
  // As large as the page has room for, above the scale.
  const space = [(view.clientWidth - left - 44) / keys.length, (0.72 * innerHeight - top - scaleHeight) / queries.length];
  const fitting = space.map((room) => Math.max(least, Math.min(64, Math.floor(room))));
  const [wide, high] = fitting.map((size, i) => Math.min(size, Math.round(2.5 * fitting[1 - i])));
  const width = keys.length * wide, height = queries.length * high;
  const box = document.createElement("div");
  box.className = "matrix";
  const fits = least > 10, sharp = fits ? 2 : 1;  // labels that do not fit are shown when they are pointed at
  const svg = svgElement("svg", {width: Math.max(left + width, scaleWidth) + 10, height: top + height + scaleHeight,
                                 class: fits ? "" : "crowded", style: `font-size:${fits ? Math.min(14, wide + 1, high + 1) : 13}px`});
  queries.forEach((text, i) => svg.append(labelElement({x: left - 6, y: top + i * high + high / 2 + 4, "text-anchor": "end",
                                                        "data-row": i}, shortened(text, 18))));
  keys.forEach((text, i) => {
    const x = left + i * wide + wide / 2 + 4, y = top - 6;
    svg.append(labelElement({x, y, transform: `rotate(-90 ${x} ${y})`, "data-column": i}, shortened(text, 18)));
  });
  const canvas = document.createElement("canvas");
  Object.assign(canvas, {width: width * sharp, height: height * sharp, tabIndex: 0, ariaLabel: "weights, a row for each query"});
  Object.assign(canvas.style, {left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`});
  const rows = heads.length === 0 ? [] : matrixOf(state.layer, heads);
  const colour = heads.length === 1 ? colourOf(heads[0]) : "var(--accent)";
  paint(canvas, rows, colour, sharp * wide, sharp * high);
  svg.append(scaleOf(colour, top + height + 14));
  box.append(svg, canvas);
  canvas.addEventListener("pointermove", (event) => {
    const within = (offset, size, cell) => Math.min(size - 1, Math.max(0, Math.floor(offset / cell)));
    choose({role: "queries", i: within(event.offsetY, queries.length, high), key: within(event.offsetX, keys.length, wide)});
  });
  canvas.addEventListener("focus", () => state.chosen ?? choose({role: "queries", i: 0, key: 0}));
  canvas.addEventListener("pointerleave", () => choose(null));
  view.replaceChildren(box);
  showChosenCell();
}

// What the shades of a matrix mean.
const scaleWidth = 330, scaleHeight = 52;
function scaleOf(colour, y) {
  const group = svgElement("g", {class: "scale"}), size = 24;
  group.append(svgElement("text", {x: 4, y: y + 11}, "weight"));
  for (let i = 0; i <= 10; ++i) {
    const x = 56 + i * size;
    group.append(svgElement("rect", {x, y, width: size, height: 14, style: `fill:${colour};fill-opacity:${shade(i / 10)}`}));
    if (i % 2 === 0) group.append(svgElement("text", {x: x + size / 2, y: y + 28, "text-anchor": "middle"}, String(i / 10)));
  }
  return group;
}

function showChosenCell() {
  const svg = element("view").querySelector(".matrix svg");
  svg.querySelectorAll(".chosen").forEach((text) => text.classList.remove("chosen"));
  if (!state.chosen) return;
  svg.querySelector(`[data-row="${state.chosen.i}"]`)?.classList.add("chosen");
  svg.querySelector(`[data-column="${state.chosen.key}"]`)?.classList.add("chosen");
}

// The shade of a weight grows with its square root.
const shade = (weight) => Math.sqrt(Math.min(1, weight));

function paint(canvas, rows, colour, wide, high) {
  const context = canvas.getContext("2d");
  context.fillStyle = painted(colour);
  rows.forEach((row, query) => row.forEach((weight, key) => {
    if (weight === 0) return;
    context.globalAlpha = shade(weight);
    context.fillRect(key * wide, query * high, wide, high);
  }));
}

function drawModel(view) {
  const grid = document.createElement("div");
  grid.className = "model";
  grid.style.gridTemplateColumns = `auto repeat(${weights.heads}, max-content)`;
  const label = (text) => Object.assign(document.createElement("span"), {textContent: text});
  grid.append(label(""));
  for (let head = 0; head < weights.heads; ++head) grid.append(label(`head ${head + 1}`));
  for (let layer = 0; layer < weights.layers; ++layer) {
    grid.append(label(`layer ${layer + 1}`));
    for (let head = 0; head < weights.heads; ++head) {
      const button = document.createElement("button"), canvas = document.createElement("canvas");
      const rows = matrixOf(layer, [head]), columns = rows[0]?.length ?? 0, side = Math.max(rows.length, columns);
      const cell = Math.max(1, Math.floor(152 / side));
      Object.assign(canvas, {width: columns * cell, height: rows.length * cell});
      Object.assign(canvas.style, {width: `${76 * columns / side}px`, height: `${76 * rows.length / side}px`});
      paint(canvas, rows, colourOf(head), cell, cell);
      button.type = "button";
      button.title = button.ariaLabel = `layer ${layer + 1}, head ${head + 1}`;
      button.classList.toggle("chosen", layer === state.layer && state.heads.has(head));
      button.append(canvas);
      button.addEventListener("click", () => change({layer, heads: new Set([head]), view: "matrix"}));
      grid.append(button);
    }
  }
  view.replaceChildren(grid);
}

// --- What is pointed at ----------------------------------------------------------------------------------

function choose(chosen) {
  state.chosen = chosen;
  if (state.view === "lines") showChosenLines();
  if (state.view === "matrix") showChosenCell();
  element("readout").textContent = chosen === null || state.heads.size === 0 ? "\u00a0" : describe(chosen);
}

function describe({role, i, key}) {
  const rows = matrixOf(state.layer, chosenHeads()), mean = state.heads.size > 1 ? ", mean of the heads" : "";
  const queries = labels("queries"), keys = labels("keys");
  if (key !== undefined) return `“${queries[i]}” → “${keys[key]}”: ${rows[i][key].toFixed(3)}${mean}${readBefore(i)}`;
  const others = role === "queries" ? keys : queries;
  const listed = others.map((text, other) => [role === "queries" ? rows[i][other] : rows[other][i], text]);
  listed.sort((a, b) => b[0] - a[0]);
  const best = listed.slice(0, 6).filter(([weight]) => weight >= 0.005).map(([weight, text]) => `${text} ${weight.toFixed(2)}`);
  return role === "queries" ? `“${queries[i]}” looks at: ${best.join(", ")}${mean}${readBefore(i)}`
                            : `“${keys[i]}” is looked at by: ${best.join(", ")}${mean}`;
}

// In cross-attention a query is named after what it writes; what it has read is the token before.
function readBefore(i) {
  if (state.kind !== "cross") return "";
  const piece = state.words ? sentence().target_words.indexOf(i) : i;
  return ` (read last: “${sentence().read[piece].replaceAll("\u2581", "")}”)`;
}

// --- Choices ---------------------------------------------------------------------------------------------

function makeButtons(group, names, chosen, take) {
  element(group).replaceChildren(...names.map((name) => {
    const button = Object.assign(document.createElement("button"), {type: "button", textContent: name});
    button.setAttribute("aria-pressed", String(name === chosen));
    button.addEventListener("click", () => take(name));
    return button;
  }));
}

function makeHeadButtons() {
  const all = Object.assign(document.createElement("button"), {type: "button", textContent: "all", title: "all heads, or none (a)"});
  all.addEventListener("click", toggleAllHeads);
  const buttons = Array.from({length: weights.heads}, (_, head) => {
    const button = Object.assign(document.createElement("button"), {type: "button", className: "head", textContent: head + 1,
                                                                    title: `head ${head + 1}; twice: alone`});
    button.style.setProperty("--head", colourOf(head));
    button.setAttribute("aria-pressed", String(state.heads.has(head)));
    button.addEventListener("click", () => toggleHead(head));
    button.addEventListener("dblclick", () => change({heads: new Set([head])}));
    return button;
  });
  element("heads").replaceChildren(all, ...buttons);
}

function toggleHead(head) {
  const heads = new Set(state.heads);
  if (!heads.delete(head)) heads.add(head);
  change({heads});
}

function toggleAllHeads() {
  change({heads: new Set(state.heads.size === weights.heads ? [] : Array(weights.heads).keys())});
}

function fillSelect(select, texts, chosen) {
  select.replaceChildren(...texts.map((text, i) => new Option(text, i, false, i === chosen)));
}

async function change(changes) {
  const kept = document.activeElement?.closest("#controls [role=group]")?.id;
  const place = kept && [...element(kept).children].indexOf(document.activeElement);
  Object.assign(state, changes, {chosen: null});
  const own = ++turn, found = await weightsOf(sentence(), state.kind);
  if (own !== turn) return;
  const fewer = weights === null || weights.heads !== found.heads;
  weights = found;
  if (fewer) state.heads = new Set(Array(weights.heads).keys());
  state.layer = Math.min(state.layer, weights.layers - 1);

  element("sentence").value = state.sentence;
  fillSelect(element("layer"), Array.from({length: weights.layers}, (_, i) => i + 1), state.layer);
  makeButtons("kinds", Object.keys(kinds).filter(isThere), state.kind, (kind) => change({kind}));
  makeButtons("views", Object.keys(views), state.view, (view) => change({view}));
  makeHeadButtons();
  element("words").checked = state.words;
  const heads = chosenHeads().map((head) => head + 1).join(", ") || "none";
  element("caption").textContent = kinds[state.kind].caption +
      (state.view === "model" ? ", every layer and head. A click opens one." : `, layer ${state.layer + 1}, heads ${heads}.`);
  views[state.view](element("view"));
  element("readout").textContent = "\u00a0";
  if (kept) element(kept).children[place]?.focus();
}

// --- Keys ------------------------------------------------------------------------------------------------

const step = (value, by, size) => Math.min(size - 1, Math.max(0, value + by));
const changeKind = (kind) => isThere(kind) && change({kind});
function nextView() {
  const names = Object.keys(views);
  change({view: names[(names.indexOf(state.view) + 1) % names.length]});
}
const keys = {
  ",": () => change({sentence: step(state.sentence, -1, data.sentences.length)}),
  ".": () => change({sentence: step(state.sentence, 1, data.sentences.length)}),
  "[": () => change({layer: step(state.layer, -1, weights.layers)}),
  "]": () => change({layer: step(state.layer, 1, weights.layers)}),
  e: () => changeKind("encoder"), m: () => changeKind("masked"), c: () => changeKind("cross"),
  v: nextView, a: toggleAllHeads, w: () => change({words: !state.words}), t: () => setTheme(theme() === "dark" ? "light" : "dark"),
  Escape: () => choose(null),
  ArrowUp: () => move(-1), ArrowDown: () => move(1), ArrowLeft: () => moveAside(-1), ArrowRight: () => moveAside(1),
};

function move(by) {
  const chosen = state.chosen ?? {role: "queries", i: by > 0 ? -1 : labels("queries").length};
  point({...chosen, i: step(chosen.i, by, labels(chosen.role).length)});
}

function moveAside(by) {
  if (!state.chosen) return move(1);
  if (state.view === "matrix") return point({...state.chosen, key: step(state.chosen.key ?? 0, by, labels("keys").length)});
  const role = by < 0 ? "queries" : "keys";
  point({role, i: step(state.chosen.i, 0, labels(role).length)});
}

function point(chosen) {
  if (state.view === "model") return;
  if (state.view === "matrix") return choose({key: 0, ...chosen});
  element("view").querySelector(`.word[data-role="${chosen.role}"][data-i="${chosen.i}"]`).focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  if (event.key >= "1" && event.key <= "9") {
    if (event.key <= weights.heads) toggleHead(Number(event.key) - 1);
  } else if (Object.hasOwn(keys, event.key)) {
    keys[event.key]();
  } else {
    return;
  }
  event.preventDefault();
});

// --- Dark and light --------------------------------------------------------------------------------------

const theme = () => document.documentElement.dataset.theme;
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  element("theme").textContent = name === "dark" ? "light" : "dark";
  if (weights) change({});
}
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
prefersDark.addEventListener("change", () => setTheme(prefersDark.matches ? "dark" : "light"));

// --- The beginning ---------------------------------------------------------------------------------------

function start() {
  setTheme(prefersDark.matches ? "dark" : "light");
  element("theme").addEventListener("click", keys.t);
  element("model").textContent = data.model;
  if (data.sentences.length === 0) {
    element("view").textContent = "There is no sentence.";
    return;
  }
  if (data.left_out > 0)
    element("left-out").textContent = `${data.left_out} further sentences are left out: a page has ${data.sentences.length}.`;
  fillSelect(element("sentence"), data.sentences.map((one, i) => `${i + 1}: ` + shortened(
      (ofText(one) ? one.target : one.source).slice(0, -1).join("").replaceAll("\u2581", " ").trim(), 60)), 0);
  element("sentence").addEventListener("change", (event) => change({sentence: Number(event.target.value)}));
  element("layer").addEventListener("change", (event) => change({layer: Number(event.target.value)}));
  element("words").addEventListener("change", (event) => change({words: event.target.checked}));
  addEventListener("resize", () => state.view === "matrix" && weights && change({}));
  const kind = ofText(data.sentences[0]) ? "masked" : "cross";
  change({kind, layer: data.sentences[0][kind].layers - 1}).catch((error) => {
    element("view").textContent = `The weights cannot be unpacked; a browser of 2023 or later can (${error.message}).`;
  });
}
start();
