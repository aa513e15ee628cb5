#!/usr/bin/env bash
# A record is made, run again, and refused for what does not hold: its own files, the texts, BLEU, the time.
source "$(dirname "$0")/common.sh"
make_experiment
run=$source_dir/tools/record.sh
mkdir record
sed 's#data/dev#data/val#; s#test: data/test, ##' experiment.yaml >record/config.yaml
for side in en de; do mv data/dev.$side data/val.$side; done
cat >record/table.yaml <<YAML
base: config.yaml
output: out
seeds: 3
target: 0.01
experiments: []
YAML
verify() {
  status=0
  PATH=$PWD/programs:$PATH "$run" verify record data again "${target:-0.01}" >out.txt 2>err.txt || status=$?
}
"$run" make record data made 0.01 >out.txt 2>err.txt || true # whether so short a training reaches the target is luck
for file in report.csv report.md log.txt sums data.sums; do [ -s record/$file ] || fail "no $file: $(cat err.txt)"; done
[ "$(wc -l <record/data.sums)" = 4 ] || fail "sums: $(cat record/data.sums)"
sha256sum data/train.en | grep -q "$(grep train.source record/data.sums | cut -d ' ' -f 1)" || fail "another sum"
! grep -q "$PWD" record/* || fail "the record says where it was made"

cp -r made again # the runs; judging them is what is tried
# From here on the report says what it is told to: what the runner writes itself is the concern of table3_test.
mkdir programs
cat >programs/transformer-experiments <<'SH'
#!/usr/bin/env bash
cp report.csv again/runs/report.csv
SH
chmod +x programs/transformer-experiments
columns=$(head -n 1 record/report.csv)
[[ $columns == *,seconds,*,bleu,*,target,target_p_value ]] || fail "columns: $columns"
# report SECONDS P_VALUE
report() {
  awk -F, -v OFS=, -v seconds="$1" -v p="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i }
    NR > 1 { $at["seconds"] = seconds; $at["target_p_value"] = p } { print }' record/report.csv
}
report 100 0.01 >recorded.csv
cp recorded.csv record/report.csv
(cd record && sha256sum table.yaml config.yaml data.sums report.csv report.md log.txt >sums)
# judged WHAT STATUS SECONDS P_VALUE
judged() {
  report "$3" "$4" >report.csv
  verify
  [ $status = "$2" ] || fail "$1: status $status: $(cat out.txt err.txt)"
}
judged "equal" 0 100 0.01
grep -q '^record: accepted' out.txt || fail "accepted: $(cat out.txt)"
judged "a little slower" 0 124 0.049
judged "too slow" 1 126 0.01
grep -q '^record: time .*126 s a training, recorded 100 s.*: refused' out.txt || fail "time: $(cat out.txt)"
judged "not significant" 1 100 0.05
grep -q '^record: BLEU .*: refused' out.txt || fail "BLEU: $(cat out.txt)"
judged "one seed" 1 100 ''
target=38 judged "another target" 1 100 0.01
grep -q '^record: rules .*above 0.01, to be 38: refused' out.txt || fail "rules: $(cat out.txt)"
cp record/report.csv kept.csv && grep -v ',base,.*,3,finished' kept.csv >record/report.csv
(cd record && sha256sum table.yaml config.yaml data.sums report.csv report.md log.txt >sums)
judged "two seeds" 1 100 0.01
grep -q '^record: rules  *seeds 1 2, to be 1 2 3; .*: refused' out.txt || fail "rules: $(cat out.txt)"
mv kept.csv record/report.csv && (cd record && sha256sum table.yaml config.yaml data.sums report.csv report.md log.txt >sums)
judged "no time" 1 0 0.01
sed -i 's/"train.source": "./"train.source": "x/; s/\("train.source": "\)x\(.*\)"/\10\2"/' again/prepared/summary.json
judged "other texts" 1 100 0.01
grep -q '^record: texts .*: refused' out.txt || fail "texts: $(cat out.txt)"
cp record/sums whole.sums
for lines in 1 5; do
  head -n $lines whole.sums >record/sums
  judged "sums that were cut to $lines lines" 2 100 0.01
  grep -q 'record/sums: expected the sum of .*, found none' err.txt || fail "cut sums: $(cat err.txt)"
done
mv whole.sums record/sums
# What nobody recorded is not replaced by a record.
mkdir another && cp record/config.yaml record/table.yaml another && echo mine >another/log.txt
status=0
"$run" make another data made 0.01 2>err.txt >out.txt || status=$?
[ $status = 2 ] && grep -q 'another/log.txt: expected nothing, or what' err.txt && [ "$(cat another/log.txt)" = mine ] ||
  fail "a file beside a record: status $status: $(cat err.txt)"
echo '# faster' >>record/config.yaml
judged "a changed configuration" 2 100 0.01
grep -q 'files are not those whose sums it has' err.txt || fail "sums: $(cat err.txt)"
rm record/data.sums
judged "no sums" 2 100 0.01
grep -q 'found no data.sums in it' err.txt || fail "no sums: $(cat err.txt)"
finish
