#!/usr/bin/env bash
# What the programs refuse of texts, configurations and prepared data: see refusals.sh.
source "$(dirname "$0")/refusals.sh"
make_experiment
prepare="transformer-prepare --quiet --config experiment.yaml"
train="transformer-train --quiet --threads 1 --config experiment.yaml --run new"

# --- Texts ---------------------------------------------------------------------------------------------------

# text NAME SOURCE TARGET  writes both sides.
text() { printf -- "$2" >$1.en && printf -- "$3" >$1.de; }
text empty '' ''
text blank '\n\n' '\n\n'
text uneven 'one\ntwo\n' 'eins\n'
text latin 'one\ntwo\n' 'eins\nf\xfcnf\n'
text nul 'one\nt\0wo\n' 'eins\nzwei\n'
text one 'a small dog\n' 'ein kleiner Hund\n'
text utf16 '\xff\xfea\0 \0d\0o\0g\0\n\0' 'ein Hund\n'
text unmarked 'a dog\n' 'e\0i\0n\0 \0H\0u\0n\0d\0\n\0'
text mac 'a dog\ra cat\r' 'ein Hund\reine Katze\r'
text oneside 'a dog\n' ' \n'
text packed 'BZh91AY&SY\x17\x72' 'ein Hund\n'
text wide "$(yes 'a dog' | head -n 2000 | tr '\n' ' ')\n" "$(yes 'ein Hund' | head -n 2000 | tr '\n' ' ')\n"
text pipe '' 'ein Hund\n'
rm pipe.en && mkfifo pipe.en
printf 'ein Hund\n' | tee cut.de >damaged.de
printf 'a dog\n' | gzip -n >whole.gz
head -c 18 whole.gz >cut.en.gz
head -c -8 whole.gz | cat - <(printf 12345678) >damaged.en.gz
printf 'a dog\tein Hund\na cat\n' >untabbed.tsv
ln -s nowhere dangling
ln -s nowhere dangling.en
mkdir folder.en empty_folder here
for split in train dev test; do
  refused "prepare: the $split text is missing" nosuch.en $prepare --set data.$split=nosuch --set data.prepared=new
  refused "prepare: the $split text is empty" empty.en $prepare --set data.$split=empty --set data.prepared=new
