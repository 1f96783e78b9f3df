#!/bin/sh
# ./dev bench [compile|launch]: what compiling costs beside clang, and what a launch costs beside the bare protocol.
set -eu
cd "$(dirname "$0")"
for part in ${*:-compile launch}; do
    echo "== $part"
    "./$part/run.sh"
done
