#!/bin/sh
# ./dev bench repl: how long a session lets one wait, and what it keeps of 10,000 inputs.
set -eu
cd "$(dirname "$0")/../.."
kdslc=${KDSLC:-build/bin/kdslc}
bench/repl/latency.py --kdslc "$kdslc"
bench/repl/growth.py --kdslc "$kdslc" "$@"
