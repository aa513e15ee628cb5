#!/usr/bin/env bash
# Builds llama-cpp-python, which needs a compiler and some minutes, into the folder of setup.sh, for check_gguf.py.
#   setup_llama.sh FOLDER
set -eu
[ -x "$1/bin/pip" ] || { echo "$1: expected the folder that ./dev test --interop makes" >&2 && exit 2; }
CMAKE_ARGS="-DGGML_NATIVE=ON -DLLAVA_BUILD=OFF" "$1/bin/pip" install --quiet --disable-pip-version-check llama-cpp-python==0.3.16
