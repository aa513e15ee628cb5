#!/usr/bin/env bash
# A model leaves home: each format is written, proved and refused what it cannot be.
source "$(dirname "$0")/common.sh"
make_experiment
transformer-train --quiet --threads 1 --config experiment.yaml --run run

transformer-export --quiet --model run --format torchscript --output model.pt --sentences 7 >proof
grep -q '^largest logit difference' proof && grep -q '^greedy search *7 of 7 *7$' proof &&
  grep -q '^beam 4, alpha 0.6 *7 of 7 *7$' proof && grep -q '^on 7 sentences: .*data/dev.en' proof ||
  fail "the proof is printed"

# The program of docs/guides/exporting.md, which knows nothing of this project, and the project's own.
head -20 data/test.en | sed '4s/.*//; 9s/.*/  /' >source
transformer-translate --quiet --model run <source >native
deploy_translate model.pt <source >deployed
cmp native deployed || fail "the deployed model translates otherwise"
for name in cpp py; do  # of each language, the first
  awk -v open="\`\`\`$name" '$0 == open {inside = 1; next} inside && $0 == "```" {exit} inside' "$source_dir/docs/guides/exporting.md" >snippet
  cmp snippet "$source_dir/docs/deploy/translate.$name" || fail "the guide's $name is not docs/deploy/translate.$name"
done

# A model from elsewhere numbers its pieces otherwise than its SentencePiece model does.
transformer-export --quiet --model run --format marian --output marian --sentences 2 >/dev/null
sed -E 's/: 20(,?)$/: first\1/; s/: 30(,?)$/: 20\1/; s/: first/: 30/' marian/vocab.json >swapped
cmp -s swapped marian/vocab.json && fail "no ids were swapped"
mv swapped marian/vocab.json
transformer-import --quiet --model marian --output imported 2>err && [ ! -s err ] || fail "import: $(cat err)"
ls imported/*.vocabulary.json >/dev/null || fail "an imported model has a vocabulary"
transformer-translate --quiet --model imported <source | sed 's/^ *//; s/ *$//' >native
for format in torchscript safetensors ctranslate2; do
  transformer-export --quiet --model imported --format $format --output imported.$format --sentences 5 --sample source >proof ||
    fail "$format of an imported model: $(cat proof)"
  grep -q '^texts as tokens *5 of 5 *5' proof || fail "$format: the tokens of the text"
  ! ls imported.$format/*.vocabulary.json 2>/dev/null || fail "$format: SentencePiece alone is enough"
done
deploy_translate imported.torchscript <source | sed 's/^ *//; s/ *$//' >deployed
cmp native deployed || fail "the deployed model from elsewhere translates otherwise"
sed -i 's/"num_beams"/"min_length": 5, "num_beams"/' marian/generation_config.json
transformer-import --quiet --model marian --output limited 2>err || fail "import with min_length"
[ "$(wc -l <err)" = 1 ] && grep -q 'min_length 5' err || fail "what is dropped is named: $(cat err)"

# An output is replaced only on demand, and only an export.
before=$(sha256sum model.pt)
refuse() {
  local expected=$1 status=0
  shift
  "$@" >out 2>err || status=$?
  [ $status = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -qF "$expected" err || fail "status $status, '$(cat err)': $*"
}
export_to() { transformer-export --quiet --model run --sentences 2 --format "$@"; }
refuse 'model.pt: already exists' export_to torchscript --output model.pt
mkdir precious && touch precious/file
refuse 'precious: expected a file or nothing' export_to torchscript --output precious --overwrite
[ -e precious/file ] && [ "$before" = "$(sha256sum model.pt)" ] || fail "what was there is untouched"
export_to torchscript --output model.pt --overwrite >/dev/null || fail "--overwrite"
refuse 'nowhere: expected a model directory' \
  transformer-export --model nowhere --format torchscript --output no.pt
refuse 'no.txt: ' export_to torchscript --output no.pt --sample no.txt
: >empty && refuse 'empty: expected sentences' export_to torchscript --output no.pt --sample empty
[ ! -e no.pt ] || fail "a refused export leaves a file"

export_to torchscript --output half.pt --precision bf16 >/dev/null || fail "bf16"
[ "$(stat -c %s half.pt)" -lt "$(stat -c %s model.pt)" ] || fail "bf16 takes less room"
mv data elsewhere
transformer-export --model run --format torchscript --output moved.pt --sentences 3 >proof 2>err || fail "no dev set"
grep -q 'random tokens' proof && grep -q 'warning: data.dev: .*data/dev.en is not here' err || fail "a sample without a dev set"

# Both libraries define FLAGS_minloglevel; in the other order SentencePiece would overwrite LibTorch's memory.
for program in "$(command -v deploy_translate)" "$(dirname "$(command -v transformer-export)")"/transformer-*; do
  readelf -d "$program" | awk '/NEEDED/ && /sentencepiece/ {first = NR} /NEEDED/ && /libc10/ && !first {late = 1}
                               END {exit first && late}' || fail "$program loads LibTorch before SentencePiece"
done
finish
