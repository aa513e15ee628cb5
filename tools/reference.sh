#!/usr/bin/env bash
# The reference pages of keys and of programs, made from what the programs print.
#
#   tools/reference.sh --check FOLDER    fails if a page differs from what the programs in FOLDER print
#   tools/reference.sh --write FOLDER    writes the pages
#
# docs/reference/keys.md comes from `transformer-inspect --help-config`, docs/reference/programs.md from each --help.
set -euo pipefail
mode=${1:-} folder=${2:-}
[[ $# -eq 2 && ($mode = --check || $mode = --write) ]] || {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
}
pages=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/docs/reference
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# Where keys are explained: a pattern of keys, and a page. The first that fits counts.
guides='
^data\.bpe_dropout                        training.md#bpe-dropout
^data\.(examples|document|block)          data.md#documents-for-a-language-model
^data\.links                              looking-inside.md#teaching-a-head
^data\.tree_tags                          parsing.md#data
^decode\.whole_trees                      parsing.md#trees-that-come-out
^data\.masks                             encoders.md#masked-tokens
^data\.(columns|pairs)                    data.md#a-table
^data\.max_|^data\.longer                 data.md#filters
^data\.(vocab|shared|token|min_|norm|byte) data.md#vocabulary
^data\.                                   data.md
^model\.(positions|relative_d|rotary|max_p)   model.md#positions
^model\.kind                              recurrent.md
^model\.(head$|pooling|embedding_|output_tr|segm) encoders.md
^model\.variants                          variants.md
^model\.(norm|residual|parallel)          model.md#norms-and-residuals
^model\.(attention_d|activation_d|dropout) model.md#dropout
^model\.(attention|qk_norm)               model.md#attention
^model\.feed_forward                      model.md#feed-forward-layers
^model\.(tie|scale_emb|source_e)          model.md#embeddings
^model\.                                  model.md#sizes
^train\.guided_                           looking-inside.md#teaching-a-head
^train\.(schedule|warmup|factor|floor)    learning-rate.md
^train\.variants                          variants.md#parts-of-a-training
^train\.(eval|save|log)_every|^train\.(keep|best|metric|bleu|max_sk) training.md#checkpoints-and-evaluations
^train\.(samples|tensorb)                 watching.md
^train\.(source_|target_|sentences|bucket|micro) training.md#the-size-of-an-update
^train\.(mask_|class_)                    encoders.md
^train\.(steps|epochs|patience)           training.md#how-long
^train\.(r_drop|label)                    training.md#regularisation
^train\.muon                              training.md#muon
^train\.(from|new_pieces)                 from-weights.md#what-is-taken
^train\.adapter                           from-weights.md#adapters-of-low-rank
^train\.                                  training.md#optimisers
^distributed\.                            ../start/cluster.md#how-gradients-travel
^decode\.                                 translating.md#beam-α-and-candidates'

keys() {
  cat <<'TEXT'
# All keys of a configuration

Made from `transformer-inspect --help-config` by `./dev reference --write`. Every key has a default, so a file names
only what it changes. The defaults are the paper's. `--set KEY=VALUE` sets a key for one call of a program.

A key in the table links to the page that explains it. Paths are relative to the file in which they stand. `extends`
names a file whose keys hold where this one is silent.
TEXT
  "$folder/transformer-inspect" --help-config | guides=$guides awk '
    function cell(text) { gsub(/[|*]/, "\\\\&", text); return text }
    function page(key,   i) {
      for (i = 1; i <= count; ++i) if (key ~ pattern[i]) return "[`" key "`](" where[i] ")"
      return "`" key "`"
    }
    BEGIN {
      lines = split(ENVIRON["guides"], line, "\n")
      for (i = 1; i <= lines; ++i) if (split(line[i], word, " ") == 2) { pattern[++count] = word[1]; where[count] = (word[2] ~ /^\.\./ ? "" : "../guides/") word[2] }
    }
    /^[a-z_0-9.]+ +/ {
      key = $1
      section = key ~ /\./ ? substr(key, 1, index(key, ".") - 1) : ""
      if (section != last || NR == 1) {
        printf "\n## %s\n\n| key | default | values | meaning |\n| --- | --- | --- | --- |\n", section == "" ? "Of the file" : "`" section "`"
        last = section
      }
      text = substr($0, length(key) + 1)
      sub(/^ +/, "", text)
      at = match(text, / \(default: [^)]*\)$/)
      standard = substr(text, at + 11, RLENGTH - 12)
      text = substr(text, 1, at - 1)
      next
    }
    /^[a-z.]+: / { # a kind of model with options of its own
      split($0, part, /   +/)
      title = sprintf("\n## Options of `%s`\n\n%s.\n\n| option and default | values | meaning |\n| --- | --- | --- |\n", part[1], toupper(substr(part[2], 1, 1)) substr(part[2], 2))
      inside = 1
      next
    }
    inside {
      printf "%s", title  # of a kind that has options
      title = ""
      sub(/^ +/, "")
      split($0, part, /  +/)
      at = match(part[2], / \([^()]*\)$/)
      printf "| `%s` | %s | %s |\n", part[1], cell(substr(part[2], at + 2, RLENGTH - 3)), cell(substr(part[2], 1, at - 1))
      next
    }
    {
      sub(/^ +/, "")
      printf "| %s | `%s` | %s | %s |\n", page(key), standard, cell($0), cell(text)
    }'
}

