#!/usr/bin/env bash
# Drawn texts and translations are the same in any batch and on any number of threads and processes; what is searched for
# and drawn has the log-probability that transformer-score says.
source "$(dirname "$0")/common.sh"
make_experiment
head -n 50 data/test.en >fifty
{ head -n 6 fifty && echo; } >seven
for positions in interleaved every_layer; do # the engine translates, or the modules
  transformer-train --quiet --threads 1 --config experiment.yaml --run $positions --set model.positions=$positions
  translate="transformer-translate --quiet --model $positions --length-offset 3"
  input=fifty
  [ $positions = interleaved ] || input=seven
  draw="$translate --input $input --sample --samples 4 --temperature 0.9 --top-k 200 --seed 3"
  # The modules' log-probabilities differ in the last digits.
  plain() { if [ $positions = every_layer ]; then sed 's/ ||| [-0-9.]*$//'; else cat; fi; }
  $draw --threads 1 --batch-tokens 1 2>log | plain >alone || fail "$positions: $(cat log)"
  [ $(wc -l <alone) = $((4 * $(grep -c . $input) + $(grep -c '^$' $input || true))) ] || fail "$positions: $(wc -l <alone) texts"
  [ "$(cut -d ' ' -f 2- alone | sort -u | wc -l)" -gt 20 ] || fail "$positions: draws are all the same"
  for batch in "--threads 2 --batch-tokens 112" "--threads 1 --batch-tokens 512" "--threads 2 --batch-tokens 512" "--processes 2"; do
    $draw $batch 2>/dev/null | plain | cmp alone - || fail "$positions: texts depend on $batch"
  done
  $draw --seed 4 2>/dev/null | plain | cmp -s alone - && fail "$positions: another seed draws the same"
  # A line's draws do not depend on the lines before it but by its number, and one sample is the first of several.
  $translate --threads 1 --sample --temperature 0.9 --top-k 200 --seed 3 <$input 2>/dev/null |
    cmp - <(sed -n 's/^\([0-9]*\) ||| \([^|]*\)\( ||| .*\)*$/\1\t\2/p' alone | sort -snuk1,1 | cut -f2) || fail "$positions: the first sample"
  $translate --threads 1 --sample --temperature 0 <$input >greedy 2>/dev/null
  $translate --threads 1 --beam 1 <$input 2>/dev/null | cmp greedy - || fail "$positions: temperature 0 is not greedy search"

  # Beginnings: the first words of the references, some empty.
  head -n "$(wc -l <$input)" data/test.de | awk 'NR % 3 != 1 { print $1, $2; next } { print "" }' >prefixes
  for options in "--beam 4" "--beam 2 --nbest 2" "--sample" "--sample --samples 2"; do
    $translate --threads 1 $options --prefix prefixes <$input >begun 2>log || fail "$positions, $options: $(cat log)"
    case $options in
      *nbest* | *samples*) sed -i 's/^[0-9]* ||| \(.*\) ||| .*/\1/' begun && awk '{ print; print }' prefixes >wanted ;;
      *) cp prefixes wanted ;;
    esac
    [ "$options$positions" != "--beam 2 --nbest 2every_layer" ] && [ "$options$positions" != "--sample --samples 2every_layer" ] || continue
    paste wanted begun | awk -F '\t' 'index($2, $1) != 1 { exit 1 }' || fail "$positions, $options: another beginning"
  done
  $translate --threads 2 --batch-tokens 1 --sample --prefix prefixes <$input 2>/dev/null >one
  $translate --processes 2 --sample --prefix prefixes <$input 2>/dev/null | cmp one - || fail "$positions: beginnings in processes"
done
# With a beginning that the search would choose anyway nothing changes; a page of the search and of attention can be had.
transformer-translate --quiet --threads 1 --model interleaved --beam 1 <seven >free
cut -d ' ' -f 1 free >prefixes
transformer-translate --quiet --threads 1 --model interleaved --beam 1 --prefix prefixes --explain page.json <seven | cmp free - || fail "explained"
transformer-translate --quiet --threads 1 --model interleaved --sample --prefix prefixes --attention maps.json <seven >drawn || fail "attention"
[ "$(grep -c '^{"source"' maps.json)" = 7 ] || fail "attention of drawn translations"

