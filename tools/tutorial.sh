#!/usr/bin/env bash
# The pages of the tutorial against the program that they show.
#
#   tools/tutorial.sh --check PROGRAM    fails if a page or a picture is not what source and program give
#   tools/tutorial.sh --write PROGRAM    writes it into them
#
# A page, NN-a-name.md, shows examples/tutorial/NN_a_name.cpp. What stands between two marks, each a line of its own, is made:
#
#   <!-- section NAME -->     the lines behind section("NAME") in the source, and what they print
#   <!-- code NAME -->        the lines between "// --- NAME" and "// ---" in the source
#   <!-- end -->
#
# Every section of a source stands on its page, and every picture that the program draws lies beside the pages.
set -euo pipefail
mode=${1:-} program=${2:-}
[[ $# -eq 2 && ($mode = --check || $mode = --write) ]] || {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
}
program=$(command -v "$program") || {
  echo "tutorial.sh: $2: no such program" >&2
  exit 2
}
program=$(realpath "$program")
cd "$(dirname "${BASH_SOURCE[0]}")/../docs/tutorial"
sources=../../examples/tutorial
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
mkdir "$made/pictures"
failed=0

fail() {
  echo "tutorial.sh: $*" >&2
  failed=1
}

# page PAGE SOURCE OUTPUT  prints the page as it should be.
page() {
  awk -v source="$2" -v output="$3" '
    function stop(text) { print "tutorial.sh: " FILENAME ": " text > "/dev/stderr"; failed = 1; exit 1 }
    function append(texts, name, line) { texts[name] = texts[name] line "\n" }
    function block(kind, text) {
      sub(/^\n+/, "", text)
      sub(/\n+$/, "", text)
      if (text != "") printf "\n```%s\n%s\n```\n", kind, text
    }
    function name_in(line) { # of a mark: <!-- section NAME -->
      split(line, words, " ")
      return words[3]
    }
    BEGIN {
      while ((getline line < source) > 0) {
        if (line ~ /^  section\("/) {
          split(line, parts, "\"")
          section = parts[2]
          sections[section] = ""
          continue
        }
        if (line ~ /^\/\/ ---/) {
          code = substr(line, 8)
          if (code != "") codes[code] = ""
          continue
        }
        if (line ~ /^}/) section = ""
        if (section != "") { sub(/^  /, "", line); append(sections, section, line) }
        else if (code != "") append(codes, code, line)
      }
      while ((getline line < output) > 0) {
        if (line ~ /^--- /) section = substr(line, 5)
        else append(outputs, section, line)
      }
    }
    /^<!-- end -->$/ { if (!inside) stop("an end without a beginning in line " FNR); inside = 0; print ""; }
    /^<!-- section .* -->$/ {
      name = name_in($0)
      if (!(name in sections)) stop("no section " name " in " source)
      print
      block("cpp", sections[name])
      block("text", outputs[name])
      shown[name] = 1
      inside = 1
    }
    /^<!-- code .* -->$/ {
      name = name_in($0)
      if (!(name in codes)) stop("no code " name " in " source)
      print
      block("cpp", codes[name])
      inside = 1
    }
    !inside
    END {
      if (failed) exit 1
      if (inside) stop("no end behind the last mark")
      for (name in sections) if (!(name in shown)) stop("the section " name " of " source " is not shown")
    }' "$1"
}

# take MADE KEPT  compares or writes.
take() {
  if [ "$mode" = --write ]; then
    cmp -s "$1" "$2" || { cat "$1" >"$2" && echo "docs/tutorial/$2: written"; }
  elif [ ! -e "$2" ]; then
    fail "$2 is missing; ./dev tutorial --write makes it"
  elif ! diff -u --label "$2" --label "as the program has it" "$2" "$1" >&2; then
    fail "$2 is not what the program gives; ./dev tutorial --write mends it"
  fi
}

"$program" --pictures "$made/pictures" >"$made/all"
awk -v folder="$made" '/^=== / { file = sprintf("%s/%02d", folder, $2); next } { print > file }' "$made/all"
for file in [0-9][0-9]-*.md; do
  stem=${file%.md}
  source=$sources/${stem//-/_}.cpp
  if [ ! -e "$source" ]; then
    fail "$file has no $source"
  elif page "$file" "$source" "$made/${file:0:2}" >"$made/page"; then
    take "$made/page" "$file"
  else
    failed=1
  fi
done
for source in "$sources"/[0-9][0-9]_*.cpp; do
  stem=$(basename "$source" .cpp)
  [ -e "${stem//_/-}.md" ] || fail "$source has no page ${stem//_/-}.md"
done
for picture in "$made"/pictures/*; do take "$picture" "$(basename "$picture")"; done
exit $failed
