#!/usr/bin/env bash
# What the programs refuse where somebody asks to see what a model does (heads, links of words, the search, shapes): see refusals.sh.
source "$(dirname "$0")/refusals.sh"
make_experiment
transformer-train --quiet --threads 1 --config experiment.yaml --run run --set train.steps=4
head -n 6 data/dev.en >source && head -n 6 data/dev.de >target && head -n 6 data/dev.alignment >gold
head -n 4 gold >short && head -n 21 data/dev.en >many
for file in old.html old.json gold.json source.json; do cp gold $file; done
awk 'NR == 3 { print "1-2 99-0"; next } { print "" }' source >outside
awk 'NR == 2 { print "1-1"; next } { print "" }' source >itself
translate="transformer-translate --quiet --threads 1 --model run --input source"
score="transformer-score --quiet --threads 1 --model run --source source --target target"
inspect="transformer-inspect --model run"

# --- What heads look at ----------------------------------------------------------------------------------------

for name in maps maps.txt maps.html.gz .json/; do
  refused "translate: --attention $name" "expected a file that ends in .html or .json, found '$name'" $translate --attention $name
  refused "score: --attention $name" "expected a file that ends in .html or .json, found '$name'" $score --attention $name
done
refused "translate: a page that exists" 'old.json' $translate --attention old.json
refused "score: a page that exists" 'old.json' $score --attention old.json
refused "translate: a page in a missing folder" 'nosuch/maps.json' $translate --attention nosuch/maps.json
refused "translate: one file for two" 'both.json: expected another file' $translate --output both.json --attention both.json
refused "score: its source as page" 'source.json' transformer-score --quiet --model run --source source.json --target target --attention source.json --overwrite
refused "score: a summary of no known kind" "expected a file that ends in .md or .tsv, or -, found 'heads'" $score --attention-summary heads

# --- Links of words --------------------------------------------------------------------------------------------

for heads in 0 1:0 x 1:2:3; do
  refused "score: --alignment-heads $heads" "expected LAYER:HEAD, LAYER or all, counted from 1, found '$heads'" $score --alignment new --alignment-heads $heads
done
refused "score: a head that the model lacks" "heads 2:1: expected a head of the model's 1 layers with 2 heads each" $score --alignment new --alignment-heads 2:1
refused "score: links of no head" 'requires --alignment-heads' $score --alignment new
refused "score: heads without links" 'requires --alignment' $score --alignment-heads 1
refused "score: links and their judgement" 'excludes' $score --alignment new --alignment-heads 1 --alignment-reference gold
refused "score: a mask without links" 'expected an alignment' $score --alignment-mask-end
refused "score: JSON of a table" 'json, --tokens, --normalize: expected scores' $score --alignment-reference gold --json
refused "score: gold of other sentences" 'short: expected 6 lines, as in source, found 4' $score --alignment-reference short
refused "score: a text as gold" 'target:1: expected links' $score --alignment-reference target
refused "score: gold of longer sentences" 'outside:3: expected words of a sentence' $score --alignment-reference outside
refused "score: its gold as page" 'gold.json' $score --alignment-reference gold.json --attention gold.json --overwrite
refused "score: its source as links" 'source.json' transformer-score --quiet --model run --source source.json --target target --alignment source.json --alignment-heads 1 --overwrite
refused "score: links that exist" 'gold: ' $score --alignment gold --alignment-heads 1
refused "score: antecedents that are missing" 'nosuch: cannot be read' $score --source-antecedents nosuch
refused "score: antecedents of longer sentences" 'outside:3: expected words' $score --source-antecedents outside
refused "score: a pronoun that stands for itself" 'itself:2: expected a pronoun and another word, found 1-1' $score --source-antecedents itself
refused "score: antecedents on standard input" 'target-antecedents -: expected a file' $score --target-antecedents -
refused "score: two tables on standard output" 'attention-summary -: expected a file' $score --alignment-reference gold --attention-summary -
refused "translate: links on standard output" 'alignment -: expected a file' $translate --alignment - --alignment-heads 1
refused "translate: translations and links in one file" 'both: expected another file' $translate --output both --alignment both --alignment-heads 1

# --- The search, shapes and pieces -----------------------------------------------------------------------------

refused "translate: a search page of no known kind" "expected a name that ends in .html or .json, found 'page.txt'" $translate --explain page.txt
refused "translate: a search page that exists" 'old.html: ' $translate --explain old.html
refused "translate: translations and their search in one file" 'both.html: expected another file' $translate --output both.html --explain both.html
refused "translate: a beam too wide to draw" 'expected a beam of at most 16, found 17' $translate --explain new.html --beam 17
refused "translate: a search with a mask of links" 'mask-end excludes --explain' $translate --explain new.html --alignment-mask-end
refused "translate: a search by several processes" 'expected one process, found --processes 2' $translate --explain new.html --processes 2
refused "translate: too many sentences to explain" 'many: expected at most 20 lines for --explain, found more' \
  transformer-translate --quiet --threads 1 --model run --input many --explain new.html
refused "inspect: shapes of one length" shapes $inspect --shapes 7
refused "inspect: shapes of no tokens" shapes $inspect --shapes 0,5
refused "inspect: shapes of words" shapes $inspect --shapes seven,five
wait
for file in old.html old.json gold.json source.json; do cmp gold $file || fail "$file is changed"; done
for file in new new.html both both.json maps heads nosuch; do [ ! -e $file ] || fail "$file is left of what was refused"; done
finish_refusals
