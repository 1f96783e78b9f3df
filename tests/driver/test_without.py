#!/usr/bin/env python3
"""Every kind of check and of copy is noticed when it is missing: one program in which each of them matters in one case, compiled
once for each, without that one. tests/without.py does the same to any program.
Usage: test_without.py KDSLC [--all]: without --all, a sample of seconds."""
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import without

# The number of a case is where its line says `case N`: up to 50 each check of the line fails when the program is run with one of
# the numbers; from 51 on each copy of the line, and each wait for one, is needed. Launches without a number are those that
# another one would make up for: what it does not bring back, or leave there, the next one does.
PROGRAM = r"""
fn same(a: &[i32; n], b: &[i32; n]) -> i32 { return a[0] + b[0]; }
fn three(a: &[i32; 3]) -> i32 { return a[0]; }
fn first(a: &[i32; n]) -> i32 { return a[0]; } // case 41 42
fn at(a: &[i32; n], i: i32) -> i32 { return a[i]; } // case 15
fn over(a: i32, b: i32) -> i32 { return a / b; } // case 16
fn far(a: &[f32; n, m], i: i32, j: i32) -> f32 { return a[i, j]; } // case 17 18 37 38

kernel k_index(x: &[i32; n], at: i32, y: &mut [i32; n]) over i in n { y[i] += x[at + i32(i)]; } // case 20
kernel k_index2(x: &[i32; n], m: &[i32; h, w], a: i32, b: i32, y: &mut [i32; n]) over i in n { y[i] += m[a, b]; } // case 21 22
kernel k_divide(d: i32, y: &mut [i32; n]) over i in n { y[i] = y[i] / d; } // case 23
kernel k_rest(d: i32, y: &mut [i32; n]) over i in n { y[i] = y[i] % d; } // case 24
kernel k_shift(d: i32, y: &mut [i32; n]) over i in n { y[i] = y[i] << d; } // case 25
kernel k_step(d: i32, y: &mut [i32; n]) over i in n { for e in 0..3 step d { y[i] += i32(e); } } // case 26
kernel k_slice(x: &[i32; n], d: i32, y: &mut [i32; n]) over i in n { y[i] = first(&x[d..7]); } // case 27
kernel k_shape(x: &[i32; n], z: &[i32; m], y: &mut [i32; n]) over i in n { y[i] = same(&x, &z); } // case 28
kernel k_early(x: &[i32; n], a: i32, b: i32, y: &mut [i32; n]) over i in n {
    for e in a..b { y[i] += x[e]; } // case 29 30
}
kernel k_assert(d: i32, y: &mut [i32; n]) over i in n { assert y[i] < d, "not {}", d; y[i] += 1; } // case 31
kernel k_call(x: &[i32; n], d: i32, y: &mut [i32; n]) over i in n { y[i] = at2(&x, d); }
fn at2(a: &[i32; n], i: i32) -> i32 { return a[i]; } // case 32 39
kernel k_call_divide(d: i32, y: &mut [i32; n]) over i in n { y[i] = over2(y[i], d); }
fn over2(a: i32, b: i32) -> i32 { return a / b; } // case 33 40
kernel k_group(x: &[i32; n], d: i32, y: &mut [i32; n]) over i in n by 4 {
    shared s: [i32; 4];
    s[i.local] = if inside { x[i] } else { 0 };
    barrier;
    if inside { y[i] = s[i32(i.local) + d]; } // case 34
}
kernel k_sum(x: &[i32; n], d: i32) over i in n -> sum i32 { return x[i32(i) + d]; } // case 35
kernel k_first(x: &[i32; n], d: i32, y: &mut [i32; n]) over i in n { y[i] = first(&x[d..]); }
kernel k_far(a: &[f32; n, m], i: i32, j: i32, y: &mut [f32; n]) over e in n { y[e] = far(&a, i, j); }
kernel double(x: &mut [i32; n]) over i in n { x[i] = x[i] * 2; }
kernel fill(x: &out [i32; n], v: i32) over i in n { x[i] = v; }
kernel add(x: &[i32; n], y: &mut [i32; n]) over i in n { y[i] += x[i]; }

fn show(x: &[i32; n]) {
    var s = 0;
    for i in n { s = s * 31 + x[i]; }
    print("{}", s);
}

fn main() {
    let case = i32(args()[0]);
    let x = [i32(i) + 1 for i in 8];
    var y = [100; 8];
    let seven = [1; 7];
    let m = [i32(i + j) for i in 3, j in 4];
    let f = [f32(i + j) for i in 8, j in 4];
    var g = [0.0f32; 8];
    if case == 1 { print("{}", x[case + 7]); } // case 1
    if case == 2 { print("{}", m[case + 1, 1]); } // case 2
    if case == 3 { print("{}", m[1, case + 1]); } // case 3
    if case == 4 { y[case + 4] = 1; } // case 4
    if case == 5 { print("{}", same(&x, &seven[..case])); } // case 5
    if case == 6 { print("{}", three(&x[..case])); } // case 6
    if case == 7 { print("{}", case / (case - 7)); } // case 7
    if case == 8 { print("{}", case % (case - 8)); } // case 8
    if case == 9 { print("{}", case << (case + 23)); } // case 9
    if case == 10 { print("{}", case >> (9 - case)); } // case 10
    if case == 11 { for i in 0..3 step case - 11 { print("{}", i); } } // case 11
    if case == 12 { print("{}", first(&x[case..])); } // case 12
    if case == 13 { print("{}", first(&x[3..case - 11])); } // case 13
    if case == 14 { assert case < 14, "case {}", case; } // case 14
    if case == 15 { print("{}", at(&x, 8)); }
    if case == 16 { print("{}", over(1, case - 16)); }
    if case == 17 { print("{}", far(&f, 8, 0)); }
    if case == 18 { print("{}", far(&f, 0, -1)); }
    if case == 19 { offload add(&seven, &mut y[..case - 14]); } // case 19
    if case == 20 { offload k_index(&x, 1, &mut y); }
    if case == 21 { offload k_index2(&x, &m, 3, 0, &mut y); }
    if case == 22 { offload k_index2(&x, &m, 0, 4, &mut y); }
    if case == 23 { offload k_divide(case - 23, &mut y); }
    if case == 24 { offload k_rest(case - 24, &mut y); }
    if case == 25 { offload k_shift(case + 7, &mut y); }
    if case == 26 { offload k_step(case - 26, &mut y); }
    if case == 27 { offload k_slice(&x, 9, &mut y); }
    if case == 28 { offload k_shape(&x, &seven, &mut y); }
    if case == 29 { offload k_early(&x, -1, 2, &mut y); }
    if case == 30 { offload k_early(&x, 6, 9, &mut y); }
    if case == 31 { offload k_assert(100, &mut y); }
    if case == 32 { offload k_call(&x, 8, &mut y); }
    if case == 33 { offload k_call_divide(case - 33, &mut y); }
    if case == 34 { offload k_group(&x, 1, &mut y); }
    if case == 35 { print("{}", offload k_sum(&x, 1)); }
    if case == 37 { offload k_far(&f, 8, 0, &mut g); }
    if case == 38 { offload k_far(&f, 0, 4, &mut g); }
    if case == 39 { print("{}", at2(&x, 8)); }
    if case == 40 { print("{}", over2(1, case - 40)); }
    if case == 42 { offload k_first(&x, 8, &mut y); }
    if case == 41 { print("{}", first(&x[8..])); }
    if case > 50 { copies(case); }
    print("end");
}

fn copies(case: i32) {
    var a = [i32(i) + 1 for i in 40];
    var b = [7; 40];
    if case == 51 {
        offload add(&a, &mut b); // case 51
        show(&b);
    }
    if case == 52 {
        offload fill(&out a, 5); // case 52
        show(&a);
    }
    if case == 53 {
        for t in 3 {
            offload double(&mut a); // case 53
        }
        for t in 2 { b[t] = a[t] + 1; } // case 53
        show(&b);
    }
    if case == 54 {
        offload double(&mut a);
        a[3] = 9; // case 54
        offload double(&mut a);
        show(&a); // case 54
    }
    if case == 55 {
        offload double(&mut a); // case 55
        a[3] += 9; // case 55
        offload add(&a, &mut b); // case 55
        show(&b); // case 55
        show(&a); // case 55
    }
    if case == 56 {
        offload double(&mut a);
        for i in len(a) { a[i] = 3; } // case 56
        offload double(&mut a);
        show(&a); // case 56
    }
    if case == 57 {
        offload double(&mut a); // case 57
        print("{}", a[7]); // case 57
        offload double(&mut a);
        show(&a[4..9]); // case 57
        offload double(&mut a);
        show(&a); // case 57
    }
    if case == 58 {
        offload resident {
            for t in 2 {
                offload double(&mut a);
                offload add(&a, &mut b);
            }
        }
        show(&a); // case 58
        show(&b); // case 58
    }
    if case == 59 {
        offload double(&mut a[3..17]); // case 59
        show(&a); // case 59
    }
    if case == 60 {
        offload double(&mut a); // case 60
        for i in 5 { a[i] += 1; } // case 60
        offload double(&mut a); // case 60
        show(&a); // case 60
    }
}
"""