# options HELP [COMMON]  the options of a program as rows. COMMON has rows that are said elsewhere.
options() {
  awk -v common="${2:-/dev/null}" '
    function cell(text) { gsub(/[|*]/, "\\\\&", text); return text }
    function row(names, text,   i, n, word, shown, more, kind) {
      n = split(names, word, " ")
      for (i = 1; i <= n; ++i) {
        if (word[i] == "REQUIRED") kind = " (required)"
        else if (word[i] == "Needs:" || word[i] == "Excludes:") more = more (word[i] == "Needs:" ? " needs" : " not with")
        else if (more != "") more = more " `" word[i] "`"
        else shown = shown (shown == "" ? "" : " ") word[i]
      }
      gsub(/ not with/, "; not with", more)
      gsub(/` `/, "`, `", more)
      sub(/^[ ;]+/, "", more)
      if (more != "") more = " (" more ")"
      shown = "| `" cell(shown) "`" kind " | " cell(text) more " |"
      if (!(shown in known)) print shown
    }
    function flush() { if (names != "") row(names, text); names = text = "" }
    BEGIN { while ((getline line < common) > 0) known[line] = 1 }
    { lines[NR] = $0 }
    END {
      for (i = 1; i <= NR; ++i) {
        $0 = lines[i]
        if (!match($0, /^ +-/) && $0 !~ /^  LIST /) continue
        indent = match($0, /[^ ]/) - 1
        if (indent > 8) continue
        names = substr($0, indent + 1)
        text = ""
        if (match(lines[i + 1], /[^ ]/) > 30) text = lines[i + 1]
        else { names = substr($0, indent + 1, 32); text = substr($0, indent + 33) }
        sub(/^ +/, "", text)
        if (names ~ /^-h,--help/) { names = ""; continue }
        flush()
      }
    }' "$1"
}

programs() {
  local name common=$made/common help=$made/help
  cat <<'TEXT'
# All options of all programs

Made from each program's `--help` by `./dev reference --write`. Results go to standard output, messages to standard
error. Exit status: 0 done, 1 failed, 2 bad input or usage, 130 interrupted. Where an option names a text, `-` is
standard input or output.

## Options of every program

| option | what it does |
| --- | --- |
| `-h,--help` | Print the options and exit |
TEXT
  "$folder/transformer-prepare" --help | sed -n '/^Common options/,$p' >"$help"
  options "$help" | tee "$common"
  for name in prepare train average sweep translate generate fill label score evaluate experiments export import inspect bench; do
    "$folder/transformer-$name" --help >"$help"
    printf '\n## transformer-%s\n\n%s\n\n| option | what it does |\n| --- | --- |\n' $name "$(sed -n '1s/\([^.]\)$/\1./p;1{/\.$/p}' "$help" | head -n 1)"
    options "$help" "$common"
  done
  for name in $(sed -n '/^Subcommands/,$s/^  \([a-z]\+\) .*/\1/p' "$help"); do
    "$folder/transformer-bench" "$name" --help >"$help"
    printf '\n### transformer-bench %s\n\n%s\n' "$name" "$(head -n 1 "$help" | sed 's/\([^.]\)$/\1./')"
    options "$help" >"$made/rows"
    [ ! -s "$made/rows" ] || { printf '\n| option | what it does |\n| --- | --- |\n' && cat "$made/rows"; }
  done
}

# take NAME  compares or writes.
failed=0
take() {
  if [ "$mode" = --write ]; then
    cmp -s "$made/$1" "$pages/$1" || { cp "$made/$1" "$pages/$1" && echo "docs/reference/$1: written"; }
  elif ! diff -u --label "docs/reference/$1" --label "as the programs say" "$pages/$1" "$made/$1" >&2; then
    echo "reference.sh: docs/reference/$1 is not what the programs print; ./dev reference --write mends it" >&2
    failed=1
  fi
}

keys >"$made/keys.md"
take keys.md
programs >"$made/programs.md"
# Other versions of CLI11 than Debian 12's lay --help out otherwise.
if [ "$mode" = --write ] || "$folder/transformer-prepare" --help | grep -q 'TEXT=auto'; then
  take programs.md
fi
exit $failed
