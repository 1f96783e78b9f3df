#!/bin/sh
# Launch overhead in nanoseconds: kdslc's launches against the bare protocol, in turn. In place, arguments are addresses;
# with separate memory they are arrays that are on the device already, in both.
set -eu
cd "$(dirname "$0")/../.."
kdslc=${KDSLC:-build/bin/kdslc} llvm=${LLVM:-/usr/lib/llvm-22}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cat >"$out/k.c" <<'END'
typedef void *P;
void empty0(P env) {}
void empty1(P env, P a, long n) {}
void empty4(P env, P a, P b, P c, P d, long n) {}
void empty8(P env, P a, P b, P c, P d, P e, P f, P g, P h, long n) {}
END
cc -O2 -shared -fPIC "$out/k.c" -o "$out/k.so"
cc -O2 -DIMAGE="\"$out/k.so\"" bench/launch/bare.c -o "$out/bare" -L"$llvm/lib" -lomptarget
"$kdslc" bench/launch/launch.kdsl -o "$out/launch"
for memory in in-place separate; do
    echo "$memory: arrays  0      1      4      8   |  2 over 64 items   2 and a check"
    for round in 1 2 3; do
        "$out/bare" $memory
        if [ $memory = separate ]; then KDSL_MEMORY=separate "$out/launch"; else "$out/launch"; fi
    done
done
