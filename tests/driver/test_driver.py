#!/usr/bin/env python3
"""The command line of kdslc: results, exit codes, and what happens to bad input of every kind.
Usage: test_driver.py KDSLC [unittest arguments]"""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve()
OK, DIAGNOSTICS, USAGE = 0, 1, 2
HELLO = 'fn main() { print("hello"); }\n'
KERNEL = """kernel twice(x: &mut [f32; n]) over i in n { x[i] *= 2.0; }
fn main() { var x = [f32(i) for i in 8]; offload twice(&mut x); print("{}", x[7]); }
"""


class DriverTest(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)

    def write(self, name, text):
        path = self.dir / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def kdslc(self, *args, **more):
        more = {"cwd": self.dir, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                "timeout": 120, **more}
        done = subprocess.run([KDSLC, *args], **more)
        self.out = (done.stdout or b"").decode(errors="replace")
        self.err = (done.stderr or b"").decode(errors="replace")
        return done.returncode

    def fails(self, code, *args, says="", status=DIAGNOSTICS, **more):
        """kdslc reports `code`, says so, and leaves nothing behind."""
        before = self.tree()
        self.assertEqual(self.kdslc(*args, **more), status, self.err)
        if code:
            self.assertIn(f"[{code}]", self.err)
        self.assertIn(says, self.err)
        self.assertEqual(self.tree(), before)

    def tree(self):
        return {path: path.read_bytes() for path in self.dir.rglob("*") if path.is_file()}

    def without(self, function):
        """An environment in which the C library's `function` fails for want of memory."""
        self.write("fail.c", f"#include <errno.h>\nint {function}(void) {{ errno = ENOMEM; return -1; }}\n")
        subprocess.run(["cc", "-shared", "-fPIC", "fail.c", "-o", "fail.so"], cwd=self.dir, check=True)
        return dict(os.environ, LD_PRELOAD=str(self.dir / "fail.so"),
                    ASAN_OPTIONS="verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", ""))

    # ---- results

    def test_default_name_and_run(self):
        self.write("hello.kdsl", HELLO)
        self.assertEqual(self.kdslc("hello.kdsl"), OK, self.err)
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["hello", "hello.kdsl"])
        self.assertEqual(subprocess.run([self.dir / "hello"], capture_output=True).stdout, b"hello\n")

    def test_object_links_with_the_system_compiler(self):
        self.write("hello.kdsl", HELLO)
        self.assertEqual(self.kdslc("-c", "hello.kdsl"), OK, self.err)
        subprocess.run(["cc", "hello.o", "-o", "by-cc", "-lm"], cwd=self.dir, check=True)
        self.assertEqual(subprocess.run([self.dir / "by-cc"], capture_output=True).stdout, b"hello\n")

    def test_every_level_and_switch(self):
        self.write("k.kdsl", KERNEL)
        for flags in (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-g"], ["-O0", "-g"], ["--march=x86-64-v2"], ["-Werror"]):
            self.assertEqual(self.kdslc(*flags, "k.kdsl", "-o", "k"), OK, self.err)
            self.assertEqual(subprocess.run([self.dir / "k"], capture_output=True).stdout, b"14\n", flags)

    def test_emit(self):
        self.write("k.kdsl", KERNEL)
        signs = {"tokens": "kernel", "ast": "kernel twice", "checked": "kernel twice", "llvm": "@kdsl_main",
                 "device-llvm": "@kdsl_kernel_twice", "asm": "kdsl_main:", "device-asm": "kdsl_kernel_twice:"}
        for what, sign in signs.items():
            self.assertEqual(self.kdslc(f"--emit={what}", "k.kdsl"), OK, self.err)
            self.assertIn(sign, self.out)
            printed = self.out
            self.assertEqual(self.kdslc(f"--emit={what}", "k.kdsl", "-o", "k.out"), OK, self.err)
            self.assertEqual((self.dir / "k.out").read_text(), printed)
            self.assertEqual(self.out, "")

    def test_emit_into_a_pipe_or_device(self):
        self.write("k.kdsl", KERNEL)
        self.assertEqual(self.kdslc("--emit=ast", "k.kdsl", "-o", "/dev/stdout"), OK, self.err)
        self.assertIn("kernel twice", self.out)
        self.assertEqual(self.kdslc("--emit=ast", "k.kdsl", "-o", "/dev/null"), OK, self.err)
        self.assertTrue(Path("/dev/null").is_char_device())

    def test_standard_input(self):
        self.write("hello.kdsl", HELLO)
        with open(self.dir / "hello.kdsl") as text:
            self.assertEqual(self.kdslc("-", "-o", "hello", stdin=text), OK, self.err)
        with open(self.dir / "hello.kdsl") as text:
            self.fails("E1004", "-", stdin=text, says="-o")

    def test_run_passes_arguments_and_exit_code(self):
        self.write("p.kdsl", 'fn main() -> i32 { let a = args(); for i in len(a) { print("{}", a[i]); } return 7; }\n')
        self.assertEqual(self.kdslc("run", "-O1", "p.kdsl", "-o", "--help", "a b"), 7, self.err)
        self.assertEqual(self.out, "-o\n--help\na b\n")
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["p.kdsl"])

    def test_run_cannot_start(self):
        self.write("hello.kdsl", HELLO)
        self.fails("E1005", "run", "hello.kdsl", env=self.without("fexecve"), says="cannot start")

    def test_no_memory_for_the_link(self):
        self.write("k.kdsl", KERNEL)
        self.fails("E1024", "k.kdsl", env=self.without("memfd_create"), says="Cannot allocate memory")

    def test_missing_libraries(self):
        self.write("k.kdsl", KERNEL)
        self.fails("E1021", "k.kdsl", env=dict(os.environ, KDSL_SYSROOT=str(self.dir)), says="libc6")

    def test_check_reports_and_writes_nothing(self):
        self.write("w.kdsl", "fn f() -> i32 { return 1; }\n")
        self.assertEqual(self.kdslc("check", "w.kdsl"), OK, self.err)
        self.write("e.kdsl", "fn f() -> i32 { return nothing; }\n")
        self.fails(None, "check", "e.kdsl", says="nothing")

    def test_time_report_covers_everything(self):
        self.write("k.kdsl", KERNEL)
        self.assertEqual(self.kdslc("--time-report", "k.kdsl"), OK, self.err)
        rows = {line[:28].strip(): float(line[28:].split()[0]) for line in self.err.splitlines()[1:]
                if not line.startswith("  ")}
        for stage in ("load kdslc", "read", "parse", "check", "code (in parallel)", "link device image", "embed image",
                      "link program"):
            self.assertIn(stage, rows)
        self.assertAlmostEqual(sum(rows.values()) - rows["total"], rows["total"], delta=0.05)

    def test_colour(self):
        self.write("e.kdsl", "fn f() -> i32 { return nothing; }\n")
        for flags, coloured in ((["--color=always"], True), (["--color=never"], False), (["--color=auto"], False)):
            self.kdslc("check", *flags, "e.kdsl")
            self.assertEqual("\033[" in self.err, coloured, flags)

    def test_help_and_version(self):
        self.assertEqual(self.kdslc("--help-all"), OK)
        for word in ("--emit", "device-asm", "-O3", "kdslc run", "--time-report", "Exit codes"):
            self.assertIn(word, self.out)
        self.assertEqual(self.kdslc("--version"), OK)
        self.assertRegex(self.out, r"^kdslc \d+\.\d+\.\d+ \(LLVM 22\.\d+\.\d+\)\n$")

    # ---- the command line

    def test_usage_errors(self):
        self.write("a.kdsl", HELLO)
        for args, says in (
                ([], "the source file is missing"),
                (["--emti=llvm", "a.kdsl"], "did you mean `--emit`?"),
                (["--time-reprot", "a.kdsl"], "did you mean `--time-report`?"),
                (["--emit=llmv", "a.kdsl"], "did you mean `llvm`?"),
                (["--emit=nonsense", "a.kdsl"], "cannot emit"),
                (["--emit", "a.kdsl"], "needs a value"),
                (["--march=", "a.kdsl"], "needs a value"),
                (["--march=nonsense", "a.kdsl"], "unknown 64-bit x86 CPU `nonsense`"),
                (["--march=i686", "a.kdsl"], "unknown 64-bit x86 CPU `i686`"),
                (["-O9", "a.kdsl"], "unknown option `-O9`: the levels of optimisation are -O0, -O1, -O2 and -O3"),
                (["-c=1", "a.kdsl"], "takes no value"),
                (["--color=red", "a.kdsl"], "`auto`, `always` or `never`"),
                (["a.kdsl", "-o"], "needs a value"),
                (["a.kdsl", "-o", ""], "needs the name of a file"),
                (["a.kdsl", "b.kdsl"], "only one source file is allowed"),
                (["-O1", "b.kdsl", "run"], "write the command first: `kdslc run ... b.kdsl`"),
                (["-c", "--emit=llvm", "a.kdsl"], "cannot be combined"),
                (["run"], "the source file is missing"),
                (["run", "-o", "x", "a.kdsl"], "cannot be used"),
                (["check", "--emit=ast", "a.kdsl"], "cannot be used")):
            with self.subTest(args=args):
                self.fails(None, *args, says=says, status=USAGE)

    def test_file_after_two_dashes(self):
        self.write("-x.kdsl", HELLO)
        self.assertEqual(self.kdslc("-o", "x", "--", "-x.kdsl"), OK, self.err)

    # ---- bad input

    def test_unreadable_sources(self):
        self.fails("E1002", "none.kdsl", says="No such file")
        (self.dir / "folder.kdsl").mkdir()
        self.fails("E1002", "folder.kdsl", says="directory")
        self.fails("E1002", "/proc/self/mem", "-o", "x")
        if os.getuid() != 0:
            self.write("secret.kdsl", HELLO).chmod(0)
            self.fails("E1002", "secret.kdsl", says="Permission denied")

    def test_modules_that_are_no_files(self):
        """A pipe that nobody writes to would be waited for, and a device never ends."""
        os.mkfifo(self.dir / "pipe.kdsl")
        (self.dir / "device.kdsl").symlink_to("/dev/zero")
        (self.dir / "folder.kdsl").mkdir()
        for name, why in (("pipe", "it is not a regular file"), ("device", "it is not a regular file"),
                          ("folder", "it is a directory")):
            self.write("program.kdsl", f"import {name};\nfn main() {{}}\n")
            self.fails("E0801", "check", "program.kdsl", says=f"cannot read the module `{name}.kdsl`: {why}",
                       timeout=20)
            self.kdslc("repl", stdin=None, input=f":load {name}.kdsl\n".encode(), timeout=20)
            self.assertIn(why, self.out + self.err)
        os.mkfifo(self.dir / "libpipe.so")
        self.write("program.kdsl", "fn main() {}\n")
        self.fails("E1023", "program.kdsl", "-L.", "-lpipe", says="`./libpipe.so` is not a regular file", timeout=20)
        with subprocess.Popen(f"echo 'fn main() {{ print(\"read\"); }}' > pipe.kdsl", shell=True, cwd=self.dir):
            self.assertEqual((self.kdslc("run", "pipe.kdsl"), self.out), (0, "read\n"))    # named, and written to

    def test_standard_input_closed(self):
        self.fails("E1002", "-", "-o", "x", preexec_fn=lambda: os.close(0))

    def test_empty_and_odd_sources(self):
        self.write("empty.kdsl", b"")
        self.fails("E0328", "empty.kdsl", says="empty.kdsl:1:1: error[E0328]: the program has no `fn main()`")
        self.assertEqual(self.kdslc("check", "empty.kdsl"), OK, self.err)
        self.assertEqual(self.kdslc("run", "empty.kdsl"), DIAGNOSTICS)
        texts = {"garbage": bytes((i * 197 + i // 7) % 256 for i in range(20000)), "nul": b"fn main() { \0 }",
                 "string": b'fn main() { print("abc', "comment": b"/* /* */", "brace": b"fn main() {",
                 "elf": KDSLC.read_bytes()[:100_000], "utf16": HELLO.encode("utf-16"), "dots": b"." * 100_000}
        for name, text in texts.items():
            with self.subTest(name):
                self.write(name + ".kdsl", text)
                self.fails(None, name + ".kdsl", says="error[E")
                self.assertLess(len(self.err), 100_000)

    def test_byte_order_mark_and_carriage_returns(self):
        self.write("dos.kdsl", b"\xef\xbb\xbf" + HELLO.replace("\n", "\r\n").encode())
        self.assertEqual(self.kdslc("run", "dos.kdsl"), OK, self.err)

    def test_deep_nesting(self):
        for opened, closed in (("(", ")"), ("[", "]"), ("{", "}"), ("-", ""), ("!", ""), ("if a {", "}"), ("f(", ")"),
                               ("&", "")):
            for n in (150, 1000, 100_000):
                with self.subTest(opened=opened, n=n):
                    self.write("deep.kdsl", f"fn main() {{ let x = {opened * n}1{closed * n}; }}\n")
                    self.assertIn(self.kdslc("check", "deep.kdsl"), (OK, DIAGNOSTICS), self.err[:2000])
        self.write("long.kdsl", f"fn main() {{ let x = {'1 + ' * 100_000}1; }}\n")
        self.assertIn(self.kdslc("check", "long.kdsl"), (OK, DIAGNOSTICS), self.err[:2000])

    def test_a_line_of_100_megabytes(self):
        with open(self.dir / "line.kdsl", "wb") as out:
            out.write(b"fn main() { let x = 1; } // ")
            for _ in range(100):
                out.write(b"x" * (1 << 20))
        self.assertEqual(self.kdslc("check", "line.kdsl"), OK, self.err[:1000])
        with open(self.dir / "line.kdsl", "ab") as out:
            out.write(b"\nfn f() -> i32 { return " + b" " * (100 << 20) + b"nothing; }\n")
        self.assertEqual(self.kdslc("check", "line.kdsl"), DIAGNOSTICS)
        self.assertIn("nothing", self.err)
        self.assertLess(len(self.err), 10_000)
        os.remove(self.dir / "line.kdsl")

    def test_out_of_memory(self):
        with open(self.dir / "big.kdsl", "wb") as out:
            out.truncate(900 << 20)
        limit = 400 << 20
        if "asan" in subprocess.run(["ldd", KDSLC], capture_output=True, text=True).stdout:
            self.skipTest("AddressSanitizer needs the address space that this test takes away")
        self.fails("E1001", "check", "big.kdsl",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        os.remove(self.dir / "big.kdsl")

    # ---- bad output

    def test_what_is_never_overwritten(self):
        self.write("a.kdsl", HELLO)
        self.write("other.kdsl", HELLO)
        (self.dir / "folder").mkdir()
        os.symlink("a.kdsl", self.dir / "link")
        for name in ("a.kdsl", "other.kdsl", "./a.kdsl", "new.kdsl", "link", "folder"):
            with self.subTest(name):
                self.fails("E1004", "a.kdsl", "-o", name)
        self.fails("E1004", "--emit=ast", "a.kdsl", "-o", "other.kdsl")
        shutil.copy(self.dir / "a.kdsl", self.dir / "plain")
        self.fails("E1004", "plain", says="-o")
        self.fails("E1004", "plain", "-o", "plain", says="the source itself")

    def test_devices_are_written_not_replaced(self):
        self.write("k.kdsl", KERNEL)
        for args in ([], ["-c"], ["--emit=llvm"]):
            self.assertEqual(self.kdslc(*args, "k.kdsl", "-o", "/dev/null"), OK, self.err)
            self.fails("E1003", *args, "k.kdsl", "-o", "/dev/full", says="No space left")
        self.assertTrue(Path("/dev/null").is_char_device() and Path("/dev/full").is_char_device())

    def test_unwritable_output(self):
        self.write("a.kdsl", HELLO)
        for name in ("none/a", "/proc/a", "a.kdsl/a", "x" * 300):
            with self.subTest(name):
                self.fails("E1003", "a.kdsl", "-o", name)
                self.fails("E1003", "--emit=llvm", "a.kdsl", "-o", name)

    def test_full_disk_leaves_the_older_file(self):
        self.write("k.kdsl", KERNEL)
        self.write("k", "older")
        def tiny_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
        self.fails("E1003", "k.kdsl", preexec_fn=tiny_files, restore_signals=False)
        self.fails("E1003", "--emit=llvm", "k.kdsl", "-o", "k", preexec_fn=tiny_files, restore_signals=False)

    def test_errors_leave_the_older_file(self):
        self.write("a.kdsl", "fn main() { nothing(); }\n")
        self.write("a", "older")
        self.fails(None, "a.kdsl", says="nothing")

    def test_standard_output_full_or_closed(self):
        self.write("k.kdsl", KERNEL)
        for args in (["--help"], ["--version"], ["--emit=tokens", "k.kdsl"], ["--emit=llvm", "k.kdsl"]):
            with self.subTest(args=args), open("/dev/full", "w") as full:
                self.fails("E1003", *args, stdout=full, says="No space left")
                self.fails("E1003", *args, stdout=None, preexec_fn=lambda: os.close(1))

    def test_all_standard_files_closed(self):
        self.write("a.kdsl", HELLO)
        self.assertEqual(self.kdslc("a.kdsl", stdout=None, stderr=None, preexec_fn=lambda: os.closerange(0, 3)), OK)
        self.assertEqual(subprocess.run([self.dir / "a"], capture_output=True).stdout, b"hello\n")


if __name__ == "__main__":
    unittest.main()