done
refused "prepare: sides of unequal length" 'found 2 and 1' $prepare --set data.dev=uneven --set data.prepared=new
refused "prepare: a text that is not UTF-8" latin.de:2 $prepare --set data.dev=latin --set data.prepared=new
refused "prepare: a NUL byte in a text" nul.en:2 $prepare --set data.dev=nul --set data.prepared=new
refused "prepare: a text in UTF-16" 'utf16.en:1: .* UTF-16' $prepare --set data.dev=utf16 --set data.prepared=new
refused "prepare: a text in UTF-16 without a mark" 'unmarked.de:1: .* UTF-16' $prepare --set data.dev=unmarked --set data.prepared=new
refused "prepare: lines that CR alone ends" 'CR alone' $prepare --set data.dev=mac --set data.prepared=new
refused "prepare: a dev set without a token" oneside.de $prepare --set data.dev=oneside --set data.prepared=new
refused "prepare: a named pipe as text" 'found a pipe' $prepare --set data.train=pipe --set data.prepared=new
refused "prepare: a compressed text that is cut off" 'cut.en.gz: .* cut off' $prepare --set data.dev=cut --set data.prepared=new
refused "prepare: a compressed text that is damaged" 'damaged.en.gz: .* damage' $prepare --set data.dev=damaged --set data.prepared=new
refused "prepare: a text compressed by bzip2" 'packed.en: .* bzip2' $prepare --set data.train=packed --set data.prepared=new
refused "prepare: only lines to train on that are too long" 'at most 8192 bytes' $prepare --set data.train=wide --set data.prepared=new
refused "prepare: the working directory as output" 'working directory' env --chdir=here transformer-prepare --config ../experiment.yaml --set data.prepared=.
refused "prepare: only empty lines to train on" 'only empty' $prepare --set data.train=blank --set data.prepared=new
refused "prepare: a link to nowhere as text" dangling.en $prepare --set data.dev=dangling --set data.prepared=new
refused "prepare: a folder as text" folder.en $prepare --set data.dev=folder --set data.prepared=new
refused "prepare: a vocabulary that the text cannot give" 'at most' $prepare --set data.vocabulary=90000 --set data.prepared=new
refused "prepare: a vocabulary smaller than the alphabet" 'at least' $prepare --set data.vocabulary=20 --set data.prepared=new
refused "prepare: words that no text has often enough" data.min_frequency $prepare --set data.tokenizer_kind=words --set data.min_frequency=99999 --set data.prepared=new
refused "prepare: a line of a table without a tab" 'untabbed.tsv:2: ' $prepare --set data.train=untabbed.tsv --set data.prepared=new
refused "prepare: a column that a table lacks" 'data.columns' $prepare --set data.train=untabbed.tsv --set data.columns=en,de --set data.prepared=new
refused "prepare: columns where no text is a table" 'no text is a table' $prepare --set data.columns=2,1 --set data.prepared=new
refused "prepare: no pair passes the filters" 'pass the filters' $prepare --set data.max_tokens=1 --set data.prepared=new
refused "prepare: the same language twice" data.target $prepare --set data.source=de --set data.prepared=new
refused "prepare: no training text named" data.train $prepare --set data.train= --set data.prepared=new
refused "prepare: a tokenizer that is none" experiment.yaml $prepare --set data.tokenizer=experiment.yaml --set data.prepared=new
refused "prepare: a folder as tokenizer" 'a folder' $prepare --set data.tokenizer=data --set data.prepared=new

# --- Where the prepared data go ------------------------------------------------------------------------------

mkdir foreign && echo mine >foreign/file
refused "prepare: a foreign folder as output" 'not replaced' $prepare --set data.prepared=foreign
refused "prepare: the folder of a corpus as output" 'data/train.en in it' $prepare --set data.prepared=data
refused "prepare: the output's own tokenizer" 'tokenizer.model in it' $prepare --overwrite --set data.tokenizer=prepared/tokenizer.model
cp -r prepared noted && echo mine >noted/notes.txt
refused "prepare: somebody's file in the output" 'noted/notes.txt: expected only' $prepare --overwrite --set data.vocabulary=800 --set data.prepared=noted
refused "prepare: a file as output" 'not replaced' $prepare --set data.prepared=one.de
refused "prepare: a link to nowhere as output" 'not replaced' $prepare --set data.prepared=dangling
refused "prepare: an output below a file" 'expected a place in a folder' $prepare --set data.prepared=experiment.yaml/new
refused "prepare: no output named" data.prepared $prepare --set data.prepared=
refused "prepare: an output made with other options" --overwrite $prepare --set data.vocabulary=800

# --- Options -------------------------------------------------------------------------------------------------

