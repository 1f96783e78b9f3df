#!/bin/sh
# ./dev bench kernels: rates of kernels, as a table (run.py says more).
exec python3 "$(dirname "$0")/run.py" "$@"
