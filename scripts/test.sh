# ./dev test: the stages, and the sum of their results. Sourced by ./dev.
# shellcheck shell=bash
# $root and $jobs come from ./dev.
# shellcheck disable=SC2154

all_stages=(release asan tsan clang lint)
more_stages=(tsan-clang)  # only when named
all_labels=(unit stress model numa mpi slurm install)

# One line a stage: "passed failed skipped".
results=
broken=()

record() { results+="$*"$'\n'; }

# check NAME COMMAND...: a step that is a test by itself.
check() {
  local name=$1
  shift
  if "$@"; then
    record 1 0 0
  else
    record 0 1 0
    broken+=("$name")
  fi
}

# built PRESET: configures and builds; a failure counts as one failed test.
built() {
  if configure "$1" && build "$1"; then return 0; fi
  record 0 1 0
  broken+=("$1: build")
  return 1
}

# Address-space randomisation of recent kernels can break ThreadSanitizer's memory layout.
without_aslr() {
  if setarch "$(uname -m)" -R true 2>/dev/null; then setarch "$(uname -m)" -R "$@"; else "$@"; fi
}

# ctest_in PRESET LABELS: runs the tests and counts them.
ctest_in() {
  local preset=$1 labels=$2 report=$root/build/$1-tests.xml prefix=() status=0 counts="0 0 0"
  [[ "$preset" != tsan* ]] || prefix=(without_aslr)
  rm -f "$report"
  "${prefix[@]}" ctest --test-dir "build/$preset" -L "^($labels)\$" --parallel "$jobs" \
    --output-on-failure --no-tests=ignore --output-junit "$report" </dev/null || status=$?
  if [ -e "$report" ] && ! counts=$(python3 scripts/count_tests.py "$report" "$preset"); then
    counts="0 0 0"
    status=1
  fi
  record "$counts"
  # No test failed, yet CTest did: a program that cannot list its tests, for example.
  if [ "$status" -ne 0 ] && [[ "$counts" == *" 0 "* ]]; then
    record 0 1 0
    broken+=("$preset: ctest ended with status $status")
  fi
}

stage_release() { if built release; then ctest_in release "${1:-$(IFS='|'; echo "${all_labels[*]}")}"; fi; }

stage_asan() {
  built asan || return 0
  ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1 \
    UBSAN_OPTIONS=print_stacktrace=1 \
    NEARFORK_TEST_SCALE=${NEARFORK_TEST_SCALE:-0.2} ctest_in asan 'unit|stress'
}

stage_tsan() { thread_sanitizer tsan; }
stage_tsan-clang() { thread_sanitizer tsan-clang; }
thread_sanitizer() {
  built "$1" || return 0
  TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1 \
    NEARFORK_TEST_SCALE=${NEARFORK_TEST_SCALE:-0.05} ctest_in "$1" 'unit|stress'
}

stage_clang() { if built clang; then ctest_in clang unit; fi; }

stage_lint() {
  check "lint: clang-format" check_format
  check "lint: clang-tidy" check_tidy
}

run_tests() {
  local stages=() labels=() what
  for what in "$@"; do
    [ "$what" != --quick ] || what=unit
    if [[ " ${all_stages[*]} ${more_stages[*]} " == *" $what "* ]]; then
      stages+=("$what")
    elif [[ " ${all_labels[*]} " == *" $what "* ]]; then
      labels+=("$what")
    else
      echo "dev test: unknown stage or label '$what'; stages: ${all_stages[*]} ${more_stages[*]}; labels: ${all_labels[*]}" >&2
      exit 2
    fi
  done
  [ $# -gt 0 ] || stages=("${all_stages[@]}")

  setup test
  local start stage begun=$SECONDS
  if [ ${#labels[@]} -gt 0 ]; then
    stage_release "$(IFS='|'; echo "${labels[*]}")"
  fi
  for stage in "${stages[@]}"; do
    start=$SECONDS
    echo "== stage $stage"
    "stage_$stage"
    echo "== stage $stage took $((SECONDS - start)) s"
  done
  echo "== all stages took $((SECONDS - begun)) s"

  for what in "${broken[@]}"; do echo "FAILED $what"; done
  local passed failed skipped
  read -r passed failed skipped < <(awk '{p += $1; f += $2; s += $3} END {print p + 0, f + 0, s + 0}' <<<"$results")
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}