# Language models: whole lines of characters, so that a text is tokenised in one way.
cp data/train.en train.txt && head -n 30 data/dev.en >dev.txt
cat >text.yaml <<'YAML'
data: {examples: documents, document: line, train: train.txt, dev: dev.txt, prepared: lines, tokenizer_kind: characters}
model: {kind: decoder, layers: 1, d_model: 32, d_ff: 64, heads: 2, d_k: 16, d_v: 16, positions: rotary, norm: pre}
train: {steps: 60, sentences: 16, eval_every: 60, save_every: 60, schedule: constant, warmup: 5, factor: 0.01}
YAML
transformer-prepare --quiet --config text.yaml >/dev/null 2>&1
transformer-train --quiet --threads 1 --config text.yaml --run story 2>/dev/null
transformer-train --quiet --threads 1 --config text.yaml --run modules --set model.positions=every_layer --set train.steps=20 2>/dev/null
printf 'the \nno\n\nwe \n' >prompts
for model in story modules; do
  generate="transformer-generate --quiet --model $model --max-tokens 15"
  samples=50
  [ $model = story ] || samples=3
  $generate --threads 1 --batch 1 --input prompts --samples $samples >alone 2>/dev/null
  [ "$(wc -l <alone)" = $((4 * samples)) ] || fail "$model: $(wc -l <alone) texts"
  for options in "--threads 2 --batch 1" "--threads 1 --batch 7" "--threads 2 --batch 7" "--threads 1 --batch 32" "--threads 2 --batch 32"; do
    $generate $options --input prompts --samples $samples 2>/dev/null | cmp alone - || fail "$model: texts depend on $options"
  done
  for options in "--beam 1" "--beam 4 --nbest 2" "--beam 3 --candidates beam --alpha 1 --length-penalty length"; do
    $generate --threads 1 --batch 1 $options --input prompts >alone 2>/dev/null || fail "$model: $options"
    for batch in "--threads 2 --batch 7" "--threads 1 --batch 32"; do
      $generate $batch $options --input prompts 2>/dev/null | cmp alone - || fail "$model: texts of $options depend on $batch"
    done
  done
  for page in page.json page.html; do
    $generate --threads 1 --beam 3 --nbest 2 --input prompts --explain $page --attention maps.$page --overwrite >explained 2>/dev/null || fail "$model: $page"
    $generate --threads 1 --beam 3 --nbest 2 --input prompts 2>/dev/null | cmp explained - || fail "$model: $page changes the texts"
  done
  [ "$(grep -c '"parent": -1,' page.json)" = 4 ] && [ "$(grep -c '"source": ' page.json)" = 4 ] || fail "$model: a tree for each prompt"
  [ "$(grep -c '^{"source":\[\],' maps.page.json)" = 4 ] || fail "$model: attention of each text"
  grep '^"masked":' maps.page.json | grep -o '\[[0-9][0-9.,]*\]' | tr -d '[]' |
    awk -F , '{ sum = 0; for (i = 1; i <= NF; ++i) sum += $i; if ((sum - 1) ^ 2 > 1e-9) ++wrong } END { exit wrong > 0 || NR == 0 }' || fail "$model: weights"
done

# Learned positions end a text, drawn or searched for, unless it slides.
cat >learned.yaml <<'YAML'
extends: text.yaml
data: {document: file, block: 32, prepared: blocks}
model: {positions: learned, max_positions: 32}
train: {steps: 2}
YAML
transformer-prepare --quiet --config learned.yaml >/dev/null 2>&1
transformer-train --quiet --threads 1 --config learned.yaml --run learned 2>/dev/null
generate="transformer-generate --quiet --threads 1 --model learned --max-tokens 60 --json"
# ends END COUNT OPTIONS…  how the text ends, and how many tokens it has.
ends() {
  $generate "${@:3}" >ended && grep -q "\"end\":\"$1\"" ended &&
    [ "$(sed 's/.*"ids":\[\([^]]*\)\].*/\1/' ended | tr ',' '\n' | wc -l)" = "$2" ] || fail "$*: $(cat ended)"
}
ends window 31 --temperature 0 --prompt t # what texts begin with, the prompt and 30 of these are read
ends window 31 --beam 1 --prompt t
ends window 7 --temperature 0 --prompt t --window 8
ends limit 60 --temperature 0 --prompt t --slide
ends limit 60 --temperature 0 --prompt t --slide --window 8
refuse "prompt 1: expected at most 8 tokens" $generate --beam 2 --window 8 --prompt "the house"
transformer-generate --quiet --threads 1 --model learned --max-tokens 60 --prompt t --temperature 0 --attention long.json >/dev/null || fail "attention of a full window"

# Greedy search is the draw at temperature 0, as far as the end.
generate="transformer-generate --quiet --threads 1 --model story --input prompts --max-tokens 15"
$generate --beam 1 | cmp - <($generate --temperature 0) || fail "greedy search and temperature 0"
# field NAME FILE  of each line of JSON, the sum of its numbers.
field() { sed -n "s/.*\"$1\":\[*\([^]\"]*\).*/\1/p" "$2" | awk -F , '{ sum = 0; for (i = 1; i <= NF; ++i) sum += $i; print sum }'; }
generate="transformer-generate --quiet --threads 1 --model story --json --prompt"
$generate "" --max-tokens 400 --samples 8 >drawn.json
$generate "" --max-tokens 12 --beam 3 --nbest 3 >found.json
for found in drawn found; do
  sed 's/.*"text":"\([^"]*\)".*/\1/' $found.json >texts
  # What was cut has no end, so that the end's share does not count.
  transformer-score --quiet --threads 1 --model story --target texts --tokens | paste - <(grep -o '"end":"[a-z]*"' $found.json) |
    awk -F '\t' '{ split($(NF - 1), end, " "); print $1 - ($NF ~ /limit/ ? end[2] : 0) }' >scores
  if [ $found = drawn ]; then
    paste -d + <(field log_probabilities drawn.json) <(awk '!/"end_log_probability"/ { print 0; next } { sub(/.*"end_log_probability":/, ""); print $0 + 0 }' drawn.json) |
      awk -F + '{ print $1 + $2 }' >sums
  else
    field log_probability found.json >sums
  fi
  paste scores sums | awk '($1 - $2) ^ 2 > 1e-4 { exit 1 } END { exit NR < 3 }' || fail "$found: $(paste scores sums)"
done
finish
