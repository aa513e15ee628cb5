#!/usr/bin/env bash
# The search of translations, written down: it is the search that translates.
source "$(dirname "$0")/common.sh"
make_experiment
head -n 5 data/test.en >five
printf '\n' >>five
for positions in interleaved every_layer; do # the engine translates, or the modules
  transformer-train --quiet --threads 1 --config experiment.yaml --run $positions --set model.positions=$positions
  translate="transformer-translate --quiet --threads 1 --model $positions --length-offset 5"
  for options in "--beam 1" "--beam 4" "--beam 3 --nbest 3 --alpha 1.5" "--beam 2 --candidates beam"; do
    $translate $options <five >plain || fail "$options: translating"
    for page in page.json page.html; do
      $translate $options --explain $page --overwrite <five >explained || fail "$options: $page"
      cmp plain explained || fail "$positions, $options: $page changes the translation"
    done
    [ "$(grep -c '"source":' page.json)" = 6 ] || fail "$options: a sentence a line"
    [ "$(grep -c '"parent": -1,' page.json)" = 6 ] || fail "$options: a tree a line"
    grep -q '"fate": "finished"' page.json || fail "$options: nothing was finished"
    says '^<!DOCTYPE html>' <page.html || fail "$options: no page"
  done
done
# The scores that are printed are those of the page.
$translate --beam 3 --nbest 2 --explain page.json --overwrite --input five --output printed
awk -F ' [|][|][|] ' '{ print $3 }' printed | head -n 10 >scores
awk '/"translations": \[/ { inside = 1 } /"nodes": \[/ { inside = 0 } inside && /"score":/ { gsub(/[",]/, ""); printf "%.6f\n", $2 }' \
  page.json | head -n 10 | cmp - scores || fail "scores: $(paste scores page.json | head -n 3)"
finish
