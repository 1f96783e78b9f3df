#!/bin/sh
# ./dev bench transfers: bytes moved, as a table (run.py says more).
exec python3 "$(dirname "$0")/run.py" "$@"
