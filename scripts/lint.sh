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

# The sources, and one unit with every public header. Tests are left to the compilers' warnings:
# what GoogleTest's macros expand to drowns the checks. -Wno-error: the compilers' own warnings are
# the compilers' business (the clang stage), with their pragmas and system headers honoured.
check_tidy() {
  configure clang || return 1
  local patterns
  mapfile -t patterns < <(sources | grep '\.cpp$' | grep -v '^tests/' | sed "s|^|^$root/|; s|\$|\$|")
  run-clang-tidy-19 -quiet -j "$jobs" -p build/clang -extra-arg=-Wno-error "${patterns[@]}" \
    '/all_public_headers\.cpp$' >build/clang-tidy.log 2>&1 && return 0
  grep -vE '^(clang-tidy-19 |[0-9]+ warnings? |\[ *[0-9]+/|Enabled checks|Use -header|Suppressed )' build/clang-tidy.log
  return 1
}

lint() {
  local status=0
  check_format || status=1
  check_tidy || status=1
  return $status
}
