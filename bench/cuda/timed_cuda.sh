#!/bin/sh
# timed_cuda.sh FOLDER: build timed_cuda.c there as libcuda.so. It asks for the driver by name, libcuda.so.1, so an
# empty library of that name stands in for it here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-gcc}
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
$cc -shared -x c /dev/null -Wl,-soname,libcuda.so.1 -o "$empty/libcuda.so.1"
$cc -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden "$here/timed_cuda.c" -Wl,-soname,libcuda.so \
    -Wl,--no-as-needed "$empty/libcuda.so.1" -Wl,--as-needed -lpthread -ldl -o "$1/libcuda.so"
