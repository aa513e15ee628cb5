#!/usr/bin/env bash
# Installs the programs that exported models and event files are for into a folder of its own.
#   setup.sh FOLDER
set -eu
"$(dirname "$0")/../python_environment.sh" "$1" ctranslate2==4.8.0 transformers==5.23.0 safetensors==0.8.0 \
  sentencepiece==0.2.3 sacrebleu==2.6.0 pyyaml==6.0.3 tensorboard==2.21.0 PYEVALB==0.1.3 setuptools \
  nvidia-cuda-nvrtc==13.0.88