refused "an unknown option" nosuch $prepare --nosuch
refused "a missing option" config transformer-prepare
refused "an empty option" config transformer-prepare --config ""
refused "an option twice" 'expected once, found 2 times' $prepare --config experiment.yaml
refused "a negative number of threads" threads $prepare --threads -1
refused "a number with a leading zero, which C reads as octal" "without a leading zero, found 010" $prepare --threads 010
refused "8-bit products where there are none" precision $train --precision int8
refused "TF32 on the CPU" 'expected fp32 or bf16 on the CPU' $train --device cpu --precision tf32
refused "fp16 on the CPU" 'expected bf16 or fp32 on the CPU' $train --device cpu --precision fp16
refused "--set without a value" "no '='" $prepare --set nonsense
refused "--set with an unknown key" model.heads $prepare --set model.headz=3
refused "--set with another toolkit's key" train.factor $prepare --set train.lr=0.1
refused "--set with a key that is near to none" help-config $prepare --set data.corpus=x
refused "--set with text for a number" 'whole number' $prepare --set model.heads=many
refused "--set with a number out of range" 'from 1' $prepare --set model.heads=0
refused "--set with a number that is too large" 'to 1000000000000' $prepare --set train.steps=2e12
refused "--set with a number that seems octal" "found '010'" $prepare --set model.heads=010
refused "--set with a number that is zero in fp32" 'from 1e-37' $train --set train.epsilon=1e-46
refused "--set with a seed that no double tells from the next" "found '9007199254740993'" $train --set seed=9007199254740993
refused "--set with steps and epochs" 'one of train.steps and train.epochs' $prepare --set train.steps=5 --set train.epochs=2
refused "--set with words that bytes stand for" data.byte_fallback $prepare --set data.tokenizer_kind=words --set data.byte_fallback=true
refused "--set with a variant that no library has" "found 'rms': --load names" $train --set model.variants.attention=rms
refused "--set with what can be no variant" 'none, or the name of a variant' $train --set model.variants.attention=8
refused "--load of a library that is missing" 'nosuch.so: expected a shared library' $train --load nosuch.so
refused "--load of a folder" 'data: expected a shared library' $train --load data

# --- Configurations ------------------------------------------------------------------------------------------

# configuration INPUT PATTERN TEXT
configuration() {
  mkdir case$number # its number does not show in the message
  printf -- "$3" >case$number/my.yaml
  refused "$1" "$2" transformer-inspect --config case$number/my.yaml
}
refused "a configuration that is missing" nosuch.yaml transformer-inspect --config nosuch.yaml
refused "a folder as configuration" folder transformer-inspect --config data
refused "a link to nowhere as configuration" dangling transformer-inspect --config dangling
refused "a device as configuration" 'a device' transformer-inspect --config /dev/zero
mkfifo pipe.yaml
refused "a named pipe as configuration" 'a pipe' transformer-inspect --config pipe.yaml
refused "a pipe without end as configuration" 'at most' \
  bash -c 'cat /dev/zero 2>/dev/null | transformer-inspect --config /dev/stdin'
refused "an unknown key out of a pipe" 'stdin:1.*model.heads' \
  bash -c 'echo "model: {headz: 3}" | transformer-inspect --config /dev/stdin'
