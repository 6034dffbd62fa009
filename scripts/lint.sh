# clang-format and clang-tidy. Sourced by ./dev.
# shellcheck shell=bash
# $root and $jobs come from ./dev.
# shellcheck disable=SC2154

# The C++ files of the work tree, new ones too.
sources() {
  local file
  git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp' '*.h' |
    while read -r file; do [ ! -f "$file" ] || echo "$file"; done
}

check_format() { sources | xargs -r clang-format-19 --dry-run -Werror; }
format_sources() { sources | xargs -r clang-format-19 -i; }

# Tests are left to the compilers' warnings: what GoogleTest's macros expand to drowns the checks.
check_tidy() {
  configure clang || return 1
  local patterns
  mapfile -t patterns < <(sources | grep '\.cpp$' | grep -v '^tests/' | sed "s|^|^$root/|; s|\$|\$|")
  [ ${#patterns[@]} -gt 0 ] || return 0
  run-clang-tidy-19 -quiet -j "$jobs" -p build/clang "${patterns[@]}"
}

lint() {
  local status=0
  check_format || status=1
  check_tidy || status=1
  return $status
}
