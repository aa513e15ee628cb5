#!/usr/bin/env bash
# The archives of docs/results make the reports beside the pages again, to the byte, from texts that are prepared
# anew. A report names the version that computed its scores, which alone may be another.
source "$(dirname "$0")/common.sh"

texts=$source_dir/../shared/data
if [ ! -d "$texts/multi30k" ] || [ ! -d "$texts/tatoeba" ] || [ ! -d "$texts/shakespeare" ] ||
  [ ! -d "$texts/sst2" ]; then
  echo "skipped: expected the texts of Multi30k, Tatoeba, tiny Shakespeare and SST-2 in ../shared/data, found none"
  exit 4
fi
cp -r "$source_dir/configs" .
mkdir data data/multi30k
ln -s "$texts"/multi30k/* data/multi30k
for side in de en; do head -n 5000 data/multi30k/train.$side >data/multi30k/train5000.$side; done
mkdir -p runs/shakespeare
bash "$source_dir/tools/split_text.sh" "$texts/shakespeare/input.txt" runs/shakespeare/data >/dev/null
bash "$source_dir/tools/split_phrases.sh" data/sst2 "$texts"/sst2/{train,dev}.tsv >/dev/null
bash "$source_dir/tools/split.sh" "$texts/tatoeba/fra-eng.tsv" data/tatoeba-80k 80000 >/dev/null
bash "$source_dir/tools/split.sh" "$texts/tatoeba/fra-eng.tsv" data/tatoeba >/dev/null

versionless() { sed 's/version:transformer-[0-9.]*/version:any/g' "$1"; }

# again LIST PAGE [OPTION…]  The archive has LIST's name, with a dash for each slash.
again() {
  local list=$1 page=$source_dir/docs/$2 archive=$source_dir/docs/results/${1//\//-}.tar.zst file made=0
  shift 2
  local options=("configs/$list/table.yaml" --output "out/$list" "$@")
  transformer-experiments "${options[@]}" --take "$archive" >/dev/null 2>messages || fail "$list: $(cat messages)"
  transformer-experiments "${options[@]}" --plan >/dev/null 2>messages || fail "$list: $(cat messages)"  # prepares
  transformer-experiments "${options[@]}" --report >/dev/null 2>messages || fail "$list: $(cat messages)"
  for file in "$page"/report.* "$page"/*.svg; do
    [ -e "$file" ] || continue
    made=$((made + 1))
    cmp <(versionless "$file") <(versionless "out/$list/${file##*/}") || fail "$list: ${file##*/} is another one"
  done
  [ "$made" -ge 2 ] || fail "$list: no reports in docs/$2"
}

again ablations ablations
again ablations/lengths ablations/lengths --seeds 2
again bpe-dropout bpe-dropout
# Its rows have the general model's vocabulary.
transformer-prepare --quiet --config configs/fine-tuning/general.yaml >/dev/null || fail "the general model's data"
again fine-tuning fine-tuning
again fine-tuning/sentiment fine-tuning/sentiment
again language language
again multi30k-pairs multi30k-pairs
again multi30k-pairs/french-czech multi30k-pairs/french-czech
again multi30k-study multi30k-study
again muon muon
again muon/mini muon/mini
again seq2seq seq2seq
again smoothing smoothing
again table3-mini table3-mini

# No archive is left without this test.
for archive in "$source_dir"/docs/results/*.tar.zst; do
  name=${archive##*/}
  [ "$(find out -maxdepth 3 -name report.md | sed 's|^out/||; s|/report.md$||; s|/|-|g' | grep -cx "${name%.tar.zst}")" = 1 ] ||
    fail "$name is not tested"
done
finish
