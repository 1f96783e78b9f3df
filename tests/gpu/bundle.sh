#!/bin/sh
# bundle.sh [KDSLC] [FOLDER]: collect what a machine with a GPU needs to run the tests and the benchmarks: the compiler,
# its libraries, what it links programs with, tests, examples, benchmarks, and the CUDA twins compiled, if nvcc is here.
# Makes FOLDER and FOLDER.tar.xz (kdsl-gpu); with PACK=no only FOLDER. There: tar xf kdsl-gpu.tar.xz && kdsl-gpu/run.sh
# The machine needs Linux on x86-64 with this glibc or a newer one, python3 and the driver.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
kdslc=${1:-$root/build/bin/kdslc}
out=${2:-kdsl-gpu}
llvm=${KDSL_LLVM_LIB_DIR:-/usr/lib/llvm-22/lib}
most_bytes=60000000

die() { echo "bundle: $*" >&2; exit 1; }

# The libraries that a file needs, those of glibc apart: they belong to the machine's loader.
libraries() {
    ldd "$1" | awk '/=> \//{print $3}' |
        grep -vE '/(libc|libm|libmvec|libdl|libpthread|librt|ld-linux-x86-64)\.so' || true
}

# Where the linker of this machine finds a file of glibc's development package.
system_file() {
    for folder in /usr/lib/x86_64-linux-gnu /lib/x86_64-linux-gnu /usr/lib64 /lib64; do
        [ ! -r "$folder/$1" ] || { echo "$folder/$1"; return; }
    done
    die "no $1: package libc6-dev"
}

[ -x "$kdslc" ] || die "no compiler at $kdslc"
rm -rf "$out" "$out.tar.xz"
mkdir -p "$out/bin" "$out/lib" "$out/sysroot/usr/lib/x86_64-linux-gnu"

cp "$kdslc" "$out/bin/kdslc"
strip "$out/bin/kdslc"
for file in "$llvm"/libomptarget.so.[0-9]* "$llvm/libomp.so.5"; do cp -L "$file" "$out/lib/"; done
for file in "$out/bin/kdslc" "$out"/lib/*.so*; do libraries "$file"; done | sort -u | while read -r file; do
    [ -e "$out/lib/$(basename "$file")" ] || cp -L "$file" "$out/lib/"
done

# libomptarget opens it by this name, too; another copy of it would be a second runtime.
ln -s libomp.so.5 "$out/lib/libomp.so"

for name in Scrt1.o crti.o crtn.o libc.so.6 libm.so.6 libmvec.so.1 libc_nonshared.a ld-linux-x86-64.so.2; do
    cp -L "$(system_file "$name")" "$out/sysroot/usr/lib/x86_64-linux-gnu/"
done
for name in "$out"/lib/libomptarget.so.* libomp.so.5; do
    ln -s "../../../../lib/$(basename "$name")" "$out/sysroot/usr/lib/x86_64-linux-gnu/"
done

for folder in tests examples stdlib bench; do cp -r "$root/$folder" "$out/"; done
find "$out" -name __pycache__ -prune -exec rm -rf {} +
cp "$here/run.sh" "$out/run.sh"
mkdir -p "$out/bench/cuda/timed"
"$out/bench/cuda/timed_cuda.sh" "$out/bench/cuda/timed"
if command -v "${NVCC:-nvcc}" >/dev/null; then
    python3 "$out/bench/cuda/run.py" --build --arch all-major --out "$out/bench/cuda/made" >/dev/null
    mv "$out/bench/cuda/made/twins" "$out/bench/cuda/twins"
    rm -rf "$out/bench/cuda/made"
else
    echo "bundle: no nvcc here: the CUDA twins are compiled there, or not measured" >&2
fi
{ getconf GNU_LIBC_VERSION; "$out/bin/kdslc" --version | head -1; } >"$out/made-with"

[ "${PACK:-yes}" = yes ] || exit 0
tar -C "$(dirname "$out")" -cf - "$(basename "$out")" | xz -T0 "-${XZ_LEVEL:-6}" >"$out.tar.xz"
n_bytes=$(stat -c %s "$out.tar.xz")
echo "$out.tar.xz: $((n_bytes / 1000000)) MB"
[ "$n_bytes" -le "$most_bytes" ] || die "larger than $((most_bytes / 1000000)) MB"
