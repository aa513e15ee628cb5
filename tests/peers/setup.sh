#!/usr/bin/env bash
# Installs what the project is compared with, from PyPI, into a folder of its own.
#   setup.sh FOLDER
set -eu
folder=$1
[ ! -e "$folder/ready" ] || exit 0
rm -rf "$folder"
python3 -m venv "$folder"
pip() { "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" >&2; }
pip typing_extensions filelock fsspec jinja2 networkx sympy numpy ctranslate2==4.8.0 sentencepiece pyyaml setuptools
# Last, or pip complains of what is left out: PyTorch's wheel wants all of CUDA, and opens these three on a machine
# without a GPU.
pip --no-deps torch==2.11.0 nvidia-cusparselt-cu13==0.8.0 nvidia-nvshmem-cu13==3.4.5 nvidia-cufile \
  nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85
touch "$folder/ready"
