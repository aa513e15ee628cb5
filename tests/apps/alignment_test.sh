#!/usr/bin/env bash
# Links of words: their error rates, and those that cross-attention gives.
source "$(dirname "$0")/common.sh"
make_experiment
transformer-train --quiet --threads 1 --config experiment.yaml --run run --set train.steps=200 \
  --set train.warmup=60 --set train.eval_every=200 --set train.save_every=200
score="transformer-score --quiet --threads 1 --model run --source data/dev.en --target data/dev.de"
aer="transformer-evaluate --alignment-reference data/dev.alignment --alignment"

# Gold against itself: sure links alone, and possible ones among them.
sed 's/[0-9]*?[0-9]*//g' data/dev.alignment >sure
tr '?' '-' <data/dev.alignment >all
for links in sure all; do
  [ "$($aer $links | grep -c -E '^(AER\|.* = 0\.00|(precision|recall)\|.* = 100\.00)$')" = 3 ] || fail "$links: $($aer $links)"
done
gzip <sure | $aer - --json | grep -A1 '"AER"' | says '"score": 0.0,' || fail "a compressed alignment"
$aer all --confidence | says '^AER|.*|bs:1000|seed:12345|.* = 0\.00 (μ = 0\.00 ± 0\.00)' || fail "an interval"

# rows FILE  the error rates of each row of a table of heads: name, AER, AER shifted.
rows() { sed -n 's/^| \([0-9:]*\) | \([0-9.]*\) | [^|]* | [^|]* | \([0-9.]*\) .*/\1 \2 \3/p' "$1"; }

# The table says of each choice of heads what transformer-evaluate says of the links that they give.
for mask in "" --alignment-mask-end; do
  $score --alignment-reference data/dev.alignment $mask >table || fail "a table"
  [ "$(rows table | wc -l)" = 3 ] || fail "heads: $(cat table)"
  rows table | while read -r heads plain shifted; do
    for shift in "" --alignment-shift; do
      rm -f links && $score --alignment links --alignment-heads $heads $shift $mask >scores || fail "links of $heads"
      [ "$(wc -l <links)" = 40 ] && [ "$(wc -l <scores)" = 40 ] || fail "lines of $heads"
      wanted=$([ -z "$shift" ] && echo $plain || echo $shifted)
      $aer links | grep -q "^AER|.* = $wanted\$" || echo "$heads $shift $mask: $wanted, but $($aer links)"
    done
  done >differs
  [ ! -s differs ] || fail "$(cat differs)"
  # The best is the least, and its options are taken as they are.
  least=$(rows table | tr ' ' '\n' | grep -F . | sort -g | head -n 1)
  options=$(sed -n 's/^best: //p' table)
  $score $options --alignment - | $aer - | grep -q "^AER|.* = $least\$" || fail "best: $options"
  [ -z "$mask" ] || echo "$options" | says "$mask" || fail "$options"
done

# Masked, every target word has one link, within the sentence; else some may have none.
$score --alignment - --alignment-heads 1:2 --alignment-mask-end >masked
$score --alignment - --alignment-heads 1:2 >plain
paste masked data/dev.en data/dev.de | awk -F '\t' '
  { n = split($1, links, " "); if (n != split($3, words, " ")) exit 1
    for (i = 1; i <= n; ++i) { split(links[i], pair, "-"); seen[NR "," pair[2]]++; if (pair[1] >= split($2, words, " ")) exit 1 } }
  END { for (word in seen) if (seen[word] != 1) exit 1 }' || fail "masked: $(head -n 3 masked)"
[ "$(wc -w <plain)" -le "$(wc -w <masked)" ] || fail "more links without the mask"

# The best translation's links, whoever found it.
head -n 5 data/dev.en >five.en && echo >>five.en
for options in "" "--precision int8" "--processes 2"; do
  transformer-translate --quiet --threads 1 --model run $options --alignment five.links --overwrite --alignment-heads 1 \
    --alignment-mask-end <five.en >five.de || fail "translate $options"
  paste five.links five.de | awk -F '\t' '{ if (split($1, links, " ") != split($2, words, " ")) exit 1 } END { exit NR != 6 }' ||
    fail "$options: $(paste five.links five.de)"
done
head -n 5 five.en >source && head -n 5 five.de >target
transformer-score --quiet --threads 1 --model run --source source --target target --alignment - --alignment-heads 1 --alignment-mask-end |
  cmp - <(head -n 5 five.links) || fail "score and translate differ"

# What pronouns look at. With one reference of a known distance the shares are whole numbers.
awk 'NR == 1 { print "3-1"; next } { print "" }' data/dev.en >one
$score --source-antecedents one --target-antecedents one >heads || fail "antecedents"
[ "$(grep -c '^| 2 before | 100.0 % |' heads)" = 2 ] && [ "$(grep -c '^best: .*, [01] of 1 pronouns$' heads)" = 2 ] || fail "heads: $(cat heads)"
[ "$(grep -cE '^\| 1(:[12])? \| (0|100)\.0 % \|$' heads)" = 3 ] && [ "$(grep -cE '^\| 1(:[12])? \| (0|100)\.0 % \| (0|100)\.0 % \|$' heads)" = 3 ] ||
  fail "heads: $(cat heads)"
$score --source-antecedents data/dev.relatives.en >heads || fail "relative pronouns"
tail -n 1 heads | says "^best: .* of [1-9][0-9]* pronouns$" || fail "relative pronouns: $(cat heads)"

# A head that learns links in training has a lower error rate than any head that does not. Possible links count like others.
transformer-demo-corpus --output more --train 1 --dev 1500 --test 1 --seed 2 >/dev/null
mv more/dev.en more/train.en && mv more/dev.de more/train.de && tr '?' '-' <more/dev.alignment >more/train.links
linked="--set data.train=more/train --set data.links=links --set data.prepared=linked"
transformer-prepare --quiet --config experiment.yaml $linked >prepare.log 2>&1 || fail "prepare: $(cat prepare.log)"
cmp linked/train.links more/train.links || fail "links of kept pairs"
guided="transformer-train --quiet --threads 1 --config experiment.yaml $linked --set train.steps=200 --set train.warmup=60
  --set train.eval_every=200 --set train.save_every=100 --set train.guided_alignment=0.5"
$guided --run guided || fail "a guided training"
transformer-score --quiet --threads 1 --model guided --source data/dev.en --target data/dev.de \
  --alignment-reference data/dev.alignment >table || fail "a table"
rows table | awk -v least=$least '$1 == "1:1" && $2 < least - 10 { found = 1 } END { exit !found }' ||
  fail "the guided head: $(cat table), others had $least"
$guided --run parts --set train.steps=100 && $guided --run parts --resume --set train.steps=200 2>resumed || fail "resume: $(cat resumed)"
same guided parts
for processes in 1 2; do
  $guided --run wide$processes --processes $processes --set train.steps=10 --set train.log_every=1 || fail "$processes processes"
done
same_course wide1 wide2 1e-5

ls -A | grep -E '\.partial|\.tmp' && fail "temporary files are left"
finish
