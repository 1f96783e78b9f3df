#!/bin/sh
# ./dev bench rewrites: each kernel beside three equivalent forms of it (run.py says more).
exec python3 "$(dirname "$0")/run.py" "$@"
