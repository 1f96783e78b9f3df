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
""", "random": """
kernel on_device(y: &out [f64; n]) over i in n { y[i] = normal(3, i) + uniform(3, i); }

fn main() {
    // The published vectors of Philox4x32-10.
    assert _philox(0, 0, 0, 0) == 0xe169c58d6627e8d5 && _philox(0, 0, 0, 1) == 0x9b00dbd8bc57ac4c;
    let f = ~0u64;
    assert _philox(f, f, f, 0) == 0x41c83b0e408f276d && _philox(f, f, f, 1) == 0x6d5451fda20bc7c6;
    let key = 0x299f31d0a4093822u64;
    assert _philox(key, 0x0370734413198a2e, 0x85a308d3243f6a88, 0) == 0x94fdccebd16cfe09;
    assert _philox(key, 0x0370734413198a2e, 0x85a308d3243f6a88, 1) == 0x24126ea15001e420;
    assert _unit(0) == 0.0 && _unit(f) < 1.0;

    let n = 1 << 16;
    var mean = 0.0;
    var square = 0.0;
    for i in n {
        let u = uniform(1, i);
        assert u >= 0.0 && u < 1.0 && uniform32(1, i) >= 0.0 && uniform32(1, i) < 1.0;
        assert between(1, i, -2.0, 2.0) >= -2.0 && between(1, i, -2.0, 2.0) < 2.0;
        assert below(1, i, 10) >= 0 && below(1, i, 10) < 10;
        mean += normal(1, i) / f64(n);
        square += normal(1, i) * normal(1, i) / f64(n);
    }
    assert abs(mean) < 0.02 && abs(square - 1.0) < 0.02, "{} {}", mean, square;

    var y = [0.0; 1000];
    offload on_device(&out y);
    for i in 1000 { assert y[i] == normal(3, i) + uniform(3, i); }
}
""", "time": """
fn main() {
    let start = now();
    assert since(start) >= 0.0 && now() >= start;
    assert len(text(0.0015)) == 8 && len(text(-2.5)) == 8;
    let ns = format("[{}] [{}] [{}] [{}]", text(2.0e-9), text(1.5e-6), text(0.0125), text(90.0));
    assert len(ns) == len("[2 ns] [1.500 us] [12.500 ms] [90.000 s]"), "{}", ns;
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
