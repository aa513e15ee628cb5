#!/usr/bin/env bash
# The reference pages say what the programs print: every key and every option. A page that does not is noticed.
source "$(dirname "$0")/common.sh"
programs=$(dirname "$(command -v transformer-inspect)")

"$source_dir/tools/reference.sh" --check "$programs" || fail "the pages of docs/reference"

# Every key is there, and a program for each that a user calls.
while read -r key; do
  grep -q "^| \[\{0,1\}\`$key\`" "$source_dir/docs/reference/keys.md" || fail "no key $key"
done < <(transformer-inspect --help-config | sed -n 's/^\([a-z_]*\.\{0,1\}[a-z_.]*\) .*default: .*/\1/p')
for program in "$programs"/transformer-*; do
  case ${program##*/} in
    transformer-demo-corpus | transformer-table3) ;; # the demo's own; another name of transformer-experiments
    *) grep -qx "## ${program##*/}" "$source_dir/docs/reference/programs.md" || fail "no program ${program##*/}" ;;
  esac
done

# The same of a copy that was altered.
mkdir -p copy/docs copy/tools
cp -r "$source_dir/docs/reference" copy/docs/
cp "$source_dir/tools/reference.sh" copy/tools/
altered() { # NAME FILE SED
  sed -i "$3" "copy/docs/reference/$2"
  cmp -s "copy/docs/reference/$2" "$source_dir/docs/reference/$2" && fail "$1: nothing was altered"
  copy/tools/reference.sh --check "$programs" 2>report && fail "$1 is not noticed"
  copy/tools/reference.sh --write "$programs" >report || fail "$1: cannot be written again"
  cmp "copy/docs/reference/$2" "$source_dir/docs/reference/$2" || fail "$1 is not mended"
}
altered "a default" keys.md 's/`0\.98`/`0.99`/'
if transformer-prepare --help | grep -q 'TEXT=auto'; then altered "an option" programs.md '/`--explain/d'; fi
finish
