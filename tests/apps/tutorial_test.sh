#!/usr/bin/env bash
# The pages of the tutorial hold the program's own source, its own output and its own pictures; a page that does not is noticed.
source "$(dirname "$0")/common.sh"

"$source_dir/tools/tutorial.sh" --check tutorial || fail "the pages of docs/tutorial"

# The same of a copy that was altered.
mkdir -p copy/docs copy/examples copy/tools
cp "$source_dir/tools/tutorial.sh" copy/tools/
cp -r "$source_dir/docs/tutorial" copy/docs/
cp -r "$source_dir/examples/tutorial" copy/examples/
pages=copy/docs/tutorial
altered() { # NAME FILE SED
  sed -i "$3" "$2"
  cmp -s "$2" "$source_dir/${2#copy/}" && fail "$1: nothing was altered"
  copy/tools/tutorial.sh --check tutorial >report 2>&1 && fail "$1 is not noticed"
  copy/tools/tutorial.sh --write tutorial >report || fail "$1: cannot be written again"
  cmp "$2" "$source_dir/${2#copy/}" || fail "$1 is not mended"
}
altered "a number of an output" $pages/01-one-head.md 's/0.0633789383/0.0633789384/'
altered "a line of code" $pages/03-masks.md 's/causal_mask(3/causal_mask(4/'
altered "a picture" $pages/curves.svg '0,/M\|points/s/points="5/points="6/'
echo 'void more() {}' >copy/examples/tutorial/09_more.cpp
copy/tools/tutorial.sh --check tutorial 2>report && fail "a source without a page is not noticed"
says '09-more.md' <report || fail "a source without a page: $(cat report)"
rm copy/examples/tutorial/09_more.cpp
sed -i 's/^  section("saturation");/  section("another");/' copy/examples/tutorial/01_one_head.cpp
copy/tools/tutorial.sh --check tutorial 2>report && fail "a section that the source has not is not noticed"
says 'no section saturation' <report || fail "a section that the source has not: $(cat report)"

# The program takes numbers of pages.
tutorial 6 1 >report || fail "two pages"
grep '^===' report >titles
printf '=== 6. %s\n=== 1. %s\n' 'Searching for a translation' "A word's way through one head" | cmp - titles ||
  fail "two pages: $(cat titles)"
mkdir drawn && tutorial --pictures drawn 2 >/dev/null && tutorial --pictures drawn 2 >/dev/null || fail "pictures, twice"
echo mine >drawn/curves.svg
tutorial --pictures drawn 2 >/dev/null 2>report && fail "somebody's file was replaced by a picture"
says 'drawn/curves.svg: expected nothing or the same picture' <report && [ "$(cat drawn/curves.svg)" = mine ] || fail "a picture: $(cat report)"
tutorial 13 2>report && fail "a page that is not there"
says 'expected --pictures DIR or the number of a page, 1 to 12' <report || fail "a page that is not there: $(cat report)"
finish
