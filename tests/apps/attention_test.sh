#!/usr/bin/env bash
# What the heads look at: of translations and of given pairs, as JSON, as a page and as figures of each head.
source "$(dirname "$0")/common.sh"
make_experiment
transformer-train --quiet --threads 1 --config experiment.yaml --run run --set train.steps=200 \
  --set train.warmup=60 --set train.eval_every=200 --set train.save_every=200
translate="transformer-translate --quiet --threads 1 --model run"
score="transformer-score --quiet --threads 1 --model run"
head -n 4 data/dev.en >four.en && echo >>four.en && sed -n 5p data/dev.en >>four.en

# side NAME FILE  a line for each sentence of JSON: its pieces of that side, without blanks and special ones, joined.
side() { sed -n "s/.*\"$1\":\[\([^]]*\)\].*/\1/p" "$2" | sed 's/\\u003c\/\?s>//g; s/","//g; s/"//g; s/▁//g'; }

# rows_sum_to_1 FILE
rows_sum_to_1() {
  grep -E '^"(encoder|masked|cross)":' "$1" | grep -o '\[[0-9][0-9.,]*\]' | tr -d '[]' |
    awk -F , '{ sum = 0; for (i = 1; i <= NF; ++i) sum += $i; if ((sum - 1) ^ 2 > 1e-9) ++wrong }
      END { exit wrong > 0 || NR == 0 }'
}

# Translations are the same with --attention, and the target that is shown is the best translation, whoever found it.
$translate <four.en >plain
for options in "" "--precision int8" "--nbest 2" "--processes 2"; do
  name=$(echo "x$options" | tr -d ' -')
  $translate $options --attention $name.json <four.en >$name.out || fail "translate $options"
  [ "$(grep -c '^{"source"' $name.json)" = 6 ] || fail "$options: sentences"
  side source $name.json | cmp - <(tr -d ' ' <four.en) || fail "$options: sources"
  case $options in
    *nbest*) sed -n 's/^[0-9]* ||| \(.*\) ||| .*/\1/p' $name.out | awk 'NR == 9 || NR % 2 == (NR < 9)' >best ;;
    *) cat $name.out >best ;;
  esac
  side target $name.json | cmp - <(tr -d ' ' <best) || fail "$options: targets"
  rows_sum_to_1 $name.json || fail "$options: weights"
done
cmp plain x.out || fail "--attention changes translations"
cmp x.json xprocesses2.json || fail "several processes give other weights"

# Given the same pairs, transformer-score says the same, where the text is cut into the same pieces again.
head -n 4 four.en >source && head -n 4 plain >target
$score --source source --target target >scores
$score --source source --target target --attention scored.json --attention-summary heads.tsv | cmp - scores ||
  fail "--attention changes scores"
side target scored.json | cmp - <(tr -d ' ' <target) || fail "scored: targets"
rows_sum_to_1 scored.json || fail "scored: weights"
# Sentences in another batch may differ in the last digits.
pieces_and_weights() { grep -E '^({"source"|"cross")' "$1" | head -n 8 | paste - -; }
paste <(pieces_and_weights scored.json) <(pieces_and_weights x.json) | awk -F '\t' '
  $1 == $3 { ++same
    for (i = 2; i <= 4; i += 2) { gsub(/[^0-9.,]/, "", $i); sub(/,*$/, "", $i) }
    n = split($2, a, ","); if (split($4, b, ",") != n) ++wrong
    for (i = 1; i <= n; ++i) if ((a[i] - b[i]) ^ 2 > 1e-9) ++wrong }
  END { exit wrong > 0 || same == 0 }' || fail "score and translate differ"
grep -m 1 '^"masked":\[\[\[\[1,0' scored.json >/dev/null || fail "the first query of masked attention sees more than itself"

# Figures of each head: a layer of two heads, of three kinds.
[ "$(wc -l <heads.tsv)" = 7 ] && awk -F '\t' 'NF != 11 || NR > 1 && ($4 < 0 || $7 + $8 + $9 > 1.000003) { exit 1 }' heads.tsv ||
  fail "heads: $(cat heads.tsv)"
$score --source source --target target --attention-summary - >heads.md
[ "$(wc -l <heads.md)" = 8 ] && head -n 1 heads.md | says '^| kind | layer | head | entropy |' || fail "heads: $(cat heads.md)"

# A long source is cut where its translation is.
yes 'the red house' | head -n 400 | tr '\n' ' ' >long && echo >>long
$translate --beam 1 --length-offset 0 --attention long.json <long >/dev/null 2>&1 || fail "a long line"
[ "$(sed -n 's/.*"source_words":\[\([^]]*\)\].*/\1/p' long.json | tr ',' '\n' | wc -l)" = 1025 ] || fail "a long line is not cut"

# More sentences than a page takes: the first ones, and a word about the others.
for _ in 1 2 3 4 5 6; do cat data/dev.en; done >many.en
$translate --beam 1 --attention many.html <many.en >/dev/null 2>many.err || fail "many sentences"
grep -q -- '--attention: 40 sentences are left out: a page has 200' many.err || fail "nothing said: $(cat many.err)"
grep -q '"left_out":40}' many.html || fail "the page says nothing of what is left out"

# Attention that is not the paper's.
transformer-train --quiet --threads 1 --config experiment.yaml --run other --set model.positions=relative \
  --set model.attention_window=2 --set model.kv_heads=1 --set model.qk_norm=true --set model.attention_scale=false
transformer-translate --quiet --threads 1 --model other --beam 1 --attention other.json <source >/dev/null 2>&1 || fail "other attention"
rows_sum_to_1 other.json || fail "other attention's weights"

# What is there is replaced when asked.
$translate --attention x.json --overwrite <source >/dev/null || fail "--overwrite"
[ "$(grep -c '^{"source"' x.json)" = 4 ] || fail "--overwrite left the old file"
ls -A | grep -E '\.partial|\.tmp' && fail "temporary files are left"
finish
