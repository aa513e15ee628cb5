#!/usr/bin/env bash
# docs/evidence/errata.md names tests, cases and programs that exist, and has evidence for each of its twenty-one entries.
source "$(dirname "$0")/common.sh"

# cases FILE  the names of its cases, also of those that are broken into several lines.
cases() {
  tr '\n' ' ' <"$1" | sed 's/" *"//g' | grep -o 'TEST_CASE( *"[^"]*"' | sed 's/^[^"]*"//;s/"$//'
}

# holds ROOT PAGE  prints what is wrong.
holds() {
  local page=$2 line file name number
  for number in $(seq 21); do
    [ "$(grep -c "^### $number\. " "$page")" = 1 ] || echo "entry $number stands there not once"
  done
  awk '/^### / { if (entry != "" && !shown) print entry ": nothing shows it"; entry = $0; shown = 0 }
    /^\* (Shown by|By reading)/ { shown = 1 }
    END { if (!shown) print entry ": nothing shows it" }' "$page"
  while read -r line; do
    case $line in
      '* Shown by `tutorial '[1-8]'`'*) ;;
      '* Shown by `tests/'*'` "'*'"'*)
        file=${line#*\`}
        file=${file%%\`*}
        name=${line#*\"}
        name=${name%%\"*}
        if [ ! -f "$1/$file" ]; then
          echo "no file $file"
        elif ! cases "$1/$file" | grep -Fxq -- "$name"; then
          echo "no case \"$name\" in $file"
        fi
        ;;
      *) echo "names neither a case nor a program: $line" ;;
    esac
  done < <(grep -F 'Shown by' "$page")
}

wrong=$(holds "$source_dir" "$source_dir/docs/evidence/errata.md")
[ -z "$wrong" ] || fail "$wrong"
[ "$(grep -c 'Shown by' "$source_dir/docs/evidence/errata.md")" -gt 40 ] || fail "the page has lost its evidence"

# What is not so is noticed.
altered() { # SED MESSAGE
  sed "$1" "$source_dir/docs/evidence/errata.md" >page
  holds "$source_dir" page | says "$2" || fail "not noticed: $1"
}
altered 's/norms by their formulas/norms by no formula/' 'no case "norms by no formula" in tests/nn/norm_test.cpp'
altered 's/masks_test/mask_test/' 'no file tests/nn/mask_test.cpp'
altered 's/`tutorial 5`/`tutorial 9`/' 'names neither a case nor a program: .*tutorial 9'
altered 's/^### 14\. /### 4. /' 'entry 14 stands there not once'
altered '/^### 16/,/^## /{/^\* /d}' '### 16.*nothing shows it'
finish
