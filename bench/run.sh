#!/bin/sh
# ./dev bench [compile|launch|checks]: what compiling costs beside clang, what a launch costs beside the bare protocol,
# and what the checks cost that are left in kernels.
set -eu
cd "$(dirname "$0")"
for part in ${*:-compile launch checks}; do
    echo "== $part"
    "./$part/run.sh"
done
