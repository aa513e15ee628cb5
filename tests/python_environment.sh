#!/usr/bin/env bash
# Makes a Python environment with PyTorch, for a machine without a GPU, and other packages from PyPI. A folder that
# was made for the same packages stays as it is.
#   python_environment.sh [--bare] FOLDER REQUIREMENT…      --bare: these packages and no PyTorch
set -eu
bare=no
[ "$1" != --bare ] || { bare=yes && shift; }
folder=$1
shift
requirements=(typing_extensions filelock fsspec jinja2 networkx sympy numpy "$@")
# PyTorch's wheel wants all of CUDA, and opens these without a GPU too.
torch=(torch==2.11.0 nvidia-cusparselt-cu13==0.8.0 nvidia-nvshmem-cu13==3.4.5 nvidia-cufile
  nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85)
[ $bare = no ] || { requirements=("$@") && torch=(); }
[ "$(cat "$folder/ready" 2>/dev/null)" != "${requirements[*]} ${torch[*]}" ] || exit 0
[ ! -e "$folder" ] || [ -e "$folder/pyvenv.cfg" ] || {
  echo "$folder: expected nothing or a Python environment, found something else, which is not replaced" >&2 && exit 2
}
rm -rf "$folder"
python3 -m venv "$folder"
pip() { "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" >&2; }
pip "${requirements[@]}"
if [ $bare = no ]; then
  pip --no-deps "${torch[@]}" # last, or pip complains of what is left out
  # The wheel needs all CUDA libraries that it names (2.5 GB) unless the system has them.
  "$folder/bin/python" -c 'import torch' 2>/dev/null || pip "${torch[0]}"
fi
echo "${requirements[*]} ${torch[*]}" >"$folder/ready"
