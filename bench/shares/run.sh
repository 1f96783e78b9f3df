#!/bin/sh
# How work is spread over the cores: where going parallel begins to pay, with one thread and with all, in turn; and kernels
# whose items cost different amounts. With KDSLC_OLD, that compiler's programs run in turn with them.
set -eu
cd "$(dirname "$0")/../.."
kdslc=${KDSLC:-build/bin/kdslc} out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for name in crossover uneven; do
    "$kdslc" "bench/shares/$name.kdsl" -o "$out/$name"
    if [ -n "${KDSLC_OLD:-}" ]; then "$KDSLC_OLD" "bench/shares/$name.kdsl" -o "$out/$name.old"; fi
done
for round in 1 2 3; do
    echo "# one thread"
    OMP_NUM_THREADS=1 "$out/crossover"
    echo "# all threads"
    "$out/crossover"
    "$out/uneven"
    if [ -n "${KDSLC_OLD:-}" ]; then echo "# old" && "$out/crossover.old" && "$out/uneven.old"; fi
done
