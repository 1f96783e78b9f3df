#!/bin/sh
# run.sh [--device host] [--only suite|bench] [--out FOLDER] [PATTERN]: inside a bundle (bundle.sh), on a machine with a
# GPU: every program of the tests gives the same output as expected, and the benchmarks beside their CUDA twins.
# FOLDER (results) gets suite.tsv, cuda.tsv and all.tsv, which is both. With --device host nothing needs a GPU.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
device=gpu only= out=results pattern=
while [ $# -gt 0 ]; do
    case $1 in
    --device) device=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    -*) sed -n '2,4s/^# //p' "$0" >&2; exit 2 ;;
    *) pattern=$1; shift ;;
    esac
done
say() { echo "run: $*" >&2; }

# glibc is the machine's own; programs here were linked with the one that `made-with` names.
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d' ' -f2)
wanted=$(sed -n 's/^glibc //p' "$here/made-with")
if [ "$(printf '%s\n' "$wanted" "${glibc:-0}" | sort -V | head -1)" != "$wanted" ]; then
    say "glibc ${glibc:-of unknown version} is older than $wanted, with which this bundle was made"
    exit 1
fi
command -v python3 >/dev/null || { say "python3 is needed"; exit 1; }

mkdir -p "$out"
out=$(cd "$out" && pwd)
export LD_LIBRARY_PATH="$here/lib" KDSL_SYSROOT="$here/sysroot" KDSLC="$here/bin/kdslc"

# libomptarget asks for libcuda.so and libhsa-runtime64.so; a driver without its development package has only .so.1.
find_library() {
    { PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | awk -v name="$1" '$1 == name {print $NF}'
      for folder in /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/local/nvidia/lib64 /opt/rocm/lib; do
          [ ! -e "$folder/$1" ] || echo "$folder/$1"
      done; } | head -1
}
if [ "$device" != host ]; then
    mkdir -p "$out/drivers"
    for name in libcuda.so libhsa-runtime64.so; do
        driver=$(find_library "$name.1")
        [ -z "$driver" ] || { ln -sf "$driver" "$out/drivers/$name"; ln -sf "$driver" "$out/drivers/$name.1"; }
    done
    [ -n "$(ls "$out/drivers")" ] || { say "no driver: neither libcuda.so.1 nor libhsa-runtime64.so.1"; exit 1; }
    LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$out/drivers"
fi

status=0
: >"$out/all.tsv"
if [ "$only" != bench ]; then
    python3 "$here/tests/gpu/suite.py" --kdslc "$KDSLC" --device "$device" --out "$out/suite.tsv" $pattern || status=1
    sed 's/^/suite\t/' "$out/suite.tsv" >>"$out/all.tsv"
fi
if [ "$only" != suite ] && [ "$device" != host ]; then
    python3 "$here/bench/cuda/run.py" --out "$out/cuda" $pattern || status=1
    [ ! -e "$out/cuda/cuda.tsv" ] || sed 's/^/bench\t/' "$out/cuda/cuda.tsv" >>"$out/all.tsv"
fi
say "$out/all.tsv"
exit $status
