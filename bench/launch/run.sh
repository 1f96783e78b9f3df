#!/bin/sh
# Launch overhead: kdslc's launches against the bare protocol, in turn, arrays already on the device in both.
set -eu
cd "$(dirname "$0")/../.."
kdslc=${KDSLC:-build/bin/kdslc} llvm=${LLVM:-/usr/lib/llvm-22}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cat >"$out/k.c" <<'END'
void empty0(void *env) {}
void empty2(void *env, void *a, void *b, long n) {}
void empty4(void *env, void *a, void *b, void *c, void *d, long n) {}
END
cc -O2 -shared -fPIC "$out/k.c" -o "$out/k.so"
cc -O2 -DIMAGE="\"$out/k.so\"" bench/launch/bare.c -o "$out/bare" -L"$llvm/lib" -lomptarget
"$kdslc" bench/launch/launch.kdsl -o "$out/launch"
for round in 1 2 3; do
    "$out/bare"
    "$out/launch"
done
