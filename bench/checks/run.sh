#!/bin/sh
# What the checks cost that no proof could remove: spmv and histogram as they are, beside the same with --unchecked.
# One thread and the kernel's host version, so that neither copies nor the scheduler are part of the time; "in cache"
# and "in memory" are two sizes of the same problem.
set -eu
cd "$(dirname "$0")/../.."
kdslc=${KDSLC:-build/bin/kdslc} runs=${RUNS:-10}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export OMP_TARGET_OFFLOAD=disabled OMP_NUM_THREADS=1
for name in spmv histogram; do
    for level in -O2 -O3; do
        "$kdslc" $level bench/checks/$name.kdsl -o "$out/$name$level"
        "$kdslc" $level --unchecked bench/checks/$name.kdsl -o "$out/$name$level-unchecked"
    done
done
compare() { # title, program, its arguments
    echo "# $1"
    for level in -O2 -O3; do
        python3 bench/fastest.py -n "$runs" \
            "$2 $level --unchecked=$out/$2$level-unchecked $3" "$2 $level=$out/$2$level $3"
    done
}
compare "spmv, 90000 rows: in cache" spmv "300 40"
compare "spmv, 1000000 rows: in memory" spmv "1000 5"
compare "histogram, 100000 values, 256 bins: in cache" histogram "100000 256 60"
compare "histogram, 4000000 values, 100000 bins: in memory" histogram "4000000 100000 5"
