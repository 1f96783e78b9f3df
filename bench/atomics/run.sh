#!/bin/sh
# What atomics cost that many items make on few elements: histograms of 256 bins, from keys in words and in bytes, of one
# key that all items have, with bins in groups; a total, and an extreme. Beside them the loops that OpenMP runs with bins
# of their own for each thread. The kernel's host version, so that copies are no part of the time.
set -eu
cd "$(dirname "$0")/../.."
kdslc=${KDSLC:-build/bin/kdslc} runs=${RUNS:-10} keys=${KEYS:-16777216}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export OMP_TARGET_OFFLOAD=disabled
"$kdslc" -O2 bench/atomics/histogram.kdsl -o "$out/kdsl-O2"
"$kdslc" -O3 bench/atomics/histogram.kdsl -o "$out/kdsl-O3"
clang-22 -O3 -march=native -fopenmp bench/atomics/histogram.c -o "$out/clang"
gcc -O3 -march=native -fopenmp bench/atomics/histogram.c -o "$out/gcc"
for what in u32 u8 shared equal total extreme; do
    echo "# $what, $keys keys"
    for program in clang gcc kdsl-O2 kdsl-O3; do
        set -- "$@" "$program=$out/$program $what $keys 5"
    done
    python3 bench/fastest.py -n "$runs" "$@"
    shift $#
done