SAMPLE = 25

# These hold in every case: a slice that is made for its extent, and an array that no launch has used on the way to case 53.
NEEDLESS = [("slice", "[..case"), ("sync-write", "b[t] = a[t] + 1")]


def matters(key, line, cases):
    kind, text = key.split()[0], PROGRAM.split("\n")[line - 1]
    is_copy = bool(re.match("copy|sync", kind))
    if any(kind == k and words in text for k, words in NEEDLESS):
        return False
    return any((int(case) > 50) == is_copy for case in cases.get(line, []))


def cases_by_line():
    cases = {}
    for number, line in enumerate(PROGRAM.split("\n"), 1):
        found = re.search(r"// case ([\d ]+)$", line)
        if found:
            cases[number] = found[1].split()
    return cases


class Case(without.Program):
    def usual_of(self, case):
        if case not in self.kept:
            self.kept[case] = self.outcome(self.program, case)
        return self.kept[case]

    def outcome(self, program, case):
        env = {**without.os.environ, "KDSL_POISON": "1", "OMP_NUM_THREADS": "2"}
        try:
            done = subprocess.run([program, case], capture_output=True, timeout=without.LIMIT, env=env)
        except subprocess.TimeoutExpired:
            return "no end"
        return done.returncode, done.stdout, done.stderr


