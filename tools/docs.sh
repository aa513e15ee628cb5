#!/usr/bin/env bash
# The documents as a site that needs no network, with the API of the public headers, in build/docs.
#
#   tools/docs.sh ENVIRONMENT    a folder for Python's packages (docs/requirements.txt), which are installed if they are not
#
# It wants doxygen and Python's venv, which ./dev docs installs. docs/hooks.py says what is a page. A dead link, and a warning of
# MkDocs or Doxygen, is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
environment=$1 site=$PWD/build/docs
mapfile -t packages <tools/docs/requirements.txt
tests/python_environment.sh --bare "$environment" "${packages[@]}"
export NO_MKDOCS_2_WARNING=1 PYTHONDONTWRITEBYTECODE=1
"$environment/bin/python" -m mkdocs build --strict --config-file tools/docs/mkdocs.yml
mkdir "$site/api"
{
  cat tools/docs/Doxyfile
  echo "OUTPUT_DIRECTORY = $site/api"
  echo "INPUT = transformer/transformer.h $(sed -n 's/^#include "\(.*\)"$/\1/p' transformer/transformer.h | tr '\n' ' ')"
} | doxygen -
sed -i 's|<div id="projectbrief">[^<]*|&. <a href="../index.html">To the documents</a>|' "$site"/api/*.html
"$environment/bin/python" tools/docs/check.py "$site" >&2
echo "$site/index.html"
