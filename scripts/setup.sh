#!/usr/bin/env bash
# Makes what the Makefile needs, and only what is missing:
#
#   setup.sh demo     .venv with the package
#   setup.sh test     also the tools of the tests: SPIN, Graphviz and TinyCC from Debian, the rest from PyPI
#   setup.sh browser  Chromium, for the tests that click
#   setup.sh wheel    builds the wheel, installs it elsewhere and tries it there
#
# As root on Debian it installs packages by itself.  Otherwise it says what to install, and fails: a test that is
# skipped because a tool is missing proves nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

EXAMPLES=/usr/share/doc/spin/examples

say() { echo "setup: $*"; }
fail() { echo "setup: error: $*" >&2; exit 4; }

# Installs packages of Debian.
install_packages() {
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        fail "please install $* (on Debian: sudo apt-get install $*), then run this again"
    fi
    say "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    # Small images of Debian leave out documentation, and with it the examples of SPIN, which the tests read.
    local apt=(apt-get -y -qq --no-install-recommends --reinstall -o Dpkg::Use-Pty=0
        -o Dpkg::Options::=--path-include="/usr/share/doc/spin*" install "$@")
    # The lists of packages may be missing or old: fetch them only when it does not work without.
    "${apt[@]}" >/dev/null 2>&1 || { apt-get -qq update && "${apt[@]}" >/dev/null; } || fail "could not install $*"
}

find_python() {
    local candidate
    for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
        if [ -n "$candidate" ] && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            python=$(command -v "$candidate")
            return
        fi
    done
    fail "Python 3.11 or later is needed (set PYTHON=/path/to/python3)"
}

# A virtual environment that works: one from a moved or copied tree does not, and is made again.
make_environment() {
    if [ -x .venv/bin/python ] && .venv/bin/python -m pip --version >/dev/null 2>&1 &&
        [ "$(.venv/bin/python -c 'import os, sys; print(os.path.realpath(sys.prefix))')" = "$(realpath .venv)" ] &&
        grep -q "^#!$(realpath .venv)/bin/" .venv/bin/pip; then
        return
    fi
    find_python
    # Debian's Python has no ensurepip of its own.
    "$python" -c 'import ensurepip, venv' 2>/dev/null || install_packages python3-venv
    say "making .venv with $python"
    rm -rf .venv
    "$python" -m venv .venv || fail "$python cannot make a virtual environment"
}

install() {
    say "installing coset$1 into .venv"
    .venv/bin/pip install --quiet --disable-pip-version-check -e ".$1" || fail "pip could not install coset$1"
}

case "${1:-}" in
demo)
    make_environment
    install ""
    touch .venv/.installed
    ;;
test)
    missing=()
    command -v gcc >/dev/null || missing+=(gcc libc6-dev)
    { command -v spin && [ -d $EXAMPLES ]; } >/dev/null || missing+=(spin)
    command -v dot >/dev/null || missing+=(graphviz)
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
    # TinyCC compiles SPIN's verifiers in less time; not every release of Debian has it.
    command -v tcc >/dev/null || (install_packages tcc) || say "going on without tcc; gcc takes longer"
    make_environment
    install "[cluster,dev,docs]"
    touch .venv/.installed .venv/.tested-with
    ;;
browser)
    { command -v chromium && command -v chromedriver; } >/dev/null || install_packages chromium chromium-driver
    ;;
wheel)
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    .venv/bin/pip wheel --quiet --no-deps --wheel-dir "$folder" .
    .venv/bin/python -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet "$folder"/coset-*.whl
    "$folder/venv/bin/coset" doctor >/dev/null
    "$folder/venv/bin/coset" explore models/philosophers.pml --json >/dev/null
    "$folder/venv/bin/python" -c 'from coset.formats.json_output import schema; schema("explore")'
    "$folder/venv/bin/python" -c 'from coset.server.application import FILES, static; [static(name) for name in FILES]'
    say "the wheel works"
    ;;
*)
    fail "usage: scripts/setup.sh demo|test|browser|wheel"
    ;;
esac
