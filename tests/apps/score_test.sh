#!/usr/bin/env bash
# The scores of given translations, against what the other programs say.
source "$(dirname "$0")/common.sh"
make_experiment
transformer-train --quiet --threads 1 --config experiment.yaml --run run --set train.steps=300 \
  --set train.warmup=60 --set train.eval_every=300 --set train.save_every=300
score="transformer-score --quiet --threads 1 --model run"
check "--help" transformer-score --help >/dev/null

# A model's perplexity is that of the data set's tokens, ends included.
transformer-evaluate --model run --data dev --json >loss
$score --source data/dev.en --target data/dev.de >scores || fail "scoring"
awk -F '\t' -v perplexity="$(grep -A1 '"perplexity"' loss | grep -o '[0-9.]*,$' | tr -d ,)" \
  -v tokens="$(grep -o 'tokens:[0-9]*' loss | head -n 1 | tr -dc 0-9)" '
  { sum += $1; count += $2 }
  END { p = exp(-sum / count); exit !(NR == 40 && count == tokens && (p / perplexity - 1) ^ 2 < 1e-10) }' scores ||
  fail "perplexity: $(cat loss)"
transformer-score --threads 1 --model run --source data/dev.en --target data/dev.de 2>&1 >/dev/null |
  says "40 pairs, [0-9]* target tokens, perplexity $(grep -A1 '"perplexity"' loss | grep -o '[0-9]*\.[0-9]\{3\}')" ||
  fail "perplexity is said at the end"

# Each token, whose sum is the line's.
$score --source data/dev.en --target data/dev.de --tokens >tokens
cut -f 1,2 tokens | cmp - scores || fail "--tokens changes scores"
awk -F '\t' '{ sum = 0
    for (i = 3; i <= NF; ++i) { n = split($i, parts, " "); if (n != 2) exit 1; sum += parts[2] }
    if (NF != $2 + 2 || parts[1] != "</s>" || (sum - $1) ^ 2 > 1e-8) exit 1 }' tokens || fail "tokens: $(head -n 2 tokens)"
$score --source data/dev.en --target data/dev.de --tokens --normalize --json >json
sed -E 's/^\{"log_probability":([-0-9.]+),"tokens":([0-9]+),"score":([-0-9.]+),"token_log.*\[\["(.*)",-.*/\1 \2 \3/' json |
  paste - scores | awk '
    { score = $1 / ((5 + $2) / 6) ^ 0.6
      if (NF != 5 || ($1 - $4) ^ 2 > 1e-10 || $2 != $5 || (score - $3) ^ 2 > 1e-10) exit 1 }' ||
  fail "JSON: $(head -n 2 json)"

# Batches and standard input change nothing.
head -n 3 data/dev.de >three.de
head -n 3 data/dev.en | $score --source - --target three.de --batch-tokens 1 >alone
head -n 3 data/dev.en | gzip | $score --source - --target three.de --batch-tokens 1 | cmp - alone || fail "a compressed source"
paste alone <(head -n 3 scores) | awk '{ if (($1 - $3) ^ 2 > 1e-8 || $2 != $4) exit 1 }' || fail "batches change scores"

# Scores of beam search for its own outputs, if their text is split into the same pieces again.
for options in "" "--alpha 1 --length-penalty length"; do
  transformer-translate --quiet --threads 1 --model run --nbest 2 $options <data/dev.en >nbest
  sed 's/ |||.*//' nbest | while read -r line; do sed -n $((line + 1))p data/dev.en; done >source
  sed 's/^[0-9]* ||| //; s/ ||| [^|]*$//' nbest >target
  $score --source source --target target --normalize $options | cut -f 1 >own
  sed 's/.* //' nbest | paste - own | awk '($1 - $2) ^ 2 < 1e-6 { ++equal } END { exit !(NR == 80 && equal > 70) }' ||
    fail "scores of own outputs: $(sed 's/.* //' nbest | paste - own | head -n 5)"
done

# A key of the configuration asks for several, too, as the option does.
for count in 1 2; do
  head -n 3 data/dev.en | transformer-translate --quiet --threads 1 --model run --set decode.nbest=$count >$count.key
done
[[ $(wc -l <1.key) == 3 && $(grep -c ' ||| ' 2.key) == 6 ]] || fail "decode.nbest: $(cat 1.key 2.key)"

# What would change nothing is refused.
for options in "--alpha 1" "--length-penalty length"; do
  status=0
  $score --source data/dev.en --target data/dev.de $options >printed 2>errors || status=$?
  [ $status = 2 ] && [ ! -s printed ] && says "error: --alpha, --length-penalty: expected --normalize" <errors ||
    fail "$options without --normalize: status $status, $(cat errors)"
done

# Nothing is a sentence, too: its end has a probability.
printf '\n' >empty && $score --source empty --target empty | says '^-[0-9.]*	1$' || fail "an empty pair"
finish
