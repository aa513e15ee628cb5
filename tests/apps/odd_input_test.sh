#!/usr/bin/env bash
# What is odd, but valid: no line is lost or shifted, and what is not translated is counted.
source "$(dirname "$0")/common.sh"
translate="transformer-translate --quiet --threads 1 --beam 1 --length-offset 0"

# counted MESSAGE  once in the file `log`.
counted() { [ "$(grep -c -- "$1" log)" = 1 ] || fail "expected once: $1, found: $(cat log)"; }
# repeated COUNT TEXT
repeated() { head -c "$(($(printf %s "$2" | wc -c) * $1))" < <(yes "$2" | tr -d '\n'); }
export LC_ALL=C.UTF-8 # for printf's \u

# --- Preparing -----------------------------------------------------------------------------------------------

# Names with blanks and letters beyond ASCII, long language codes, Windows line ends, a byte order mark, empty
# and very long lines, U+2028 and a lone CR inside lines, no line end at the end.
transformer-demo-corpus --output data --train 1500 --dev 40 --test 60 >/dev/null
mkdir "bücher und mehr"
prefix="bücher und mehr/größe 1"
sed 's/$/\r/' data/train.en | sed '1s/^/\xef\xbb\xbf/' >"$prefix.pt-BR"
cp data/train.de "$prefix.zh-CN"
repeated 200000 'dog cat ' >long # 1 600 000 characters, with blanks
repeated 1000000 '猫' >wide     # never seen, without blanks: the slowest text for SentencePiece
{ cat long && printf '\n\n   \n' && cat wide && printf '\na\u2028dog\ra cat\nno end'; } >>"$prefix.pt-BR"
printf 'Hund\nLeer.\nLeer.\nKatze\nein\u2028Hund\rKatze\nkein Ende' >>"$prefix.zh-CN"
cat >experiment.yaml <<YAML
data: {source: pt-BR, target: zh-CN, train: "$prefix", dev: dev text, vocabulary: 900, max_ratio: 0,
       prepared: "prepared für 2", pairs: 2000}
model: {layers: 1, d_model: 32, d_ff: 64, heads: 2, d_k: 16, d_v: 16}
train: {steps: 4, source_tokens: 4000, target_tokens: 4000, micro_tokens: 3000, eval_every: 2, save_every: 4}
YAML
{ cat long && printf '\n\nשלום עולם\n'; } >"dev text.pt-BR" # three lines: fewer than a batch
printf 'Eins\nZwei\nDrei\n' >"dev text.zh-CN"
begun=$SECONDS
transformer-prepare --quiet --config experiment.yaml >report 2>log || fail "preparing: $(cat log)"
[ $((SECONDS - begun)) -lt 20 ] || fail "preparing took $((SECONDS - begun)) s"
grep -q '^train *1502 pairs' report || fail "kept pairs: $(cat report)"
grep -q 'dropped: 4 of 1506 pairs: 2 with an empty side, 2 longer' report || fail "dropped pairs: $(cat report)"
grep -q '1500 lines of both sides ended in CR LF' report || fail "Windows line ends: $(cat report)"
grep -q 'cut: 1 of 3 pairs' report || fail "a dev sentence too long to be judged by: $(cat report)"
counted '1500 lines ended in CR LF'
counted 'data.pairs: expected 2000 pairs in data.train, found 1506'
counted '1 pairs of dev and test were too long and are cut: dev line 1'
transformer-inspect --config experiment.yaml --sentences 0,1500,1501 >pairs
grep -qF "$(head -n 1 data/train.en)" pairs || fail "the byte order mark is no part of the text: $(cat pairs)"
grep -q 'target.*kein Ende' pairs || fail "a last line without line end: $(cat pairs)"
grep -q 'source.*a dog a cat' pairs || fail "separators inside a line: $(cat pairs)"
transformer-inspect --config <(cat experiment.yaml) --sentences 0,1500,1501 | cmp - pairs || fail "a configuration out of a pipe"
transformer-inspect --config experiment.yaml --sentences 1501 --json >pairs
grep -q '"text": "kein Ende"' pairs || fail "a pair for programs: $(cat pairs)"
transformer-train --quiet --threads 1 --config experiment.yaml --run "lauf eins" || fail "training"

