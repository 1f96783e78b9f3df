#!/bin/sh
# ./dev bench cuda: kernels beside their twins in CUDA C++ (run.py says more).
exec python3 "$(dirname "$0")/run.py" "$@"
