#!/usr/bin/env python3
"""What `kdslc interpret` is beside its programs (test_programs.py): orders that show races, memory that holds nothing,
an end for what it does not do. Usage: test_interpret.py KDSLC"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()
SEEDS = range(6)


class InterpretTest(unittest.TestCase):
    def interpret(self, text, *args, seed=0):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "p.kdsl"
            source.write_text(text)
            done = subprocess.run([KDSLC, "interpret", "--color=never", "--races=off", source, *args],
                                  capture_output=True, text=True,
                                  env={"KDSL_INTERPRET_SEED": str(seed)})
        return done.returncode, done.stdout, done.stderr

    def outputs(self, text):
        """One for each order."""
        found = []
        for seed in SEEDS:
            code, out, err = self.interpret(text, seed=seed)
            self.assertEqual(code, 0, err)
            found.append(out)
        return found

    def test_a_race_shows(self):
        found = self.outputs("""
            kernel last(x: &mut [i32; 2], n: i32) over i in n { x[i % 2] = i; }
            fn main() { var x = [0, 0]; offload last(&mut x, 100); print("{} {}", x[0], x[1]); }""")
        self.assertEqual(found[0], "98 99\n")
        self.assertGreater(len(set(found)), 1)

    def test_a_missing_barrier_shows(self):
        text = """
            kernel turn(x: &mut [i32; n]) over i in n by 8 {
                shared s: [i32; 8];
                s[i.local] = x.at(i);
                BARRIER
                if inside { x[i] = s[7 - i.local]; }
            }
            fn main() {
                var x = [i32(i) for i in 16];
                offload turn(&mut x);
                for i in 16 { print("{}", x[i]); }
            }"""
        with_barrier = self.outputs(text.replace("BARRIER", "barrier;"))
        self.assertEqual(set(with_barrier), {"".join(f"{8 * g + 7 - k}\n" for g in (0, 1) for k in range(8))})
        self.assertNotEqual(self.outputs(text.replace("BARRIER", ""))[0], with_barrier[0])

    def test_memory_that_nobody_has_written_holds_nothing(self):
        code, out, err = self.interpret("""
            kernel first(y: &mut [i32; 1], t: &scratch [i32; 4]) over i in 1 {
                t[i] = 1;
                y[0] = t[2];
            }
            fn main() { var y = [0]; offload first(&mut y); print("{}", y[0] == 0); }""")
        self.assertEqual((code, out), (0, "false\n"), err)

    def test_deep_recursion(self):
        code, out, err = self.interpret("""
            fn depth(n: i32) -> i32 { if n == 0 { return 0; } return 1 + depth(n - 1); }
            fn main() { print("{}", depth(50000)); }""")
        self.assertEqual((code, out), (0, "50000\n"), err)

    def test_arguments_and_exit_code(self):
        code, out, _ = self.interpret('fn main() -> i32 { print("{}", args()[1]); return 7; }', "a", "b")
        self.assertEqual((code, out), (7, "b\n"))
        self.assertEqual(self.interpret("fn main() { exit(9); }")[0], 9)

    def test_errors_are_those_of_the_compiler(self):
        code, out, err = self.interpret("fn main() { let x: i32 = true; }")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("error[E", err)

    def test_what_is_not_done_says_so(self):
        code, out, err = self.interpret("""
            extern "C" fn lgamma(x: f64) -> f64;
            fn main() { print("before"); print("{}", lgamma(5.0)); }""")
        self.assertEqual((code, out), (4, "before\n"))
        self.assertIn("p.kdsl:3:54: this calls the C function `lgamma`, which the interpreter does not support", err)

    def test_the_command_is_for_tests(self):
        self.assertNotIn("interpret", subprocess.run([KDSLC, "--help"], capture_output=True, text=True).stdout)


if __name__ == "__main__":
    unittest.main()
