#!/bin/sh
# ./dev bench repl: how long a session lets one wait, what it keeps of 10,000 inputs, how fast its kernels are.
set -eu
cd "$(dirname "$0")/../.."
kdslc=${KDSLC:-build/bin/kdslc}
bench/repl/latency.py --kdslc "$kdslc"
bench/repl/growth.py --kdslc "$kdslc" "$@"
bench/repl/speed.py --kdslc "$kdslc"