# A table whose first column is the target is seen by its languages, and read by the columns that are named.
paste data/train.en data/train.de >table.tsv
printf 'English\tGerman\n' | cat - table.tsv >named.tsv
sides() {
  transformer-prepare --config experiment.yaml --quiet --set data.source=de --set data.target=en --set data.prepared="$1" \
    --set data.dev=data/dev --set data.train="$2" "${@:3}" >report 2>log || fail "preparing $1: $(cat log)"
}
sides exchanged table.tsv
counted 'data.train and data.dev have their sides exchanged: de of the one reads like en of the other'
says "^  de  '$(head -n 1 data/train.en)'" <report || fail "the first pair, the wrong way round: $(cat report)"
for table in table.tsv:2,1 named.tsv:German,English; do
  sides "as-${table%:*}" ${table%:*} --set data.columns=${table#*:}
  [ "$(grep -v data.pairs log)" = "" ] || fail "nothing to say of the right columns: $(cat log)"
  says "^  en  '$(head -n 1 data/train.en)'" <report || fail "the first pair: $(cat report)"
done
sides files data/train
cmp as-table.tsv/train.bin files/train.bin && cmp as-named.tsv/train.bin files/train.bin || fail "a table and two files differ"

# Widths of heads stay what they are where d_model changes.
transformer-inspect --config experiment.yaml --set model.d_model=64 >report 2>log || fail "heads that do not fit: $(cat log)"
counted 'model.heads 2 · model.d_k 16 = 32 is not model.d_model 64'
says "heads · d_k is 32, heads · d_v 32 and d_model 64; the paper's are equal" <report || fail "a departure: $(cat report)"

# --- Translating ---------------------------------------------------------------------------------------------

# same NAME LINES  translates the file `input`: as many lines come out, through a pipe and from file to file.
same() {
  $translate --model "lauf eins" <input >output 2>log || fail "$1: $(cat log)"
  [ "$(wc -l <output)" = "$2" ] || fail "$1: $(wc -l <output) lines, expected $2"
  $translate --model "lauf eins" --input input --output "aus gabe" --overwrite 2>again || fail "$1: from file to file"
  cmp output "aus gabe" || fail "$1: a file and a pipe differ"
}
printf '\xef\xbb\xbfA dog sleeps.\r\n\r\n   \nשלום עולם\nمرحبا بالعالم\n😀🎉 👩‍👧\nu\u0308 e\u0301\u0323\na\u2028b\u2029c\u0085d\ve\ff\rg\na\u00a0b\n數學\nno end' >input
same "all kinds of lines" 11
for line in 2 3; do
  [ -z "$(sed -n ${line}p output)" ] || fail "line $line is empty, and so is its translation"
done
counted '2 lines ended in CR LF'
sed -e 's/\r$//' -e '1s/^\xef\xbb\xbf//' input >plain && cp output marked && mv plain input
same "the same without Windows's ways" 11
cmp output marked || fail "line ends and a byte order mark change translations"
[ ! -s log ] || fail "nothing to say of plain text: $(cat log)"
gzip <input >packed && $translate --model "lauf eins" <packed 2>log | cmp - output || fail "compressed text: $(cat log)"
gzip -c input | $translate --model "lauf eins" --input - 2>log | cmp - output || fail "compressed text out of a pipe: $(cat log)"
: >input && same "an empty file" 0
printf '\n\n\n' >input && same "only empty lines" 3

begun=$SECONDS
{ cat long && printf '\nA dog sleeps.\n' && cat wide && printf '\n' && repeated 1000000 ' ' && printf '\nend\n'; } >input
$translate --model "lauf eins" <input >output 2>log || fail "long lines: $(cat log)"
[ "$(wc -l <output)" = 5 ] || fail "long lines: $(wc -l <output) lines come out, expected 5"
counted '1 lines had more than 1024 tokens: the rest of each was not translated (line 1)'
[ $((SECONDS - begun)) -lt 20 ] || fail "long lines took $((SECONDS - begun)) s"

# --- One sentence --------------------------------------------------------------------------------------------

for split in a b c; do echo 'the dog sleeps' >$split.en && echo 'der Hund schläft' >$split.de; done
cat >one.yaml <<YAML
extends: experiment.yaml
data: {source: en, target: de, train: a, dev: b, test: c, vocabulary: 24, prepared: one}
YAML
transformer-prepare --quiet --config one.yaml >report || fail "one sentence: preparing"
transformer-train --quiet --threads 1 --config one.yaml --run one-run || fail "one sentence: training"
[ "$($translate --model one-run <a.en | wc -l)" = 1 ] || fail "one sentence: translating"
transformer-evaluate --model one-run --data test >scores || fail "one sentence: the model's loss"
transformer-evaluate --hypothesis a.de --reference c.de >scores || fail "one sentence: BLEU"

# --- Evaluating ----------------------------------------------------------------------------------------------

printf 'ein\u2028Hund\rKatze\r\n\nשלום 😀\nkein Ende' >odd.txt
transformer-evaluate --hypothesis odd.txt --reference odd.txt --metrics chrf --json >scores || fail "evaluating odd lines"
grep -q '"score": 100.0' scores || fail "odd lines equal themselves: $(cat scores)"
gzip -c odd.txt | transformer-evaluate --hypothesis - --reference odd.txt --metrics chrf --json >packed.scores
cmp scores packed.scores || fail "compressed lines out of a pipe: $(cat packed.scores)"
status=0
gzip -c odd.txt | head -c 30 | transformer-evaluate --hypothesis - --reference odd.txt 2>log || status=$?
[ $status = 2 ] && grep -q 'standard input: expected whole gzip data, found them cut off' log || fail "cut off: $(cat log)"
finish
