#!/bin/sh
# Builds ledger and installs its programs, its manual page, and completions for bash, zsh and fish.
#
#   ./install.sh [--prefix DIR] [--from DIR]    into ~/.local unless told otherwise
#   ./install.sh --uninstall [--prefix DIR]     takes away what was installed there, and nothing else
#
# --from DIR installs programs that are built already. What is built here has the Swift runtime inside,
# so that it runs on machines without a toolchain.
set -eu

prefix=${PREFIX:-${HOME:?}/.local}
from=
uninstall=

while [ $# -gt 0 ]; do
  case $1 in
    --prefix) prefix=${2:?--prefix needs a folder}; shift 2 ;;
    --from) from=${2:?--from needs a folder}; shift 2 ;;
    --uninstall) uninstall=1; shift ;;
    *) sed -n '4,5s/^# *//p' "$0" >&2; exit 2 ;;
  esac
done

bash=$prefix/share/bash-completion/completions/ledger
zsh=$prefix/share/zsh/site-functions/_ledger
fish=$prefix/share/fish/vendor_completions.d/ledger.fish
page=$prefix/share/man/man1/ledger.1

if [ -n "$uninstall" ]; then
  for file in "$prefix/bin/ledger" "$prefix/bin/ledger-sync" "$prefix/bin/ledger-import" \
    "$bash" "$zsh" "$fish" "$page"; do
    if [ -f "$file" ]; then rm "$file" && echo "removed $file"; fi
  done
  exit 0
fi

if [ -z "$from" ]; then
  cd "$(dirname "$0")"
  static=
  [ "$(uname -s)" = Linux ] && static=--static-swift-stdlib
  swift build -c release $static --scratch-path .build/install
  from=$(swift build -c release $static --scratch-path .build/install --show-bin-path)
fi

mkdir -p "$prefix/bin" "${bash%/*}" "${zsh%/*}" "${fish%/*}" "${page%/*}"
for program in "$from/ledger" "$from/ledger-sync" "$from/ledger-import"; do
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
for file in "$bash" "$zsh" "$fish" "$page"; do echo "installed $file"; done
case :$PATH: in
  *:"$prefix/bin":*) ;;
  *) echo "next: put $prefix/bin into your PATH" ;;
esac
