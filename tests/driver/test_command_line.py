#!/usr/bin/env python3
"""The grammar of the command line: options before and after the command, words that are nearly commands, options that come
too late, the two levels of help, and that docs/cli.md has every row of the table. Usage: test_command_line.py KDSLC"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve()


def run(*args, **more):
    return subprocess.run([KDSLC, *map(str, args)], capture_output=True, text=True, timeout=120, **more)


def rows(macro):
    """The texts of each row, and its level."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "driver/options.def").read_text(), flags=re.S)
    for row in re.findall(rf"^{macro}\((.*?)\)$", text, flags=re.M | re.S):
        level = re.search(r", (BASIC|MORE|TESTS),", row)
        yield re.findall(r'"((?:[^"\\]|\\.)*)"', row), level and level[1]


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.folder / "p.kdsl"
        self.program.write_text('fn main() { print("{} {}", len(args()), 7 / 2); }\n')

    def test_options_before_and_after_the_command(self):
        for args in (("-O3", "run", "-g", self.program), ("run", "-O3", self.program), ("-Werror", "-O0", "run", self.program)):
            done = run(*args, "-x", "--", "run")
            self.assertEqual((done.stdout, done.stderr), ("3 3\n", ""), args)
        self.assertEqual(run("-Werror", "check", self.program).returncode, 0)
        self.assertEqual(run("check", self.program, "-Werror").returncode, 0)
        self.assertEqual(run("--color=never", "explain", "E0301").stdout, run("explain", "E0301").stdout)
        self.assertEqual(run("-g", "explain", "bounds", self.program).returncode, 0)

    def test_a_file_may_be_named_like_a_command(self):
        (self.folder / "run").write_text("fn main() { print(\"file\"); }\n")
        self.assertEqual(run("--", "run", "-o", "out", cwd=self.folder).returncode, 2)
        self.assertEqual(run("-o", "out", "--", "run", cwd=self.folder).returncode, 0)
        self.assertEqual(run("run", "run", cwd=self.folder).stdout, "file\n")
        (self.folder / "chek").write_text("fn main() {}\n")
        self.assertEqual(run("-o", "out", "chek", cwd=self.folder).returncode, 0)

    def test_words_that_are_nearly_commands(self):
        for word, meant in (("chek", "check"), ("rnu", "run"), ("tset", "test"), ("docter", "doctor"), ("explian", "explain")):
            for rest in ((), (self.program,)):
                done = run(word, *rest)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"there is no command `{word}`; did you mean `{meant}`?", done.stderr)
        done = run(self.program, "check")
        self.assertIn("write the command first: `kdslc check ...", done.stderr)
        self.assertIn("only one source file is allowed", run(self.program, "b.kdsl").stderr)

    def test_options_that_come_too_late(self):
        self.program.write_text('extern "C" fn no_such(x: f64) -> f64;\nfn main() { print("{}", no_such(1.0)); }\n')
        done = run("run", self.program, "-lm")
        self.assertIn("no library that is linked defines `no_such`", done.stderr)
        self.assertIn(f"for the compiler: `kdslc run -lm {self.program}`", done.stderr)
        self.assertNotIn("for the compiler", run("run", self.program, "other").stderr)

    def says(self, *args, status=2, **more):
        """The message of a wrong command line, without what is the same in all."""
        done = run(*args, cwd=self.folder, **more)
        self.assertEqual((done.returncode, done.stdout), (status, ""), args)
        return done.stderr.removesuffix("(see kdslc --help)\n").removeprefix("kdslc: error: ").strip()

    def test_other_words_for_help_and_version(self):
        for words in (["-h"], ["help"], ["help", "run"]):
            self.assertEqual(run(*words).stdout, run("--help").stdout)
        self.assertEqual(run("version").stdout, run("--version").stdout)

    def test_options_of_other_compilers_by_their_meaning(self):
        for option, meant in (("-Wall", ": all warnings are on; -Werror makes them errors"),
                              ("-S", "; did you mean `--emit=asm`, or `--emit=device-asm` for kernels?"),
                              ("-v", "; did you mean `--time-report`, which shows the stages, or `--version`?"),
                              ("-V", "; did you mean `--version`?"), ("-g3", "; did you mean `-g`?"),
                              ("--target=nvptx64", "; did you mean `--offload-arch` for the devices, or `--march` for the CPU?"),
                              ("-Ofast", ": the levels of optimisation are -O0, -O1, -O2 and -O3"),
                              ("--output=x", "; did you mean `-o FILE`?"), ("-DN=3", ": there are no macros; a program "
                               "reads its arguments with `args()`"),
                              ("-fsanitize=thread", "; did you mean `--check=race,init`?"),
                              ("-march=native", "; did you mean `--march`?"), ("--ofload-arch=all", "; did you mean `--offload-arch`?")):
            self.assertEqual(self.says(option, "p.kdsl"), f"unknown option `{option}`{meant}")

    def test_no_guess_is_better_than_a_wrong_one(self):
        for option in ("-w", "-x", "-std=c99", "--verbose", "-zoo", "-I.", "--foo=1"):
            self.assertEqual(self.says(option, "p.kdsl"), f"unknown option `{option}`")
        for word in ("toaster", "k80", "zen"):
            self.assertNotIn("did you mean", self.says(f"--offload-arch={word}", "p.kdsl"))
        self.assertNotIn("did you mean", self.says("--march=i686", "p.kdsl"))

    def test_what_emit_and_explain_do_not_know(self):
        for word, meant in (("ptx", "; did you mean `--emit=device-asm --offload-arch=nvidia`?"),
                            ("sass", ": `--emit=device-asm --offload-arch=nvidia` prints the PTX that it is made from"),
                            ("ir", "; did you mean `llvm`, or `device-llvm` for kernels?"), ("llmv", "; did you mean `llvm`?"),
                            ("obj", ": `-c` makes an object file"), ("races", "; did you mean `--explain=races`?")):
            self.assertEqual(self.says(f"--emit={word}", "p.kdsl"), f"cannot emit `{word}`{meant}")
        self.assertRegex(self.says("--emit=xyz", "p.kdsl"), "^cannot emit `xyz`: use `tokens`, .* or `device-asm`$")
        for word, meant in (("race", "races"), ("transfer", "transfers"), ("copies", "transfers"), ("occupancy", "launch"),
                            ("vectorization", "vector"), ("checks", "bounds")):
            self.assertEqual(self.says(f"--explain={word}", "p.kdsl"), f"--explain cannot be `{word}`; did you mean `{meant}`?")
            self.assertEqual(self.says("explain", word, "p.kdsl"), f"cannot explain `{word}`; did you mean `{meant}`?")
        self.assertEqual(self.says("--explain=xyz", "p.kdsl"),
                         "--explain must be `bounds`, `transfers`, `launch`, `races` or `vector`, not `xyz`")

    def test_modes_of_arithmetic(self):
        self.assertEqual(self.says("--fp=quick", "p.kdsl"), "--fp must be `fused`, `strict` or `fast`, not `quick`")
        for word in ("-ffast-math", "--use_fast_math", "-freciprocal-math", "-funsafe-math-optimizations"):
            self.assertEqual(self.says(word, "p.kdsl"), f"unknown option `{word}`; did you mean `--fp=fast`?")

    def test_codes_of_diagnostics_that_are_nearly_right(self):
        for word, meant in (("301", "E0301"), ("E301", "E0301"), ("W502", "W0502"), ("w502", "W0502"), ("502", "E0502"),
                            ("W0301", "E0301")):
            self.assertEqual(self.says("explain", word), f"unknown diagnostic `{word}`; did you mean `{meant}`?")
        self.assertEqual(self.says("--explain=301", "p.kdsl"), "unknown diagnostic `301`; did you mean `E0301`?")
        self.assertEqual(self.says("explain", "E9999"), "unknown diagnostic `E9999`")
        self.assertEqual(self.says("explain", "launch"), "the source file is missing")
        self.assertEqual(self.says("explain", "xyz"), "cannot explain `xyz`: use a code such as E0301, or `bounds`, "
                         "`transfers`, `launch`, `races` or `vector`")

    def test_names_of_processors_and_devices(self):
        for word, meant in (("avx2", "x86-64-v3"), ("AVX512", "x86-64-v4"), ("avx512f", "x86-64-v4"), ("sse4.2", "x86-64-v2"),
                            ("host", "native"), ("x86_64", "x86-64")):
            self.assertEqual(self.says(f"--march={word}", "p.kdsl"), f"unknown 64-bit x86 CPU `{word}`; did you mean `{meant}`?")
        self.assertEqual(self.says("--march=sm_90", "p.kdsl"),
                         "unknown 64-bit x86 CPU `sm_90`: GPUs are named with --offload-arch")
        for word, meant in (("a100", "sm_80"), ("A100", "sm_80"), ("h100", "sm_90"), ("rtx-4090", "sm_89"), ("mi250", "gfx90a"),
                            ("MI300X", "gfx942"), ("cuda", "nvidia"), ("cpu", "host"), ("sm90", "sm_90")):
            self.assertEqual(self.says(f"--offload-arch={word}", "p.kdsl"), f"unknown device `{word}`; did you mean `{meant}`?")

    def test_every_device_that_is_meant_exists(self):
        table = (ROOT / "driver/meant.def").read_text()
        for name in sorted(set(re.findall(r"(?m)^MEANT\(DEVICE.*`((?:sm_|gfx)\w+)`", table))):
            self.assertEqual(run(f"--offload-arch={name}", "--emit=plan", self.program).returncode, 0, name)

    def test_words_that_are_commands_elsewhere(self):
        for word, meant in (("format", "; did you mean `fmt`?"), ("lint", "; did you mean `check`?"),
                            ("build", ": `kdslc FILE.kdsl` compiles"), ("install", "")):
            self.assertEqual(self.says(word, "p.kdsl"), f"there is no command `{word}`{meant}")
        self.assertEqual(self.says("build"), "there is no command `build`: `kdslc FILE.kdsl` compiles")
        (self.folder / "build").write_text("fn main() {}\n")
        self.assertEqual(run("-o", "out", "build", cwd=self.folder).returncode, 0)

    def test_files(self):
        self.assertEqual(self.says("p.kdsl", "p.kdsl"), "`p.kdsl` is named twice: only one source file is allowed")
        for name in ("p.kdls", "p.kdl", "p", "q.kdsl"):
            for command in ("run", "check", "repl", "fmt"):
                said = self.says(command, name, status=1, stdin=subprocess.DEVNULL)
                self.assertIn(f"cannot read `{name}`: No such file or directory", said)
                self.assertIn("did you mean `p.kdsl`?", said)
        self.assertIn(f"did you mean `{self.program}`?", run("run", self.folder / "P.kdsl").stderr)
        self.assertNotIn("did you mean", self.says("run", "other.kdsl", status=1))
        self.assertNotIn("did you mean", self.says("run", "nofolder/p.kdsl", status=1))

    def test_no_main(self):
        note = {"export fn f() -> i32 { return 1; }\n": "for a library of the exported functions, use `kdslc --shared`, or `-c` "
                                                        "for an object file",
                'test "one" { assert true; }\n': "`kdslc test` runs the tests",
                "const N = 1;\n": "`kdslc check` and `--emit` need none"}
        for text, says in note.items():
            self.program.write_text(text + "// the end\n")
            said = self.says("run", "p.kdsl", status=1)
            self.assertIn(f"p.kdsl:1:{len(text) - 1}: error[E0328]: the program has no `fn main()`", said)
            self.assertIn(f"note: {says}", said)

    def test_options_of_the_compiler_that_the_program_gets(self):
        for option in ("-O3", "--unchecked", "--offload-arch=host"):
            done = run("run", "p.kdsl", option, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (0, "1 3\n"))
            self.assertIn(f"note: `{option}` comes after the file, so it is for the program; for the compiler: ", done.stderr)
            self.assertIn(f"`kdslc run {option} p.kdsl`", done.stderr)
        for args in (["run", "--", "p.kdsl", "-O3"], ["run", "p.kdsl", "--", "-O3"], ["run", "p.kdsl", "-o", "--help", "-g", "-x"],
                     ["run", "-O3", "p.kdsl", "--offload-arch"]):
            self.assertEqual(run(*args, cwd=self.folder).stderr, "", args)

    def test_options_after_the_file_of_tests(self):
        self.program.write_text('test "one" { assert true; }\ntest "two" { assert true; }\n')
        self.assertIn('"name":"two"', run("test", "p.kdsl", "--format=json", "two", cwd=self.folder).stdout.replace(" ", ""))
        self.assertIn("1 passed", run("test", "p.kdsl", "one", "-O0", cwd=self.folder).stdout)
        self.assertIn("--format must be `text`", self.says("test", "p.kdsl", "--format=xml"))
        self.assertEqual(run("test", "p.kdsl", "--", "-O3", cwd=self.folder).stdout,
                         "no test has `-O3` in its name; the file has 2 tests\n")
        self.program.write_text('test "one" { assert true; }\n')
        self.assertEqual(run("test", "p.kdsl", "x", cwd=self.folder).stdout, "no test has `x` in its name; the file has 1 test\n")

    def test_two_levels_of_help(self):
        basic, full = run("--help").stdout, run("--help-all").stdout
        self.assertLess(len(basic.split("\n")), 50)
        for (spelling, *_), level in rows("OPTION"):
            shown = re.compile(rf"(?m)^  {re.escape(spelling)}(?![-\w])|^  {re.escape(spelling)}[A-Z]")
            self.assertEqual(bool(shown.search(basic)), level == "BASIC", spelling)
            self.assertEqual(bool(shown.search(full)), level != "TESTS", spelling)
        self.assertIn("kdslc --help-all", basic)
        self.assertIn("For C programs: kdslc -c --header=k.h k.kdsl, then cc main.c k.o $(kdslc --print-link-flags)\n", basic)
        self.assertIn("--offload-arch", basic)

    def test_the_page_has_every_row(self):
        page = (ROOT / "docs/cli.md").read_text()
        for (spelling, *_), level in rows("OPTION"):
            if level != "TESTS":
                self.assertRegex(page, rf"(?m)^\| `{re.escape(spelling)}", spelling)
        for (name, arguments, *help_), _ in rows("COMMAND"):
            if "".join(help_):
                self.assertIn(f"kdslc {name} {arguments}".replace("  ", " ").rstrip(), page)
        for (name, *_), _ in [*rows("EMIT"), *rows("EXPLAIN")]:
            self.assertRegex(page, rf"(?m)^\| `{name}` \|")


if __name__ == "__main__":
    unittest.main()
