# Set-up on Debian 12: installs what is missing and nothing else. Needs neither privileges nor a
# network when nothing is missing. Sourced by ./dev.
# shellcheck shell=bash

# "a|b" means that either package will do. The first one is installed.
build_packages=(
  build-essential cmake ninja-build 'pkg-config|pkgconf' git ccache
  libhwloc-dev libnuma-dev libopenmpi-dev openmpi-bin
  libcli11-dev nlohmann-json3-dev libfmt-dev
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
  libtbb-dev libmimalloc-dev libjemalloc-dev
)
lint_packages=(clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev libomp-19-dev python3)
test_packages=(
  'hwloc-nox|hwloc' numactl qemu-system-x86 busybox-static cpio xz-utils
  gdb valgrind util-linux procps
)

is_installed() { grep -qx "$1" <<<"$installed_packages"; }

# setup build|lint|test: each takes in the ones before it.
setup() {
  [ -z "${NEARFORK_NO_SETUP:-}" ] || return 0
  if ! command -v dpkg-query >/dev/null; then
    echo "set-up: not a Debian system, so the needed packages are taken to be there" >&2
    return 0
  fi
  local wanted=("${build_packages[@]}")
  [ "$1" = build ] || wanted+=("${lint_packages[@]}")
  [ "$1" != test ] || wanted+=("${test_packages[@]}")

  local installed_packages missing=() entry name found
  installed_packages=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
  for entry in "${wanted[@]}"; do
    found=
    for name in ${entry//|/ }; do
      if is_installed "$name"; then found=1; fi
    done
    [ -n "$found" ] || missing+=("${entry%%|*}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  echo "set-up: installing ${missing[*]}" >&2
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "set-up: packages are missing, and installing them needs root or sudo; run as root:" >&2
      echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
      exit 2
    fi
    as_root=(sudo)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)
  # An update that fails is not yet an error: the lists at hand may do.
  "${apt[@]}" update >&2 || echo "set-up: apt-get update failed, trying with the lists at hand" >&2
  if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2; then
    echo "set-up: apt-get could not install: ${missing[*]}" >&2
    exit 2
  fi
}
