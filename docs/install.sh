#!/bin/sh
# Builds ledger and installs its programs, its manual page, and completions for bash, zsh and fish.
#
#   docs/install.sh [--prefix DIR] [--from DIR]    into DIR, else $PREFIX, else ~/.local
#   docs/install.sh --uninstall [--prefix DIR]     removes what was installed there, and nothing else
#   docs/install.sh --help
#
# --from DIR installs programs that are built already. On Linux the Swift runtime is linked into the
# programs, so that they run on machines without a toolchain; ledger-sync loads libcurl.so.4.
set -eu
# What is installed is for every user of the prefix; CDPATH would redirect `cd docs/..`.
umask 022
unset CDPATH

usage() { sed -n '4,6s/^# *//p' "$0"; }

prefix=${PREFIX:-}
from=
uninstall=

while [ $# -gt 0 ]; do
  case $1 in
    --prefix) prefix=${2:?--prefix needs a folder}; shift 2 ;;
    --from) from=${2:?--from needs a folder}; shift 2 ;;
    --uninstall) uninstall=1; shift ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
prefix=${prefix:-${HOME:?}/.local}
# Relative to here, before the build changes the folder.
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
case $from in /* | '') ;; *) from=$PWD/$from ;; esac

bash=$prefix/share/bash-completion/completions/ledger
zsh=$prefix/share/zsh/site-functions/_ledger
fish=$prefix/share/fish/vendor_completions.d/ledger.fish
page=$prefix/share/man/man1/ledger.1

if [ -n "$uninstall" ]; then
  for file in "$prefix/bin/ledger" "$prefix/bin/ledger-sync" "$bash" "$zsh" "$fish" "$page"; do
    if [ -f "$file" ]; then rm "$file" && echo "removed $file"; fi
  done
  exit 0
fi

if [ -z "$from" ]; then
  cd -- "$(dirname -- "$0")/.."
  static=
  if [ "$(uname -s)" = Linux ]; then static=--static-swift-stdlib; fi
  swift build -c release $static --scratch-path .build/install
  from=$(swift build -c release $static --scratch-path .build/install --show-bin-path)
fi

mkdir -p "$prefix/bin" "${bash%/*}" "${zsh%/*}" "${fish%/*}" "${page%/*}"
for program in "$from/ledger" "$from/ledger-sync"; do
  if [ -f "$program" ]; then
    install -m 755 "$program" "$prefix/bin/"
    echo "installed $prefix/bin/${program##*/}"
  fi
done
ledger=$prefix/bin/ledger
"$ledger" completions bash > "$bash"
"$ledger" completions zsh > "$zsh"
"$ledger" completions fish > "$fish"
"$ledger" manual > "$page"
# A file that was there keeps its mode.
chmod 644 "$bash" "$zsh" "$fish" "$page"
for file in "$bash" "$zsh" "$fish" "$page"; do echo "installed $file"; done
case :$PATH: in
  *:"$prefix/bin":*) ;;
  *) echo "next: put $prefix/bin into your PATH" ;;
esac
