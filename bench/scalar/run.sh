#!/bin/sh
# ./dev bench scalar: is any kernel slower as vector code than as scalar code? (run.py says more)
exec python3 "$(dirname "$0")/run.py" "$@"
