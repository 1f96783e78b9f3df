#!/bin/sh
# Compile times, whole process: kdslc against clang's OpenMP offload on the same saxpy, in turn; then all examples and one
# kernel of each shape, beside saxpy; then 10, 100 and 1000 kernels in one file. KDSLC_OLD names a compiler to compare with.
set -eu
cd "$(dirname "$0")/../.."
kdslc=${KDSLC:-build/bin/kdslc} clang=${CLANG:-clang-22} runs=${RUNS:-20}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for n in 10 100 1000; do python3 bench/compile/many.py $n >"$out/many$n.kdsl"; done
echo "# saxpy, $runs runs each, in turn"
python3 bench/interleave.py -n "$runs" \
    "kdslc=$kdslc examples/saxpy.kdsl -o $out/saxpy" \
    "clang -O2 OpenMP target=$clang -O2 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu bench/compile/saxpy_omp.c -o $out/saxpy_omp"
echo "# all examples and one kernel of each shape, in turn"
python3 bench/compile/programs.py "$kdslc" --rounds "${ROUNDS:-5}" --stages ${KDSLC_OLD:+--beside "$KDSLC_OLD"}
echo "# kernels in one file, 5 runs each"
python3 bench/interleave.py -n 5 -w 1 \
    "10 kernels=$kdslc $out/many10.kdsl -o $out/many10" \
    "100 kernels=$kdslc $out/many100.kdsl -o $out/many100" \
    "1000 kernels=$kdslc $out/many1000.kdsl -o $out/many1000"
