#!/usr/bin/env python3
"""A person at the terminal: keys, colours, completion, history, interrupts, pictures. Usage: test_terminal.py KDSLC"""
import fcntl
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import transcript
from terminal import Terminal

KDSLC = Path(sys.argv.pop(1)).resolve()
UP, DOWN, LEFT, RIGHT, HOME, END = "\033[A", "\033[B", "\033[D", "\033[C", "\001", "\005"
CTRL_C, CTRL_D, CTRL_R, CTRL_U, TAB, ALT_ENTER = "\003", "\004", "\022", "\025", "\t", "\033\r"


class TerminalTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        self.open = []
        self.addCleanup(lambda: [t.close() for t in self.open if not t.ended])

    def start(self, *arguments, **more):
        terminal = transcript.start(KDSLC, self.dir, *arguments, **more)
        self.open.append(terminal)
        return terminal

    def typed(self, t, keys, shown):
        """After these keys the line with the cursor reads so."""
        t.send(keys)
        t.until(lambda: self.line(t) == shown, f"{shown!r} after {keys!r}")

    def seen(self, t, text):
        """It comes to be in a line; a line of its own or a part of one."""
        t.until(lambda: any(text in line for line in t.lines()), repr(text))

    def ends(self, t, *lines):
        """The lines above the last prompt come to be these."""
        t.until(lambda: t.at_prompt() and t.lines()[-len(lines) - 1:-1] == [*lines], f"{lines} and a prompt")

    def line(self, t):
        return t.screen.display[t.screen.cursor.y].rstrip()

    def colours(self, t, text):
        """Of the first character of this text in the line with the cursor: colour, bold, reverse."""
        x = t.screen.display[t.screen.cursor.y].index(text)
        cell = t.screen.buffer[t.screen.cursor.y][x]
        return cell.fg, cell.bold, cell.reverse

    # ---- typing

    def test_a_block_is_asked_for_until_it_is_closed(self):
        t = self.start()
        self.typed(t, "fn f(x: i32) -> i32 {\r", "    >")
        self.assertEqual(t.screen.cursor.x, len(transcript.MORE) + 4)  # one step in
        self.typed(t, "return 3 * x;\r", "    >")
        self.typed(t, "}", "    > }")  # and out
        t.press("\r")
        self.assertEqual(t.run("f(14)"), ["42 : i32"])
        self.typed(t, UP + UP, "    > }")  # one place in the history
        self.typed(t, UP, "    >     return 3 * x;")
        self.typed(t, HOME + RIGHT * 12 + "\b5", "    >     return 5 * x;")
        t.press("\r")
        self.assertEqual(t.run("f(14)"), ["70 : i32"])

    def test_keys_within_lines(self):
        t = self.start()
        self.typed(t, "1 + 2" + HOME + "7 * ", "kdsl> 7 * 1 + 2")
        self.typed(t, END + "0", "kdsl> 7 * 1 + 20")
        self.typed(t, CTRL_U, "kdsl>")
        self.typed(t, "if true" + ALT_ENTER + "{", "    > {")
        self.typed(t, CTRL_C, "kdsl>")
        self.assertTrue(t.lines()[-2].endswith("{^C"), t.lines()[-3:])
        t.send(TAB)
        t.until(lambda: t.screen.cursor.x == len(transcript.PROMPT) + 4, "four blanks")
        self.typed(t, CTRL_U + "x" * 300, "x" * (300 - 2 * transcript.COLUMNS + len(transcript.PROMPT)))
        self.typed(t, HOME, "kdsl> " + "x" * (transcript.COLUMNS - len(transcript.PROMPT)))
        self.typed(t, CTRL_C, "kdsl>")
        self.assertEqual(t.run("1 + 1"), ["2 : i32"])

    def test_a_line_as_wide_as_the_screen(self):
        t = self.start(columns=40)
        text = "1" + " + 1" * 10
        fits = 40 - len(transcript.PROMPT)
        self.typed(t, text[:fits], "")  # the cursor is below
        self.assertEqual(t.lines()[-1], "kdsl> " + text[:fits].rstrip())
        self.typed(t, text[fits:], text[fits:].strip())
        t.press("\r")
        self.ends(t, "11 : i32")

    def test_more_lines_than_the_screen_has(self):
        t = self.start(rows=10)
        block = "{\n" + "".join(f"    print(\"{i}\");\n" for i in range(20)) + "}"
        t.send(f"\033[200~{block}\033[201~")
        t.until(lambda: self.line(t) == "    > }", "the end of the block")
        for _ in range(21):
            t.send(UP)
        t.until(lambda: self.line(t) == "kdsl> {", "its beginning")
        t.press("\r")
        self.ends(t, *map(str, range(20)))

    def test_other_letters(self):
        t = self.start()
        self.typed(t, 'let s = "größe 漢字 ✓"', 'kdsl> let s = "größe 漢字 ✓"')
        self.typed(t, LEFT * 2 + "x", 'kdsl> let s = "größe 漢字 x✓"')
        t.press("\r")
        self.assertEqual(t.run("s"), ['"größe 漢字 x✓" : str'])

    def test_two_blank_lines_give_up(self):
        t = self.start()
        t.press("let x = (1 +\r\r\r")
        self.seen(t, "error[E02")

    def test_a_paste_is_several_inputs(self):
        t = self.start()
        t.send("\033[200~let a = 2\na + 1\nfn g() -> i32 {\n    return 9;\n}\ng()\033[201~\r")
        self.ends(t, "3 : i32", "9 : i32")

    def test_a_copied_session(self):
        t = self.start()
        page = "kdsl> let a = 2\nkdsl> a + 1\n3 : i32\nkdsl> fn g() -> i32 {\n    >     return 9;\n    > }\nkdsl> g()\n9 : i32"
        t.send(f"\033[200~{page}\033[201~\r")
        self.ends(t, "3 : i32", "9 : i32")

    def test_resizing(self):
        t = self.start()
        self.typed(t, "1 + 2 + 3", "kdsl> 1 + 2 + 3")
        t.screen.resize(20, 60)
        fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 60, 0, 0))
        self.typed(t, " + 4", "kdsl> 1 + 2 + 3 + 4")
        t.press("\r")
        self.ends(t, "10 : i32")

    # ---- colours

    def test_colours_follow_the_tokens(self):
        t = self.start()
        self.typed(t, 'let x: f32 = sqrt(2.0); print("a") // b', 'kdsl> let x: f32 = sqrt(2.0); print("a") // b')
        plain = self.colours(t, "x:")[0]
        seen = [self.colours(t, text)[0] for text in ("let", "f32", "sqrt", "2.0", '"a"')]
        self.assertEqual(len(set(seen)), 5, seen)
        self.assertNotIn(plain, seen)
        self.typed(t, CTRL_U + "over over i", "kdsl> over over i")  # a word only where it introduces something
        self.assertNotEqual(self.colours(t, "over i"), self.colours(t, "i"))

    def test_brackets(self):
        t = self.start()
        self.typed(t, "f((1 + 2) * 3)", "kdsl> f((1 + 2) * 3)")
        t.until(lambda: self.colours(t, "((")[2], "the first bracket matched with the last")
        self.assertFalse(self.colours(t, "(1")[2])
        self.typed(t, CTRL_U + '"(" )', 'kdsl> "(" )')  # a bracket in a text is none
        t.until(lambda: self.colours(t, ")")[0] == "red", "a bracket in red")

    def test_without_colours(self):
        t = self.start(NO_COLOR="1")
        t.run("let x = [f32(i) for i in 100]")
        t.run("x")
        t.run("plot(x)")
        t.run("foo")
        self.assertNotRegex(t.raw, rb"\033\[[0-9;]*m")

    # ---- completion

    def test_completion(self):
        t = self.start()
        t.run("struct Body { mass: f64, momentum: f64, at: f32x3 }")
        t.run("let body = Body(mass: 1.0, momentum: 2.0, at: f32x3(0.0)); let bodies = [body]")
        t.run("import math")
        t.send("bod" + TAB)
        self.seen(t, "bodies  body")
        self.typed(t, "y.m" + TAB, "kdsl> body.m")
        self.seen(t, "mass      momentum")
        self.typed(t, "o" + TAB, "kdsl> body.momentum")
        self.typed(t, CTRL_U + "bodies[0].a" + TAB, "kdsl> bodies[0].at")
        self.typed(t, CTRL_U + "math.smooth" + TAB, "kdsl> math.smoothstep")
        self.typed(t, CTRL_U + ":tr" + TAB, "kdsl> :transfers")
        self.typed(t, CTRL_U + "kern" + TAB, "kdsl> kernel")
        self.typed(t, CTRL_U + "isna" + TAB, "kdsl> isnan")
        (self.dir / "waves.kdsl").write_text("let waves = 3\n")
        self.typed(t, CTRL_U + ":load wav" + TAB, "kdsl> :load waves.kdsl")
        t.press("\r")
        self.assertEqual(t.run("waves"), ["3 : i32"])

    # ---- history

    def history(self):
        return (self.dir / "state/kdslc/history").read_text()

    def test_history_is_kept(self):
        t = self.start()
        t.run("1 + 1")
        t.run("1 + 1")
        t.run("\033[200~{\n    let two = 2;\n}\033[201~")
        self.assertEqual(t.close(), 0)
        self.assertEqual(re.sub(r"^#\d+\n", "", self.history(), flags=re.M), "1 + 1\n{\n    let two = 2;\n}\n")
        t = self.start()
        self.typed(t, UP, "    > }")
        self.typed(t, UP * 3, "kdsl> 1 + 1")
        t.press(CTRL_C)
        self.typed(t, CTRL_R + "1 +", "(reverse-i-search)`1 +': 1 + 1")
        t.press("\r")
        self.ends(t, "2 : i32")
        self.assertIn("{\n    let two = 2;\n}", "\n".join(t.run(":history")))

    def test_an_input_is_in_the_history_before_it_runs(self):
        t = self.start()
        t.send("while true { }\r")
        t.until(lambda: "while true" in self.history(), "the file")

    def test_no_place_for_a_history(self):
        t = self.start(XDG_STATE_HOME="/proc/nothing", HOME="/proc/nothing")
        self.assertEqual(t.run("1 + 1"), ["2 : i32"])

    # ---- stopping and leaving

    def test_interrupting(self):
        t = self.start()
        t.run("var n = 0")
        t.send('while true { n += 1; if n == 1 { print("round {}", n); } }\r')
        t.until(lambda: b"round 1" in t.raw, "its first round")
        t.press(CTRL_C)
        self.ends(t, "^C", "stopped")
        self.assertEqual(t.run("n > 0"), ["true : bool"])
        self.assertEqual(t.run("1 + 1"), ["2 : i32"])

    def test_interrupting_kernels(self):
        """In loops of an item and of a function, in long launches, in groups, in reductions, and asynchronous ones."""
        t = self.start()
        t.run("var x = [0.0; 1000]; var y = [0.0; 1000]")
        t.run("kernel spin(x: &mut [f64; n]) over i in n { while x[i] >= 0.0 { x[i] += 1.0; } }")
        t.run("fn on(v: f64) -> f64 { var s = v; while s >= 0.0 { s += 1.0; } return s; }")
        t.run("kernel call(x: &[f64; n], y: &mut [f64; n]) over i in n { y[i] = on(x[i]); }")
        t.run("kernel count(x: &mut [f64; n], k: i64) over i in n { for j in k { x[i] += sin(f64(j)); } }")
        t.run("kernel many(x: &mut [f64; n], k: i64) over i in n, j in k { atomic x[i] += 1.0; }")
        t.run("kernel total(k: i64, n: i64) over i in n -> sum f64 { var s = 0.0; for j in k { s += sin(f64(j)); } "
              "return s; }")
        t.run("kernel group(x: &mut [f64; n]) over i in n by 8 { while true { barrier; x[i] += 1.0; barrier; } }")
        for launch, told in (("offload spin(&mut x)", "`spin` was stopped: `x` may be partly written"),
                             ("offload call(&x, &mut y)", "`call` was stopped: `y` may be partly written"),
                             ("offload count(&mut x, 1_000_000_000_000)", "`count` was stopped: `x` may be"),
                             ("offload many(&mut x, 1_000_000_000_000)", "`many` was stopped: `x` may be"),
                             ("let t = offload total(1_000_000_000_000, 1000)", "kernel `total` was stopped"),
                             ("offload group(&mut x)", "`group` was stopped: `x` may be partly written"),
                             ("offload async spin(&mut x); offload async call(&x, &mut y); wait",
                              "`spin` was stopped: `x` may be partly written")):
            with self.subTest(launch):
                before = len(t.raw)
                t.send(f"print(\"{{}}\", 1234 * 5); {launch}\r")
                t.until(lambda: b"6170\r" in t.raw[before:], "the beginning")
                t.press(CTRL_C)
                t.until(lambda: told.encode() in t.raw[before:], told)
                self.assertEqual(t.run("1 + 1"), ["2 : i32"])

    def test_interrupting_a_recursion(self):
        t = self.start()
        t.run('fn on(n: i32) -> i32 { if n == 80 { print("call {}", n); } return if n < 2 { n } else { on(n - 1) + on(n - 2) }; }')
        t.send("on(80)\r")
        t.until(lambda: b"call 80\r" in t.raw, "a call")
        t.press(CTRL_C)
        self.ends(t, "^C", "stopped")

    def test_a_crash_has_last_words(self):
        t = self.start()
        t.run("fn deep(n: i32) -> i32 { return if n == 0 { 1 } else { deep(n - 1) + deep(n - 2) }; }")
        self.assertIn("stack overflow in `deep`", "\n".join(t.run("deep(-1)")))     # no crash: the session goes on
        t.run('extern "C" fn atoi(address: u64) -> i32;')
        t.send("atoi(8)\r")
        t.until(lambda: t.ended, "the end")
        self.assertTrue(self.history().endswith("atoi(8)\n"))
        status = t.close()
        if b"__asan_init" not in KDSLC.read_bytes():  # a sanitizer has a report of its own
            self.assertIn("this session has crashed: invalid memory access", "\n".join(t.lines()))
            self.assertEqual(status, -signal.SIGSEGV)

    def test_leaving(self):
        for way in (CTRL_D, ":quit\r", "exit\r", "quit()\r", ":q\r"):
            t = self.start()
            t.send(way)
            t.until(lambda: t.ended, f"the end after {way!r}")
            self.assertEqual(t.close(), 0)

    def test_alone_it_starts_a_session(self):
        t = Terminal([str(KDSLC)], transcript.environment(self.dir), self.dir)
        self.open.append(t)
        t.wait()
        self.assertEqual(t.run("6 * 7"), ["42 : i32"])

    def test_a_file_first(self):
        (self.dir / "lib.kdsl").write_text("fn a() -> i32 { return b() + 1; }\nfn b() -> i32 { return 1; }\n\nfn main() { }\n")
        t = self.start("lib.kdsl")
        self.assertEqual(t.run("a()"), ["2 : i32"])
        (self.dir / "wrong.kdsl").write_text("fn a() -> i32 { return 1; }\nlet x = 1\nfn b() { c(); }\nlet y = 2\n")
        t = self.start("wrong.kdsl")
        self.assertIn("wrong.kdsl:3:10: error[E0301]", "\n".join(t.lines()))
        self.assertEqual(t.run("a() + x"), ["2 : i32"])
        missing = subprocess.run([KDSLC, "repl", "missing.kdsl"], cwd=self.dir, capture_output=True, text=True, timeout=60)
        self.assertEqual((missing.returncode, missing.stdout), (1, ""), missing)
        self.assertIn("cannot read `missing.kdsl`", missing.stderr)

    # ---- launches

    def test_launches_are_told(self):
        t = self.start()
        t.run("kernel fill(x: &out [f32; n]) over i in n { x[i] = f32(i); }")
        t.run("var x = [0.0f32; 1000]")
        lines = t.run("offload fill(&out x)")
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], r"^fill on .*: 1000 items, [\d.]+ (ms|µs|s)")
        self.assertEqual(t.run(":quiet"), [])
        self.assertEqual(t.run("offload fill(&out x)"), [])
        self.assertEqual(t.run("x[3]"), ["3 : f32"])
        told = t.run(":launches")  # of all inputs, not of the last one
        self.assertEqual(len(told), 3, told)
        self.assertRegex(told[0], r"^fill on ")
        self.assertRegex(told[1], r"^fill on ")
        self.assertRegex(told[2], r"^host code: ")
        self.assertEqual(t.run(":quiet off"), [])
        self.assertEqual(len(t.run("for k in 3 { offload fill(&out x); }")), 1)

    def test_times(self):
        t = self.start()
        t.run("kernel fill(x: &out [f32; n]) over i in n { x[i] = f32(i); }")
        t.run("var x = [0.0f32; 1000]")
        pattern = r"^median [\d.]+ (ns|µs|ms|s), half of them between .* and .*, least [\d.]+ (ns|µs|ms|s); \d+ runs$"
        self.assertRegex("\n".join(t.run(":time x[3] + 1.0")), pattern)
        self.assertRegex("\n".join(t.run(":bench fill(&out x)")), pattern)

    # ---- pictures

    def test_half_blocks(self):
        t = self.start()
        t.run("let m = [f32(i * 4 + j) for i in 4, j in 4]")
        t.run("image(m)")
        rows = [y for y in range(t.screen.lines) if "▀▀▀" in t.screen.display[y]]
        size = len(t.screen.display[rows[0]].rstrip())
        self.assertEqual(len(rows), size // 2)  # square
        first, last = t.screen.buffer[rows[0]][0], t.screen.buffer[rows[-1]][size - 1]
        self.assertEqual((first.fg, first.bg), ("440154", "440154"))  # the least: both halves dark blue
        self.assertEqual((last.fg, last.bg), ("fde725", "fde725"))    # the greatest: yellow
        self.assertRegex(t.lines()[-2], r"^0 █+ 15$")

    def test_colours_of_256(self):
        t = self.start(COLORTERM="")
        t.run("image([f32(i * 4 + j) for i in 4, j in 4])")
        self.assertIn(b"\033[38;5;", t.raw)
        self.assertNotIn(b"38;2;", t.raw)

    def test_protocols(self):
        for name, begin in (("kitty", b"\033_Ga=T,f=100"), ("sixel", b"\033P0;1q")):
            t = self.start(KDSL_GRAPHICS=name)
            t.run("let m = [f32(i * 4 + j) for i in 4, j in 4]")
            t.run("image(m)")
            self.assertIn(begin, t.raw)
            t.run("plot([1, 3, 2])")
            self.assertEqual(t.raw.count(begin), 2)

    def test_the_terminal_is_asked_for_sixel(self):
        for answer, begin in (("\033[?62;4;22c", b"\033P0;1q"), ("\033[?62;22c", "▀".encode())):
            t = self.start(KDSL_GRAPHICS="")
            t.run("let m = [f32(i * 4 + j) for i in 4, j in 4]")
            t.send("image(m)\r")
            t.until(lambda: b"\033[c" in t.raw, "the question")
            t.send("1 +" + answer + " 2")  # what is typed meanwhile is not lost
            t.until(lambda: self.line(t) == "kdsl> 1 + 2", "what was typed")
            t.until(lambda: begin in t.raw, "the picture")
            t.send(CTRL_U)

    def test_files(self):
        t = self.start()
        t.run("let m = [f32(i * 40 + j) for i in 30, j in 40]")
        self.assertEqual(t.run('image(m) to "m.png"'), ["m.png: 40 x 30 pixels"])
        self.assertEqual(t.run('hist(m) to "h.png";'), ["h.png: 1200 x 720 pixels"])
        for name in ("m.png", "h.png"):
            self.assertEqual((self.dir / name).read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertRegex(t.run('image(m) to "nowhere/m.png"')[0], "cannot write `nowhere/m.png`: No such file")

    def test_a_function_of_that_name_comes_first(self):
        t = self.start()
        t.run("fn plot(x: i32) -> i32 { return x; }")
        self.assertEqual(t.run("plot(3)"), ["3 : i32"])
        t.run("import image")  # a module is none
        self.assertRegex(t.run("image([f32(i + j) for i in 4, j in 4])")[-1], r"^0 █+ 6$")


class PipeTest(unittest.TestCase):
    def run_in(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run([KDSLC, "repl", *arguments], cwd=folder, env=transcript.environment(Path(folder)),
                                  input=text,
                                  capture_output=True, text=True, timeout=60)

    def test_answers_alone(self):
        done = self.run_in("let x = 20\n\nx + 22\nfn f() -> i32 {\n    return 1;\n}\nf()")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "42 : i32\n1 : i32\n", ""))

    def test_an_error_is_told_and_counts(self):
        done = self.run_in("foo\n1 + 1\nfn f() {")
        self.assertEqual((done.returncode, done.stdout), (1, "2 : i32\n"))
        self.assertIn("error[E0301]", done.stderr)
        self.assertIn("input 3:1", done.stderr)

    def test_no_terminal_and_no_file(self):
        done = subprocess.run([KDSLC], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the source file is missing", done.stderr)

    def test_other_results_make_no_sense(self):
        self.assertEqual(self.run_in("", "-o", "x").returncode, 2)
        self.assertEqual(self.run_in("", "a.kdsl", "b.kdsl").returncode, 2)


if __name__ == "__main__":
    unittest.main()
