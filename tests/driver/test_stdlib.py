#!/usr/bin/env python3
"""The modules of stdlib/ are correct: each module's text followed by a main that asserts what its functions give, on the
host and in a kernel. Usage: test_stdlib.py KDSLC"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv[1]).resolve()

MAINS = {"math": """
kernel on_device(y: &out [f64; n]) over i in n {
    let v = f64(i);
    y[i] = lerp(1.0, 3.0, v / f64(n)) + smoothstep(0.0, 4.0, v) + sign(v - 2.0) + wrap(-v, 0.0, TAU)
         + fract(-v / 8.0) + degrees(radians(v)) + f64(gcd(i * 6, 9)) + f64(ipow(2, i)) + f64(floor_mod(-i, 3));
}

fn near(a: f64, b: f64) -> bool { return abs(a - b) <= 1.0e-12 * max(1.0, abs(b)); }

fn main() {
    assert near(sin(PI / 6.0), 0.5) && near(TAU, 2.0 * PI) && near(log(E), 1.0);
    assert near(SQRT2 * SQRT2, 2.0) && near(exp(LN2), 2.0);
    assert near(degrees(PI), 180.0) && near(radians(90.0), PI / 2.0);
    assert lerp(0.1, 0.7, 0.0) == 0.1 && lerp(0.1, 0.7, 1.0) == 0.7 && near(lerp(2.0, 4.0, 0.25), 2.5);
    assert near(unlerp(2.0, 4.0, 3.5), 0.75);
    assert smoothstep(1.0, 2.0, 0.0) == 0.0 && smoothstep(1.0, 2.0, 3.0) == 1.0 && near(smoothstep(1.0, 2.0, 1.5), 0.5);
    assert sign(-3.0) == -1.0 && sign(0.0) == 0.0 && sign(2.5) == 1.0;
    assert near(fract(2.25), 0.25) && near(fract(-0.25), 0.75);
    assert near(wrap(7.5, 0.0, 2.0), 1.5) && near(wrap(-0.5, 0.0, 2.0), 1.5) && near(wrap(3.0, 1.0, 4.0), 3.0);
    assert floor_mod(-1, 5) == 4 && floor_mod(7, 5) == 2 && floor_mod(7, -5) == -3 && floor_mod(-10, 5) == 0;
    assert ceil_div(10, 5) == 2 && ceil_div(11, 5) == 3 && ceil_div(0, 5) == 0;
    assert gcd(12, 18) == 6 && gcd(-4, 6) == 2 && gcd(0, 5) == 5 && gcd(0, 0) == 0;
    assert lcm(4, 6) == 12 && lcm(0, 3) == 0 && lcm(-4, 6) == 12;
    assert ipow(3, 4) == 81 && ipow(2, 62) == 1 << 62 && ipow(7, 0) == 1 && ipow(-2, 3) == -8;
    assert is_power_of_two(1) && is_power_of_two(64) && !is_power_of_two(0) && !is_power_of_two(12);

    var y = [0.0; 5];
    offload on_device(&out y);
    for i in 5 {
        let v = f64(i);
        let host = lerp(1.0, 3.0, v / 5.0) + smoothstep(0.0, 4.0, v) + sign(v - 2.0) + wrap(-v, 0.0, TAU)
                 + fract(-v / 8.0) + degrees(radians(v)) + f64(gcd(i * 6, 9)) + f64(ipow(2, i)) + f64(floor_mod(-i, 3));
        assert near(y[i], host), "{}: {} is not {}", i, y[i], host;
    }
}
"""}


def main():
    for path in sorted((ROOT / "stdlib").glob("*.kdsl")):
        assert path.stem in MAINS, f"{path.name} has no test"
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / path.name
            source.write_text(path.read_text() + MAINS[path.stem])
            for level in ("-O0", "-O2"):
                done = subprocess.run([KDSLC, "run", level, "-Werror", source], capture_output=True, text=True, timeout=300,
                                      env=dict(os.environ, KMP_BLOCKTIME="0"))
                if done.returncode or done.stdout or done.stderr:
                    sys.exit(f"{path.name} at {level}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
