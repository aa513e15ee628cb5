# Pages in a headless browser, for tests that source this behind common.sh; where there is none they are skipped.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "SKIPPED: there is no Chromium to open pages with" >&2
  exit 4
}

# drive PAGE COUNT opens the page and runs standard input: the body of an asynchronous function after the
# page's own script. The body may use all(SELECTOR), until(CONDITION) and note(NAME, HOLDS). It must make
# COUNT notes, and all of them must hold.
drive() {
  {
    cat <<'HTML'
<output id="steps"></output>
<script>
"use strict";
(async () => {
const notes = [];
addEventListener("error", (event) => notes.push(`error: ${event.message}`));
addEventListener("unhandledrejection", (event) => notes.push(`error: ${event.reason}`));
const all = (selector) => [...document.querySelectorAll(selector)];
const until = async (condition) => { for (let i = 0; i < 200 && !condition(); ++i) await new Promise((next) => setTimeout(next, 10)); };
const note = (name, holds) => notes.push(`${name}: ${holds ? "yes" : "no"}`);
const steps = async () => {
HTML
    cat
    cat <<'HTML'
};
await steps().catch((error) => notes.push(`error: ${error}`));
document.getElementById("steps").textContent = notes.join("\n") + "\ndone";
})();
</script>
HTML
  } >steps.html
  sed '/<\/body>/{
r steps.html
d
}' "$1" >driven.html
  grep -q '<output id="steps">' driven.html || fail "$1 does not end as a page does"
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$folder/browser" \
    --enable-logging=stderr --virtual-time-budget=20000 --dump-dom "file://$folder/driven.html" >dom 2>browser.err ||
    fail "$1: the browser ended with status $?: $(tail -n 3 browser.err)"
  grep CONSOLE browser.err && fail "$1 wrote to the console"
  sed -n '/<output id="steps">/,/done/p' dom | sed 's/.*<output id="steps">//' >steps
  grep -q '^done' steps || fail "$1: the steps did not end: $(cat steps)"
  grep -v -E ': yes$|^done' steps && fail "$1: steps that failed"
  [ "$(grep -c ': yes$' steps)" = "$2" ] || fail "$1: steps: $(cat steps)"
}
