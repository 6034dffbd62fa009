# Configuring and building with the presets. Sourced by ./dev.
# shellcheck shell=bash
# $root and $jobs come from ./dev.
# shellcheck disable=SC2154

# configure PRESET: quiet unless it fails.
configure() {
  local log=build/$1-configure.log
  mkdir -p build
  if ! cmake --preset "$1" >"$log" 2>&1; then
    cat "$log" >&2
    echo "dev: configuring '$1' failed" >&2
    return 1
  fi
}

# build PRESET [TARGET...]: goes on after an error, so that one run shows them all.
build() {
  local preset=$1
  shift
  local targets=()
  [ $# -eq 0 ] || targets=(--target "$@")
  cmake --build "build/$preset" --parallel "$jobs" "${targets[@]}" -- -k 0 >&2
}

has_target() { ninja -C "build/$1" -t query "$2" >/dev/null 2>&1; }

# run_programs PRESET PATTERN MESSAGE ARGS...: each program of that name, or an error.
run_programs() {
  local folder=build/$1/bin pattern=$2 message=$3 program found=
  shift 3
  # shellcheck disable=SC2231
  for program in "$folder"/$pattern; do
    [ -x "$program" ] || continue
    found=1
    echo "== $program" >&2
    "$program" "$@"
  done
  if [ -z "$found" ]; then
    echo "dev: $message" >&2
    return 2
  fi
}