def main():
    kdslc = str(Path(sys.argv[1]).resolve())
    cases = cases_by_line()
    bad, n, kinds = [], 0, set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "every_check.kdsl")
        path.write_text(PROGRAM)
        p = Case(kdslc, path, ["-O0"])
        p.program, p.kept = str(Path(folder, "usual")), {}
        if p.compile(p.program) is None:
            raise SystemExit("the program does not compile")
        for case in sorted({c for found in cases.values() for c in found}, key=int):
            status = p.usual_of(case)[0]
            wanted = 0 if int(case) > 50 else 3
            if status != wanted:
                bad.append(f"case {case}: exit code {status}, not {wanted}: {p.usual_of(case)}")
        keys = [key for key in p.keys() if matters(key, int(key.split(":")[1]), cases)]
        if "--all" not in sys.argv:
            keys = sorted(random.Random(1).sample(keys, min(SAMPLE, len(keys))))
        for key in keys:
            line = int(key.split(":")[1])
            n += 1
            kinds.add(key.split()[0])
            one = str(Path(folder, "one"))
            if p.compile(one, f"--without={key}") is None:
                bad.append(f"{key}: does not compile")
            elif not any(p.outcome(one, case) != p.usual_of(case) for case in cases.get(line, [])):
                bad.append(f"survives: {key}: {PROGRAM.split(chr(10))[line - 1].strip()}")
    print(f"{n} checks and copies of {len(kinds)} kinds: {', '.join(sorted(kinds))}")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
