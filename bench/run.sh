#!/bin/sh
# ./dev bench [compile|launch|shares|checks|atomics|kernels|repl|transfers]: what compiling costs beside clang, what a launch costs beside
# the bare protocol, when and how work is spread over the cores, what the checks cost that are left in kernels, what atomics
# cost beside loops with a thread's own bins, how fast kernels run beside those of other compilers; how many bytes move, which
# nothing that the machine does can change, only when asked for.
# ./dev bench kernels|cuda|rewrites|scalar [OPTIONS] [KERNEL...]: the options of kernels/run.py, cuda/run.py, rewrites/run.py.
set -eu
here=$(dirname "$0")
case ${1:-} in
kernels | cuda | rewrites | scalar)
    part=$1
    shift
    exec "$here/$part/run.sh" "$@" ;;
esac
cd "$here"
for part in ${*:-compile launch shares checks atomics kernels}; do
    echo "== $part"
    "./$part/run.sh"
done
