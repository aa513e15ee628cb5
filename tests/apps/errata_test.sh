#!/usr/bin/env bash
# docs/evidence/errata.md names tests, cases and programs that exist, and has evidence for each of its twenty-one entries.
source "$(dirname "$0")/common.sh"

# cases FILE  the names of its cases, also of those that are broken into several lines.
cases() {
  tr '\n' ' ' <"$1" | sed 's/" *"//g' | grep -o 'TEST_CASE( *"[^"]*"' | sed 's/^[^"]*"//;s/"$//'
}

# holds ROOT PAGE  prints what is wrong.
holds() {
  local page=$2 number where what file
  for number in $(seq 21); do
    [ "$(grep -c "^### $number\. " "$page")" = 1 ] || echo "entry $number stands there not once"
    grep -q "^| $number | " "$page" || echo "entry $number: nothing shows it"
  done
  while IFS='|' read -r _ number where what _; do
    number=${number// /} where=${where# } where=${where% } what=${what# } what=${what% }
    [[ $number =~ ^[0-9]+$ ]] || continue
    [ "$number" -le 21 ] || echo "no entry $number"
    case $where in
      '`tutorial '[1-8]'`' | 'by reading') ;;
      '`tests/'*'`')
        file=${where//\`/}
        if [ ! -f "$1/$file" ]; then
          echo "no file $file"
        elif ! cases "$1/$file" | grep -Fxq -- "$what"; then
          echo "no case \"$what\" in $file"
        fi
        ;;
      *) echo "names neither a case nor a program: $where" ;;
    esac
  done < <(sed -n '/^## Evidence/,$p' "$page" | grep '^| ')
}

wrong=$(holds "$source_dir" "$source_dir/docs/evidence/errata.md")
[ -z "$wrong" ] || fail "$wrong"
[ "$(grep -cE '^\| [0-9]+ \| `t' "$source_dir/docs/evidence/errata.md")" -gt 40 ] || fail "the page has lost its evidence"

# What is not so is noticed.
altered() { # SED MESSAGE
  sed "$1" "$source_dir/docs/evidence/errata.md" >page
  holds "$source_dir" page | says "$2" || fail "not noticed: $1"
}
altered 's/norms by their formulas/norms by no formula/' 'no case "norms by no formula" in tests/nn/norm_test.cpp'
altered 's/masks_test/mask_test/' 'no file tests/nn/mask_test.cpp'
altered 's/`tutorial 5`/`tutorial 9`/' 'names neither a case nor a program: .*tutorial 9'
altered 's/^### 14\. /### 4. /' 'entry 14 stands there not once'
altered '/^| 16 | /d' 'entry 16: nothing shows it'
finish
