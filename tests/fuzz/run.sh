#!/usr/bin/env bash
# Runs the libFuzzer programs in BUILD/bin, each for an equal share of so many minutes.
#
#   run.sh BUILD MINUTES JOBS
#
# BUILD/corpus/NAME keeps the inputs that reached something new, so that a later run goes on from there;
# BUILD/found/NAME the inputs that show a defect, which a later run tries first; BUILD/log/NAME.txt what libFuzzer
# said. Exit status: 0 nothing found, 1 something found, 2 nothing to run.
set -euo pipefail
build=$1 minutes=$2 jobs=$3
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$build"
mapfile -t names < <(find bin -name 'fuzz_*' -printf '%f\n' | sed 's/^fuzz_//' | sort)
[ ${#names[@]} -gt 0 ] || exit 2
seconds=$((minutes * 60 * jobs / ${#names[@]}))
mkdir -p log

# The sanitizer ends a program that takes too much memory: libFuzzer would profile the heap first, for minutes.
export ASAN_OPTIONS=detect_odr_violation=0:hard_rss_limit_mb=2048
export LSAN_OPTIONS=suppressions=$tests/leaks.txt:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # some targets write small files with every input

# fuzz NAME SECONDS
fuzz() {
  local name=$1
  mkdir -p "corpus/$name" "found/$name"
  "bin/fuzz_$name" --write-seeds="seeds/$name"
  echo "fuzz: $name for $2 s"
  if "bin/fuzz_$name" -max_total_time="$2" -timeout=20 -rss_limit_mb=0 -malloc_limit_mb=1024 \
    -dict="seeds/$name.dict" -artifact_prefix="found/$name/" -print_final_stats=1 \
    "corpus/$name" "seeds/$name" "found/$name" >"log/$name.txt" 2>&1; then
    rm -rf "found/$name" # mended
  else
    echo "fuzz: $name found something; $build/log/$name.txt says what"
  fi
}
export build
export -f fuzz
printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c "fuzz {} $seconds"

# Of the last line with coverage: "#N DONE cov: C ft: F corp: I/B …".
printf '\n%-14s %12s %10s %10s %10s\n' target runs 'a second' coverage inputs
for name in "${names[@]}"; do
  awk -v name="$name" '
    / cov: / { for (i = 1; i < NF; ++i) if ($i == "cov:") coverage = $(i + 1) }
    /^stat::number_of_executed_units/ { runs = $2 }
    /^stat::average_exec_per_sec/ { rate = $2 }
    END { printf "%-14s %12s %10s %10s ", name, runs, rate, coverage }' "log/$name.txt"
  printf '%10s\n' "$(find "corpus/$name" -type f | wc -l)"
done
mapfile -t found < <(find found -type f 2>/dev/null | sort)
[ ${#found[@]} -gt 0 ] || exit 0
printf '\nfound:\n'
printf "  $build/%s\n" "${found[@]}"
exit 1
