#!/usr/bin/env bash
# The pages of the search and of runs in a browser: they open without an error, and react.
source "$(dirname "$0")/common.sh"
source "$source_dir/tests/apps/browser.sh"
make_experiment
transformer-train --quiet --threads 1 --config experiment.yaml --run run
transformer-train --quiet --threads 1 --config experiment.yaml --run other --seed 2 --set train.samples=0
head -n 3 data/test.en | transformer-translate --quiet --threads 1 --model run --beam 3 --length-offset 5 \
  --explain search.html >/dev/null

drive search.html 13 <<'STEPS'
const tree = document.getElementById("tree");
const key = (name) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true}));
const chosen = () => all("#tree [aria-selected=true]");
const path = () => document.getElementById("path").textContent;
await until(() => all("#tree .node").length > 1);
note("sentences", all("#sentence option").length === 3);
note("finished", all("#ranking tr").length > 1 && all("#ranking button").length === all("#ranking tr").length - 1);
note("the best is chosen", chosen().length === 1 && chosen()[0].classList.contains("returned"));
note("opens where the search began", document.getElementById("frame").scrollLeft === 0);
const columns = Map.groupBy(all("#tree .node"), (node) => node.style.left);
const tallest = Math.max(...[...columns.values()].map((nodes) => nodes.length));
note("as high as its columns need", parseFloat(tree.style.height) < 30 * (2 * tallest + 1));
note("its score", /rank 1 of/.test(document.getElementById("facts").textContent));

const kept = all("#tree .node").length;
document.getElementById("dropped").click();
note("what was dropped", all("#tree .node").length > kept && all("#tree .passed_over").length > 0);
document.getElementById("dropped").click();
note("and not", all("#tree .node").length === kept);

chosen()[0].focus();
key("Home");
note("the root", path() === "The root: nothing is written yet." && all("#next button").length > 0);
key("ArrowRight");
note("a step", path() !== "" && !path().includes(" · ") && document.activeElement.getAttribute("aria-level") === "2");
all("#ranking button").at(-1).click();
note("from the ranking", chosen()[0].classList.contains("finished") || chosen()[0].classList.contains("returned"));
const select = document.getElementById("sentence");
select.value = "2";
select.dispatchEvent(new Event("change"));
note("another sentence", chosen().length === 1 && all("#tree .node").length > 1);
const before = getComputedStyle(document.body).backgroundColor;
document.getElementById("ground").click();
note("dark and light", getComputedStyle(document.body).backgroundColor !== before);
STEPS

transformer-inspect --run run other --output runs.html
drive runs.html 5 <<'STEPS'
const figures = all("figure.curves"), svg = figures[0].querySelector("svg"), values = figures[0].querySelector(".values");
note("charts", figures.length >= 4 && values.hidden);
const frame = svg.getBoundingClientRect();
svg.dispatchEvent(new PointerEvent("pointermove", {clientX: frame.left + frame.width / 2, clientY: frame.top + 50}));
const lines = [...values.children].map((line) => line.textContent);
note("where the pointer is", /^[0-9.]+ updates$/.test(lines[0]));
note("both runs", !values.hidden && lines.some((line) => / run/.test(line)) && lines.some((line) => / other/.test(line)));
note("marks", figures[0].querySelectorAll("circle").length >= 2 && figures[0].querySelectorAll("line.pointer").length === 1);
svg.dispatchEvent(new PointerEvent("pointerleave"));
note("nothing any more", values.hidden && figures[0].querySelectorAll("line.pointer").length === 0);
STEPS
finish
