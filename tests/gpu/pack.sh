#!/usr/bin/env bash
# Packs what measure.sh needs and a bare machine lacks into one archive of less than 60 MiB: programs and tests as they
# are built here, the libraries of the system that they load, prepared text, and CTranslate2. LibTorch and CUDA are not
# packed: the machine with the GPU has them.
#   pack.sh [--python 3.12] [ARCHIVE]     ARCHIVE: build/gpu.tar.xz if not told; --python: that machine's Python
set -euo pipefail
cd "$(dirname "$0")/../.."

python=3.12 archive=
while [ $# -gt 0 ]; do
  case $1 in
    --python) python=${2:?--python: expected a version behind it, found none} && shift 2 ;;
    --help | -h) sed -n '2,5s/^# \{0,1\}//p' "$0" && exit ;;
    -*) echo "pack.sh: $1: expected --python or the archive's name, found another option" >&2 && exit 2 ;;
    *) archive=$1 && shift ;;
  esac
done
archive=$(realpath -m "${archive:-build/gpu.tar.xz}")

programs=(transformer-{train,bench,translate,export,score,evaluate,sweep,experiments,prepare,demo-corpus})
tests=(test_{fake_device,train,models,runtime})
./dev build "${programs[@]}" "${tests[@]}" transformer_fake_device >&2
bin=$PWD/build/bin
here=$PWD/tests/gpu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/pack/{bin,lib,python}

for program in "${programs[@]}" "${tests[@]}"; do strip -o "$work/pack/bin/$program" "$bin/$program"; done
cp "$(find build -name libtransformer_fake_device.so)" "$work/pack/lib/"
# Pack the system's libraries that some Linux systems lack. The C and C++ libraries are everywhere.
ldd "$work"/pack/bin/* |
  awk '$2 == "=>" && $3 ~ "^(/usr)?/lib/" && $1 !~ /^(libc|libm|libdl|libpthread|librt|libutil|libstdc\+\+|libgcc_s)\.so/ { print $3 }' |
  sort -u | while read -r library; do cp -L "$library" "$work/pack/lib/"; done

echo "pack.sh: text" >&2
python3 "$here/text.py" "$work/text"
# prepare NAME TEXT VOCABULARY [YAML]  a data set of TEXT's sentences in pack/data/NAME, beside its configuration
prepare() {
  cat >"$work/pack/$1.yaml" <<YAML
data: {source: xx, target: yy, train: ../text/$2, dev: ../text/dev, vocabulary: $3, max_tokens: 256, prepared: data/$1${4:-}}
YAML
  "$bin/transformer-prepare" --quiet --config "$work/pack/$1.yaml" >&2
}
prepare train train 37000
prepare miniature train 3000
for length in 12 24 48 96; do prepare "length-$length" "length-$length" 37000 ", tokenizer: data/train/tokenizer.model"; done
head -n 512 "$work/text/length-24.xx" >"$work/pack/512.xx"

echo "pack.sh: CTranslate2 for Python $python" >&2
platforms=()
for version in 2_17 2_27 2_28; do platforms+=(--platform "manylinux_${version}_x86_64"); done
if python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version "$python" \
  --implementation cp "${platforms[@]}" --platform manylinux2014_x86_64 -d "$work" ctranslate2==4.8.0 >&2; then
  python3 -m zipfile -e "$work"/ctranslate2-*.whl "$work/pack/python"
else
  echo "pack.sh: no CTranslate2 for Python $python: the archive goes without" >&2
fi

mkdir -p "$(dirname "$archive")"
tar -C "$work/pack" -c . | xz --threads=1 --x86 --lzma2=preset=6,dict=128MiB >"$archive.partial" # one dictionary for all programs
mv "$archive.partial" "$archive"
echo "$archive: $(($(stat -c %s "$archive") >> 20)) MiB"
