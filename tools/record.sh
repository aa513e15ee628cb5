#!/usr/bin/env bash
# record.sh make|verify RECORD DATA OUTPUT [TARGET]  Runs a record, RECORD/table.yaml, with the programs of PATH. The rules are in
# docs/evidence/records.md; TARGET (38) is one of them. DATA has the texts, train and val. OUTPUT keeps the runs: the same command goes
# on where it stopped. `make` writes the results into RECORD, `verify` judges it. Status: 0 accepted, 1 refused, 2 something to mend first.
set -euo pipefail
readonly mode=$1 record=$2 data=$3 output=$4 target=${5:-38}
readonly seeds='1 2 3'
readonly written=(data.sums report.csv report.md log.txt)
readonly files=(table.yaml config.yaml "${written[@]}") # whose sums a record has
readonly slack=1.25 # a machine's time may be this much longer than the recorded one

say() { printf 'record: %s\n' "$*"; }
stop() {
  printf 'record: %s\n' "$*" >&2
  exit 2
}
refused=no
# judge WHAT FOUND VERDICT: the last one of accepted and refused.
judge() {
  say "$(printf '%-7s %s: %s' "$1" "$2" "$3")"
  [ "$3" = accepted ] || refused=yes
}

# The sums of the texts, as transformer-prepare read them.
data_sums() { sed -n '/"inputs"/,/}/s/ *"\([a-z.]*\)": "\([0-9a-f]\{64\}\)",\{0,1\}/\2  \1/p' "$output/prepared/summary.json"; }

# column NAME  of the base's runs in the report $1, a line for each. The base's own fields have no commas.
column() {
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) at = i }
    NR > 1 && $2 == "base" && at { print $at }' "$1"
}
mean() { awk '{ sum += $1 } END { if (NR) printf "%.6g", sum / NR }'; }
seconds() { column "$1" seconds | mean; }

for file in table.yaml config.yaml; do
  [ -e "$record/$file" ] || stop "$record: expected a record, found no $file in it"
done
if [ "$mode" = verify ]; then
  for file in sums data.sums report.csv; do
    [ -e "$record/$file" ] || stop "$record: expected a record that was made, found no $file in it"
  done
  for file in "${files[@]}"; do
    grep -q "^[0-9a-f]\{64\}  $file\$" "$record/sums" || stop "$record/sums: expected the sum of $file, found none"
  done
  (cd "$record" && sha256sum --check --strict --quiet sums) || stop "$record: files are not those whose sums it has"
else
  # What an earlier call has written is replaced, and nothing else.
  for file in "${written[@]}"; do
    [ ! -e "$record/$file" ] || (cd "$record" && grep "^[0-9a-f]\{64\}  $file\$" sums | sha256sum --check --status) 2>/dev/null ||
      stop "$record/$file: expected nothing, or what an earlier call wrote, found another file, which is not replaced"
  done
fi
settings=(--set "data.train=$data/train" --set "data.dev=$data/val" --set "data.prepared=$output/prepared")

mkdir -p "$output"
status=0
transformer-experiments "$record/table.yaml" --output "$output/runs" --precision bf16 --jobs 1 --threads 2 "${settings[@]}" \
  2> >(tee -a "$output/log.txt" >&2) | tee -a "$output/log.txt" || status=$?
[ $status = 0 ] || exit $status

report=$output/runs/report.csv
if [ "$mode" = make ]; then
  cp "$report" "$output/runs/report.md" "$record"
  sed "s#$PWD/##g" "$output/log.txt" >"$record/log.txt"
  data_sums >"$record/data.sums"
  (cd "$record" && sha256sum "${files[@]}" >sums)
fi
if diff <(data_sums) "$record/data.sums" >/dev/null; then verdict=accepted; else verdict=refused; fi
judge texts "$(wc -l <"$record/data.sums") sums" $verdict
found=$(column "$report" seed | sort -n | xargs) aim=$(column "$report" target | sort -u | xargs)
if [ "$found" = "$seeds" ] && awk "BEGIN { exit !(${aim:-0} == $target) }"; then verdict=accepted; else verdict=refused; fi
judge rules "seeds $found, to be $seeds; above ${aim:-nothing}, to be $target" $verdict
p_value=$(column "$report" target_p_value | head -n 1)
if awk "BEGIN { exit !(\"$p_value\" != \"\" && ${p_value:-1} < 0.05) }"; then verdict=accepted; else verdict=refused; fi
judge BLEU "$(column "$report" bleu | xargs printf '%.2f ')above $(column "$report" target | head -n 1), p = ${p_value:-unknown}" \
  $verdict
here=$(seconds "$report") recorded=$(seconds "$record/report.csv")
if awk "BEGIN { exit !($here > 0 && $here <= $slack * $recorded) }"; then verdict=accepted; else verdict=refused; fi
judge time "$here s a training, recorded $recorded s, at most $slack times as much" $verdict
[ $refused = no ] || exit 1
say "accepted"
