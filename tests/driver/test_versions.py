#!/usr/bin/env python3
"""Programs that carry their kernels for several levels of x86-64 (--march=portable, or a list), and kernels that are
compiled in several parts.
Usage: test_versions.py KDSLC [unittest arguments]"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve()
LEVELS = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
PROGRAM = """fn bent(x: f32) -> f32 { return if x > 3.0 { x * 0.5 } else { sqrt(x) }; }
kernel bend(x: &mut [f32; n]) over i in n { x[i] = bent(x[i]) + 1.0; }
kernel total(x: &[f32; n]) over i in n -> sum f32 { return x[i]; }
fn main() {
    var x = [f32(i) for i in 100000];
    offload bend(&mut x);
    print("{} {} {}", x[2], x[99999], offload total(&x));
}
"""


def level_here():
    """As glibc's loader finds it out. /proc/cpuinfo may lack flags that the processor has, such as abm."""
    loader = subprocess.run(["/lib64/ld-linux-x86-64.so.2", "--help"], capture_output=True, text=True, check=True)
    return max([LEVELS[0], *re.findall(r"(?m)^  (x86-64-v[234]) \(supported", loader.stdout)])


def run(command, **env):
    return subprocess.run(command, env={**os.environ, "KMP_BLOCKTIME": "0", **env}, capture_output=True, text=True,
                          timeout=120)


class VersionsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        (self.dir / "p.kdsl").write_text(PROGRAM)

    def make(self, *flags, name="p", source="p.kdsl"):
        done = run([KDSLC, *flags, self.dir / source, "-o", self.dir / name])
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.dir / name

    def can(self, level):
        return LEVELS.index(level) <= LEVELS.index(level_here())

    def check_each(self, program, expected):
        """Every version that this processor can run gives the same, on the device and as the host version."""
        for level in (None, *LEVELS[1:]):
            if level and not self.can(level):
                continue
            for offload in ("mandatory", "disabled"):
                done = run([program], OMP_TARGET_OFFLOAD=offload, **({"KDSL_CPU": level} if level else {}))
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected, ""), (level, offload))

    def test_versions_give_the_same(self):
        expected = run([self.make("--march=x86-64-v2", name="one")]).stdout
        self.assertNotEqual(expected, "")
        for flags in parts.first(([], ["-O0"], ["-O3"], ["-g"])):
            self.check_each(self.make("--march=portable", *flags), expected)

    @parts.quick
    def test_symbols_of_each_version(self):
        program = self.make("--march=portable")
        symbols = run(["nm", program]).stdout
        for kernel in ("bend", "total"):
            self.assertRegex(symbols, rf"(?m) W kdsl_kernel_{kernel}$")
            for level in LEVELS[1:]:
                self.assertRegex(symbols, rf"(?m) t kdsl_kernel_{kernel}\.host\.[0-9a-f]+\.{level}$")
        self.assertNotIn("x86-64", run(["nm", self.make("--march=x86-64-v3", name="one")]).stdout)

    @parts.quick
    def test_code_of_each_version(self):
        def vectors(march):
            done = run([KDSLC, f"--march={march}", "--emit=device-asm", self.dir / "p.kdsl"])
            self.assertEqual(done.returncode, 0, done.stderr)
            parts = re.split(r"(?m)^# (x86-64\S*)$", done.stdout)[1:]
            return {level: {wide for wide in ("%xmm", "%ymm", "%zmm") if wide in text}
                    for level, text in zip(parts[::2], parts[1::2])}
        self.assertEqual(vectors("portable")["x86-64-v2"], {"%xmm"})
        self.assertEqual(vectors("portable")["x86-64-v3"], {"%xmm", "%ymm"})
        self.assertIn("%zmm", vectors("portable")["x86-64-v4"])
        self.assertEqual(list(vectors("x86-64-v4,x86-64")), ["x86-64", "x86-64-v4"])  # in order, as often as named

    @parts.quick
    def test_forced_version_runs(self):
        program = self.make("--march=portable")
        versions = re.findall(r"kdsl_kernel_bend\.host\.[0-9a-f]+\.x86-64-v\d", run(["nm", program]).stdout)
        self.assertEqual(len(versions), 3)
        gdb = [os.environ.get("KDSL_GDB") or "gdb", "-batch", "-nx", "-ex", "set breakpoint pending on",
               "-ex", "set environment OMP_TARGET_OFFLOAD disabled"]
        for version in versions:
            gdb += ["-ex", f"break '{version}'"]
        for level in (None, *LEVELS[1:]):
            if level and not self.can(level):
                continue
            forced = ["-ex", f"set environment KDSL_CPU {level}"] if level else []
            done = run([*gdb, *forced, "-ex", "run", "-ex", "backtrace 1", program], DEBUGINFOD_URLS="")
            self.assertRegex(done.stdout, rf"#0 .*kdsl_kernel_bend\.host\.[0-9a-f]+\.{level or level_here()} ",
                             done.stderr)

    @parts.quick
    def test_forcing_what_the_processor_lacks(self):
        program = self.make("--march=portable")
        for level in LEVELS[1:]:
            done = run([program], KDSL_CPU=level)
            if self.can(level):
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                continue
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertEqual(done.stderr, f"KDSL_CPU={level}: this processor only supports {level_here()}\n")

    @parts.quick
    def test_refused(self):
        program = self.make("--march=x86-64-v2,x86-64-v3")
        for wanted, says in (("x86-64", "the lowest version in this program is x86-64-v2"), ("i686", "unknown level"),
                             ("x86-64-v5", "unknown level")):
            done = run([program], KDSL_CPU=wanted)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn(f"KDSL_CPU={wanted}: {says}", done.stderr)
        self.assertEqual(run([program], KDSL_CPU="").returncode, 0)
        one = self.make("--march=x86-64-v2", name="one")  # of one version there is nothing to choose
        self.assertEqual(run([one], KDSL_CPU="x86-64-v4").returncode, 0)

    @parts.quick
    def test_what_march_may_say(self):
        for march, says in (("x86-64-v5", "unknown 64-bit x86 CPU `x86-64-v5`; did you mean `x86-64-v4`?"),
                            ("portabel", "did you mean `portable`?"),
                            ("x86-64-v2,x86-64-v7", "unknown 64-bit x86 CPU `x86-64-v7`; did you mean `x86-64-v4`?"),
                            ("x86-64-v2,x86-64-v2", "`x86-64-v2` is listed twice"),
                            ("x86-64-v2,znver4", "a list for --march needs levels from x86-64 to x86-64-v4, not `znver4`"),
                            ("x86-64-v2,native", "not `native`"),
                            ("x86-64-v2,", "unknown 64-bit x86 CPU ``")):
            done = run([KDSLC, f"--march={march}", self.dir / "p.kdsl", "-o", self.dir / "p"])
            self.assertEqual(done.returncode, 2, march)
            self.assertIn(says, done.stderr)
        for march in ("x86-64-v3,x86-64-v2", "x86-64,x86-64-v2,x86-64-v3,x86-64-v4"):
            self.assertEqual(run([KDSLC, "run", f"--march={march}", self.dir / "p.kdsl"]).returncode, 0)
        symbols = run(["nm", self.make("--march=portable", "--march=native", name="last")]).stdout
        self.assertNotIn("x86-64-v", symbols)  # the last one counts

    @parts.quick
    def test_objects_and_libraries(self):
        (self.dir / "lib.kdsl").write_text(PROGRAM.replace("fn main", "export fn work"))
        (self.dir / "main.c").write_text("int work(void); int main(void) { return work(); }")
        (self.dir / "other.kdsl").write_text(
            "kernel bend(x: &mut [f32; n]) over i in n { x[i] = 2.0; }\n"
            'export fn other() { var x = [0.0f32; 9]; offload bend(&mut x); print("{}", x[8]); }\n')
        (self.dir / "two.c").write_text("int work(void); int other(void); int main(void) { return work() || other(); }")
        expected = run([self.make()]).stdout
        self.make("--shared", "--march=portable", name="libwork.so", source="lib.kdsl")
        subprocess.run(["cc", "main.c", "-L.", "-lwork", "-Wl,-rpath," + str(self.dir), "-o", "by-so"], cwd=self.dir,
                       check=True)
        self.check_each(self.dir / "by-so", expected)
        for name in ("lib", "other"):  # the same kernel's name in both
            self.make("-c", "--march=portable", name=f"{name}.o", source=f"{name}.kdsl")
        needed = run(["ldd", self.make()]).stdout
        libraries = [re.search(rf"{name}\S* => (\S+)", needed).group(1) for name in ("libomptarget", "libomp\\.")]
        subprocess.run(["cc", "two.c", "lib.o", "other.o", *libraries, "-lm", "-o", "by-o"], cwd=self.dir, check=True)
        self.check_each(self.dir / "by-o", expected + "2\n")

    def test_many_kernels_in_parts(self):
        n = 70
        text = ["fn outer(x: f64, k: i32) -> f64 { return deep(x) + f64(k); }",
                "fn deep(x: f64) -> f64 { return x * 0.5; }"]
        for k in range(n):
            text.append(f"kernel k{k}(x: &mut [f64; n]) over i in n {{ assert x[i] >= 0.0; x[i] = outer(x[i], {k % 7}); }}")
        text.append("fn main() {\n    var x = [f64(i) for i in 50];")
        text += [f"    offload k{k}(&mut x);" for k in range(n)]
        text.append('    print("{}", x[49]);\n}')
        (self.dir / "many.kdsl").write_text("\n".join(text))
        x = 49.0
        for k in range(n):
            x = x * 0.5 + k % 7
        for flags in parts.first(([], ["-O0"], ["--march=portable"], ["-g"])):
            program = self.make(*flags, name="many", source="many.kdsl")
            for offload in ("mandatory", "disabled"):
                done = run([program], OMP_TARGET_OFFLOAD=offload)
                self.assertEqual((done.returncode, done.stderr), (0, ""), flags)
                self.assertEqual(float(done.stdout), x, flags)

    @parts.quick
    def test_parts_do_not_depend_on_the_machine(self):
        (self.dir / "many.kdsl").write_text(
            "\n".join(f"kernel k{k}(x: &mut [f64; n]) over i in n {{ x[i] += {k}.0; }}" for k in range(30)) +
            "\nfn main() {\n    var x = [0.0; 50];\n" + "\n".join(f"    offload k{k}(&mut x);"
                                                                  for k in range(30)) + "\n}\n")
        self.make(name="any", source="many.kdsl")
        one = min(os.sched_getaffinity(0))
        done = subprocess.run([KDSLC, "many.kdsl", "-o", "alone"], cwd=self.dir,
                              preexec_fn=lambda: os.sched_setaffinity(0, {one}))
        self.assertEqual(done.returncode, 0)
        # the source is named as it was given, so it is here too
        done = subprocess.run([KDSLC, "many.kdsl", "-o", "any"], cwd=self.dir)
        self.assertEqual((self.dir / "any").read_bytes(), (self.dir / "alone").read_bytes())


if __name__ == "__main__":
    unittest.main()
