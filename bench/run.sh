#!/bin/sh
# ./dev bench [compile|launch|checks|transfers]: what compiling costs beside clang, what a launch costs beside the bare
# protocol, what the checks cost that are left in kernels; how many bytes move, which nothing that the machine does can
# change, only when asked for.
set -eu
cd "$(dirname "$0")"
for part in ${*:-compile launch checks}; do
    echo "== $part"
    "./$part/run.sh"
done
