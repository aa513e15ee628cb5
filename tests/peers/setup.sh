#!/usr/bin/env bash
# Installs what the project's speed is compared with into a folder of its own.
#   setup.sh FOLDER
set -eu
"$(dirname "$0")/../python_environment.sh" "$1" ctranslate2==4.8.0 sentencepiece setuptools
