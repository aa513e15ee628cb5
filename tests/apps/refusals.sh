# What the tests of refused input share. They are run as: bash NAME_test.sh SOURCE_DIR [--table]
# With --table they print their rows of docs/reference/messages.md, which are checked otherwise.
source "$(dirname "$0")/common.sh"
mode=${2:-}
document=$source_dir/docs/reference/messages.md
mkdir rows
number=0

# refused INPUT PATTERN COMMAND…  must end with status 2, one line on standard error that holds the pattern, and
# nothing on standard output. INPUT is the row's first column. Two run at a time, so each needs its own files.
refused() { expect 2 "$@"; }

# failed INPUT PATTERN COMMAND…  the same with status 1: the machine's fault.
failed() { expect 1 "$@"; }

expect() {
  number=$((number + 1))
  judge "$(printf 'rows/%03d' $number)" "$@" </dev/null &
  [ $((number % 2)) = 1 ] || wait
}

# judge FILE STATUS INPUT PATTERN COMMAND…  leaves the row in FILE, and what is wrong with it in FILE.wrong.
judge() {
  local file=$1 wanted=$2 input=$3 pattern=$4 status=0
  shift 4
  "$@" >$file.output 2>$file.error || status=$?
  # What differs from machine to machine is left out.
  sed -i -e "s|$folder/||g" -e 's/\<[0-9a-f]\{64\}\>/…/g' -e 's/\(expected\|found\) [0-9a-f]\{16\}\>/\1 …/g' \
    -e 's/process [0-9]*/process 4711/' -e 's/[0-9.]* GB/… GB/g' \
    -e 's|\<case[0-9]*/||g' $file.error
  {
    [ "$status" = "$wanted" ] || echo "status $status instead of $wanted: $*: $(cat $file.error)"
    [ "$(wc -l <$file.error)" = 1 ] || echo "$(wc -l <$file.error) lines instead of one: $*: $(cat $file.error)"
    grep -q -- "$pattern" $file.error || echo "no '$pattern' in the message of: $*: $(cat $file.error)"
    [ ! -s $file.output ] || echo "output in spite of an error: $*"
  } >$file.wrong
  echo "| $input | \`$(sed 's/^error: //; s/|/\\|/g' $file.error)\` | $status |" >$file
}

# flip FILE [OFFSET]  damages a byte.
flip() { printf '\001' | dd of="$1" bs=1 seek="${2:-200}" conv=notrunc status=none; }

# copy FROM TO  a folder, with links followed.
copy() { cp -rL "$1" "$2"; }

# as_nobody COMMAND…  without the rights of root, where the tests have them.
as_nobody() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
  else
    "$@"
  fi
}

can_be_nobody() {
  chmod 755 "$folder" # mktemp's is for its owner alone
  as_nobody transformer-inspect --config "$folder/experiment.yaml" >/dev/null 2>&1 && return
  echo "skipped: no other user can run the programs here" >&2
  return 1
}

# is_documented ROW  Libraries' words may differ between their versions, and from machine to machine.
is_documented() {
  case $1 in
    *"CUDA's libraries"* | *'CUDA finds no device'* | *'--help says'* | *'not valid YAML'* | *' pieces'* | *' tokens with its end'* | *'| `rank '*) grep -qF -- "${1%%\`*}" "$document" ;;
    *) grep -qxF -- "$1" "$document" ;;
  esac
}

finish_refusals() {
  wait
  local file
  for file in rows/*.wrong; do
    [ ! -s "$file" ] || fail "$(cat "$file")"
  done
  [ -z "$(find . -name '*new*' -o -name '*partial*')" ] ||
    fail "left behind: $(find . -name '*new*' -o -name '*partial*' | tr '\n' ' ')"
  for file in rows/[0-9][0-9][0-9]; do
    if [ "$mode" = --table ]; then
      cat "$file"
    else
      is_documented "$(cat "$file")" || fail "not in docs/reference/messages.md, which says how it is made: $(cat "$file")"
    fi
  done
  [ "$mode" = --table ] || finish
}