: >empty.yaml
refused "prepare: an empty configuration" data.train transformer-prepare --config empty.yaml
refused "train: an empty configuration" data.prepared transformer-train --config empty.yaml --run new
configuration "YAML with an open brace" 'yaml:1' 'decode: {beam: 4\n'
configuration "YAML with a tab" 'yaml:2' 'model:\n\theads: 3\n'
configuration "a configuration that is not UTF-8" 'yaml:1: expected UTF-8' 'data: {train: "\xff"}\n'
configuration "a NUL byte in a configuration" 'yaml:2: expected text' 'seed: 1\ndata: {train: "\\0"}\0\n'
configuration "a list as configuration" 'found a list' '- a\n- b\n'
configuration "an unknown key" 'yaml:2.*model.heads' 'model:\n  headz: 3\n'
configuration "an unknown section" "did you mean 'model'" 'modle: {heads: 3}\n'
configuration "a key twice" already 'model: {heads: 1, heads: 2}\n'
configuration "text for a number" 'whole number' 'model: {heads: "8"}\n'
configuration "a number out of range" 'below 1' 'model: {dropout: 1}\n'
configuration "a value with a tag" "without a tag, found '!foo'" 'model: {heads: !foo 8}\n'
configuration "an unknown choice" 'one of' 'model: {tie: some}\n'
configuration "keys that do not go together" even 'model: {d_model: 33}\n'
configuration "extends: a missing file" nosuch.yaml 'extends: nosuch.yaml\n'
configuration "extends: a file that lies elsewhere" 'found none at configs/base.yaml; a path is relative' 'extends: configs/base.yaml\n'
configuration "extends: a device" 'a device' 'extends: /dev/zero\n'
configuration "extends: nothing" extends 'extends: ""\n'
printf 'extends: b.yaml\n' >a.yaml && printf 'extends: a.yaml\n' >b.yaml
refused "extends: a circle" circular transformer-inspect --config a.yaml
refused "inspect: a sentence that is not there" 'from 0 to 1499' transformer-inspect --config experiment.yaml --sentences 17,1500
predict="transformer-inspect --config experiment.yaml --device-peak 100 --memory-bandwidth 1000"
refused "inspect: devices without a network" 'requires --network-bandwidth' $predict --devices 8
refused "inspect: a number of devices that is none" 'Value eight' $predict --devices eight --network-bandwidth 50 --network-latency 5
refused "inspect: a network of no speed" "found '0'" $predict --devices 8 --network-bandwidth 0 --network-latency 5
refused "inspect: a latency that is no number" "found 'nan'" $predict --devices 8 --network-bandwidth 50 --network-latency nan
refused "inspect: more devices than sentences" 'for each sentence' $predict --devices 8,1000 --network-bandwidth 50 --network-latency 5
mkdir broken && printf '{"step":2,"split":"train"}\n{"step":4,"spl\n{"step":6,"split":"train"}\n' >broken/metrics.jsonl
refused "inspect: a folder that is no run" 'no metrics.jsonl' transformer-inspect --run data --output page.html
refused "inspect: a broken line of metrics" 'metrics.jsonl:2: expected' transformer-inspect --run broken --output page.html
refused "inspect: a run without a place for its page" 'expected --output for a page, or --update' transformer-inspect --run broken
refused "inspect: a run with keys" 'expected with --config only' transformer-inspect --run broken --output page.html --set model.heads=4
refused "inspect: a run as JSON" 'expected --update beside --run' transformer-inspect --run broken --output page.html --json
refused "inspect: shapes and a time" 'excludes' $predict --shapes 7,5
refused "inspect: an update of a page" 'excludes' transformer-inspect --run broken --output page.html --update 1
refused "inspect: an update of two runs" 'expected one --run, found 2' transformer-inspect --run broken --run broken --update 1
refused "inspect: an update of no run" 'config.yaml' transformer-inspect --run broken --update 1
refused "inspect: a smoothing that forgets nothing" 'below 1' transformer-inspect --run broken --output page.html --smooth 1

# --- Lists of experiments ------------------------------------------------------------------------------------

