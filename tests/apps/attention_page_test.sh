#!/usr/bin/env bash
# The page of attention maps in a browser: it opens without an error, and its views and words react.
source "$(dirname "$0")/common.sh"
source "$source_dir/tests/apps/browser.sh"
make_experiment
transformer-train --quiet --threads 1 --config experiment.yaml --run run --set model.layers=2
head -n 3 data/dev.en >source && head -n 3 data/dev.de >target
transformer-score --quiet --threads 1 --model run --source source --target target --attention page.html >/dev/null

drive page.html 20 <<'STEPS'
const pressed = (group) => all(`#${group} [aria-pressed=true]`).map((button) => button.textContent).join(" ");
const key = (name) => document.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true}));
const click = (group, text) => all(`#${group} button`).find((button) => button.textContent === text).click();
const pointAt = (node) => node.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
const shaded = (canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0);

await until(() => all(".matrix canvas").length === 1);
note("opens", pressed("views") === "matrix" && pressed("kinds") === "cross" && document.getElementById("words").checked);
const [canvas, view] = [all(".matrix canvas")[0], document.getElementById("view")];
note("fills the page", canvas.clientWidth > 0.4 * view.clientWidth || canvas.clientHeight > 0.4 * innerHeight);
note("a scale", all(".scale rect").length === 11 && all(".scale text").map((text) => text.textContent).join(" ") === "weight 0 0.2 0.4 0.6 0.8 1");
key("w");
await until(() => !document.getElementById("words").checked);
click("kinds", "encoder");
await until(() => pressed("kinds") === "encoder");
click("views", "lines");

await until(() => all(".lines line").length > 0);
note("lines", all(".lines line").length > 0 && pressed("views") === "lines" && pressed("kinds") === "encoder");
note("heads", all("#heads .head").length === 2 && pressed("heads") === "1 2");
note("sentences", all("#sentence option").length === 3);

pointAt(all(".word[data-role=queries]")[1]);
note("a word alone", all(".lines line").length > 0 && all(".lines line").every((line) => line.dataset.query === "1"));
note("its figures", /looks at: /.test(document.getElementById("readout").textContent) && all(".bars rect").length > 0);
pointAt(all(".word[data-role=keys]")[0]);
note("a key alone", all(".lines line").every((line) => line.dataset.key === "0"));
key("Escape");
note("none", new Set(all(".lines line").map((line) => line.dataset.query)).size > 1);
key("ArrowDown");
note("by keys", document.activeElement.dataset.i === "0" && all(".lines line").every((line) => line.dataset.query === "0"));

key("2");
await until(() => pressed("heads") === "1");
note("one head", new Set(all(".lines line").map((line) => line.style.stroke)).size === 1);
click("kinds", "cross");
await until(() => pressed("kinds") === "cross");
note("cross", all(".side")[0].textContent === "target, as it is written" && all(".side")[1].textContent === "source");

const pieces = all(".word").length;
key("w");
await until(() => document.getElementById("words").checked);
await until(() => all(".word").length < pieces);
note("words", all(".word").length < pieces);

click("views", "matrix");
await until(() => all(".matrix canvas").length === 1);
note("matrix", shaded(all(".matrix canvas")[0]));
all(".matrix canvas")[0].dispatchEvent(new PointerEvent("pointermove", {bubbles: true}));
note("a cell", / → .*: [01]\.\d{3}/.test(document.getElementById("readout").textContent));

key("v");
await until(() => all(".model canvas").length > 0);
note("model", all(".model canvas").length === 4 && all(".model canvas").every(shaded));
all(".model button")[3].click();
await until(() => all(".matrix canvas").length === 1);
note("one of them", pressed("heads") === "2" && document.getElementById("layer").value === "1");

key(".");
await until(() => document.getElementById("sentence").value === "1");
note("next sentence", document.getElementById("sentence").value === "1");
const before = getComputedStyle(document.body).backgroundColor;
key("t");
note("dark and light", getComputedStyle(document.body).backgroundColor !== before);
STEPS

# A language model's page opens on its text.
head -n 300 data/train.en >train.txt && head -n 20 data/dev.en >dev.txt
cat >text.yaml <<'YAML'
data: {examples: documents, document: line, train: train.txt, dev: dev.txt, prepared: lines, tokenizer_kind: characters}
model: {kind: decoder, layers: 2, d_model: 16, d_ff: 16, heads: 2, d_k: 8, d_v: 8}
train: {steps: 2, sentences: 4}
YAML
transformer-prepare --quiet --config text.yaml >/dev/null 2>&1
transformer-train --quiet --threads 1 --config text.yaml --run story 2>/dev/null
transformer-generate --quiet --threads 1 --model story --prompt "the " --prompt we --max-tokens 9 --attention text.html >/dev/null
drive text.html 4 <<'STEPS'
const pressed = (group) => all(`#${group} [aria-pressed=true]`).map((button) => button.textContent).join(" ");
await until(() => all(".matrix canvas").length === 1);
note("opens", pressed("kinds") === "masked" && all("#kinds button").length === 1);
note("its last layer", document.getElementById("layer").value === "1");
note("texts", all("#sentence option").length === 2 && all("#sentence option")[0].textContent.startsWith("1: the"));
all("#views button").find((button) => button.textContent === "lines").click();
await until(() => all(".lines line").length > 0);
note("lines", all(".side").every((side) => side.textContent === "target, as it is read"));
STEPS
finish