# list NAME PATTERN TEXT  a list below a base that is fine.
list() {
  number_of_list=$((${number_of_list:-0} + 1))
  printf "base: experiment.yaml\noutput: out\n$3" >list$number_of_list.yaml
  refused "$1" "$2" transformer-experiments list$number_of_list.yaml --plan
}
refused "table3: a missing list" nosuch.yaml transformer-experiments nosuch.yaml
refused "table3: a device as list" 'a device' transformer-experiments /dev/zero
refused "table3: a folder as list" 'found a folder' transformer-experiments data
refused "table3: an experiment as list" "'data': unknown" transformer-experiments experiment.yaml
echo 'output: out' >baseless.yaml && echo 'base: experiment.yaml' >outless.yaml
refused "table3: no base" "'base'" transformer-experiments baseless.yaml
refused "table3: no output" "'output'" transformer-experiments outless.yaml
list "table3: an unknown key of an experiment" "'sets': unknown" 'experiments:\n  - {name: a, sets: {model.heads: 4}}\n'
list "table3: an unknown key of a configuration" "did you mean 'model.heads'" 'experiments:\n  - {name: a, set: {model.headz: 4}}\n'
list "table3: a value of the wrong kind" 'whole number' 'experiments:\n  - {name: a, set: {model.heads: [2, many]}}\n'
list "table3: a factor that leaves no whole number" 'after scaling' 'experiments:\n  - {name: a, scale: {model.heads: 1/3}}\n'
list "table3: two experiments of one name" 'stands already' 'experiments:\n  - {name: a}\n  - {name: a}\n'
printf 'base: experiment.yaml\nexperiments:\n  - {name: a, relative: c}\n  - {name: b, relative: c}\n' >same.yaml
list "table3: two experiments of one name in proportion" 'a name of its own' 'relative: same.yaml\n'
list "table3: two vocabularies in one folder" "of its own, since data.vocabulary" 'experiments:\n  - {name: a, set: {data.vocabulary: 80}}\n'
list "table3: a name that is no folder's" "found '../a'" 'experiments:\n  - {name: ../a}\n'
list "table3: no seed" "'seeds'" 'seeds: []\n'
list "table3: more checkpoints than can be averaged" 'to 1000000' 'average: 9999999\n'
echo 'base: experiment.yaml' >fine.yaml
table3="transformer-experiments fine.yaml --quiet --output"
refused "table3: an experiment that is not in the list" '--only b' $table3 out --only b
refused "table3: more checkpoints to average than are kept" 'train.keep' $table3 out --average 9
refused "table3: more checkpoints to average than a training makes" 'train.steps' $table3 out --average 2 --set train.save_every=12
refused "table3: one seed for all" '--seeds' $table3 out --seed 3
refused "table3: data where the runs go" "another folder than that of the runs of 'base', found out/base" $table3 out --set data.prepared=out/base/
refused "table3: a file as output" 'experiment.yaml' $table3 experiment.yaml
mkdir out3 out4 out5 && ln -s ../experiment.yaml out3/.lock && echo mine >out4/report.md && echo mine >out5/plan.json
refused "table3: a link in the place of the lock" 'out3/.lock' $table3 out3
refused "table3: somebody's report in the output" 'out4/report.md' $table3 out4
refused "table3: somebody's report, which is to be written again" 'out4/report.md' $table3 out4 --report
refused "table3: somebody's plan in the output" 'out5/plan.json' $table3 out5 --plan
mkdir -p a_run/checkpoints && : >a_run/config.yaml && copy prepared a_prepared
refused "table3: a run directory as output" 'found a run directory' $table3 a_run
refused "table3: prepared data as output" 'found a model, prepared data or an export' $table3 a_prepared --plan
refused "table3: data that cannot be prepared" 'nosuch.en: cannot be read' $table3 out1 --set data.train=nosuch --set data.prepared=nosuch
refused "table3: data prepared with other options" data.vocabulary $table3 out2 --set data.vocabulary=800

# --- Several processes ---------------------------------------------------------------------------------------

member="env RANK=0 LOCAL_RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500"
refused "train: no processes" '--processes' $train --processes 0
refused "train: processes that try an update" 'excludes' transformer-train --quiet --config experiment.yaml --dry-run --processes 2
refused "train: processes under a launcher" 'leave the option out' $member $train --processes 2
refused "train: a launcher that forgets a variable" 'LOCAL_RANK is not set' env RANK=0 WORLD_SIZE=2 $train
refused "train: a rank beyond the others" 'RANK: expected a whole number from 0 to 1' $member RANK=2 $train
refused "train: a port that is none" 'MASTER_PORT: expected' $member MASTER_PORT=http $train
refused "train: an address on the Internet" 'listen-publicly' $member MASTER_ADDR=192.0.2.1 $train
refused "train: a way to exchange gradients that is none" 'distributed.gradients' $train --set distributed.gradients=int8

# --- Prepared data -------------------------------------------------------------------------------------------

refused "train: nothing is prepared" 'run transformer-prepare' $train --set data.prepared=nothing
refused "train: a foreign folder as prepared data" 'run transformer-prepare' $train --set data.prepared=data
refused "train: data prepared with other options" data.vocabulary $train --set data.vocabulary=800
refused "train: data prepared from another text" "one.en (data.dev), found those of another file" $train --set data.dev=one
refused "train: a key that the optimiser does not read" train.momentum $train --set train.momentum=0.5
refused "train: a group of parameters without numbers" train.groups $train --set "train.groups=*norm*"
refused "train: adapters of no matrix" train.adapters $train --set "train.adapters=*norm*"
refused "train: adapters of a rank that is none" train.adapter_rank $train --set "train.adapters=*query.weight" --set train.adapter_rank=64
refused "train: a rank without adapters" train.adapter_rank $train --set train.adapter_rank=4
refused "train: guidance without links" 'expected 0 where there are no links' $train --set train.guided_alignment=0.1
refused "train: a guided layer that there is not" 'expected at most model.decoder_layers' $train \
  --set data.links=links --set train.guided_alignment=0.1 --set train.guided_layer=9
refused "train: a tree's next word, taught where it is read" 'expected writes where a head learns which word is next' \
  $train --set data.examples=trees --set data.shared_vocabulary=false --set model.tie=target --set train.guided_alignment=0.1 --set train.guided_step=reads
refused "train: a tree's words without links" 'expected false where a head learns which word is next' \
  $train --set data.examples=trees --set data.shared_vocabulary=false --set model.tie=target --set train.guided_alignment=0.1 --set train.guided_null=true
refused "train: a guided head without guidance" 'expected 1, its default, where train.guided_alignment is 0' $train --set train.guided_head=2
refused "train: links that were not prepared" 'data.links is' $train --set data.links=links
refused "train: adapters that are no patterns" train.adapters $train --set "train.adapters=query weight"
refused "train: new pieces without other weights" train.new_pieces $train --set train.new_pieces=parts
refused "train: everything is frozen" train.groups $train --set "train.groups=* rate=0"
refused "train: weights to begin from that are missing" nosuch $train --set train.from=nosuch
refused "train: a folder without weights to begin from" 'expected a model directory' $train --set train.from=prepared
refused "train: a group that no parameter is in" train.groups $train --set "train.groups=*norm* rate=2,nrm* rate=2"
for file in train.bin dev.bin tokenizer.model summary.json dev.source.txt; do
  copy prepared flipped-$file && flip flipped-$file/$file
  refused "train: a flipped bit in $file" "$file: damaged" $train --set data.prepared=flipped-$file
  copy prepared cut-$file && truncate -s 100 cut-$file/$file
  refused "train: $file cut short" $file $train --set data.prepared=cut-$file
done
refused "prepare: the output is damaged" 'train.bin: damaged.*--overwrite' $prepare --set data.prepared=flipped-train.bin
refused "prepare: the output is damaged, and to be replaced" 'train.bin: .*changed since' $prepare --set data.prepared=flipped-train.bin --overwrite
refused "train: the prepared data as run" 'prepared/tokenizer.model' transformer-train --quiet --config experiment.yaml --run prepared
copy prepared gone && rm gone/tokenizer.model
refused "train: a prepared folder without its tokenizer" tokenizer.model $train --set data.prepared=gone
copy prepared swapped && $prepare --set data.vocabulary=800 --set data.prepared=smaller >prepared.log
cp smaller/tokenizer.model swapped
refused "train: the tokenizer of other prepared data" tokenizer.model $train --set data.prepared=swapped
copy prepared unlisted && rm unlisted/checksums.sha256
refused "train: a prepared folder without checksums" checksums.sha256 $train --set data.prepared=unlisted
copy prepared petabytes
printf '\0\0\0\0\0\0\004\0' | dd of=petabytes/train.bin bs=1 seek=16 conv=notrunc status=none
refused "train: a data set that promises petabytes" 'does not fit' $train --set data.prepared=petabytes
copy prepared linked && ln -sf nowhere linked/train.bin
refused "train: a link to nowhere as data set" train.bin $train --set data.prepared=linked

if can_be_nobody; then
  mkdir locked && chmod 000 locked
  refused "prepare: a text without permission" 'Permission denied' as_nobody $prepare --set data.dev=locked/dev --set data.prepared=new
  refused "prepare: an output without permission" 'Permission denied' as_nobody $prepare --set data.prepared=locked/new
  refused "a configuration without permission" 'Permission denied' as_nobody transformer-inspect --config locked/c.yaml
fi
finish_refusals
