#!/usr/bin/env python3
"""The kernel for Jupyter, by clients that others wrote: jupyter_kernel_test, which judges kernels of all languages,
jupyter_client for what it leaves out, and nbclient, which executes the notebooks of the course. Usage:
test_jupyter.py KDSLC"""
import base64
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

DEBIAN = "/usr/bin/python3"  # for which the packages are
if os.path.realpath(sys.executable) != os.path.realpath(DEBIAN):
    os.execv(DEBIAN, [DEBIAN, *sys.argv])
sys.dont_write_bytecode = True

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else ROOT / "build/bin/kdslc"
FOLDER = tempfile.TemporaryDirectory()
os.environ["JUPYTER_DATA_DIR"] = FOLDER.name
os.environ.pop("KDSL_VERIFY_EACH", None)
subprocess.run([KDSLC, "jupyter", "--install"], check=True, capture_output=True)

import jupyter_kernel_test  # noqa: E402
import nbformat  # noqa: E402
from jupyter_client.manager import KernelManager, start_new_kernel  # noqa: E402
from nbclient import NotebookClient  # noqa: E402

HALF = "kernel half(x: &[f32; n], y: &out [f32; n]) over i in n { y[i] = x[i] / 2; }"


class JudgeTest(jupyter_kernel_test.KernelTests):
    kernel_name = "kdsl"
    language_name = "kdsl"
    file_extension = ".kdsl"
    code_hello_world = 'print("hello, world")'
    completion_samples = [
        {"text": "pri", "matches": {"print"}},
        {"text": ":expl", "matches": {"explain"}},
        {"text": "struct", "matches": {"struct"}},
    ]
    complete_code_samples = ["1 + 1", "let x = 2", "fn f() -> i32 { return 1; }", ":list", 'plot(x) to "x.png"']
    incomplete_code_samples = ["fn f() -> i32 {", "let x = [1,", "print("]
    invalid_code_samples = ["let let", ")"]
    code_stderr = "fn f() { let unused = 1; }"  # a warning
    test_pager = test_clear_output = None  # nothing in KDSL does either
    code_generate_error = "nothing_of_this_name"
    code_execute_result = [{"code": "6 * 7", "result": "42 : i32"}, {"code": "true", "result": "true : bool"}]
    code_display_data = [{"code": "plot([1.0, 3.0, 2.0])", "mime": "image/png"}]
    code_history_pattern = "6 [*] 7"
    supported_history_operations = ("tail", "search", "range")
    code_inspect_sample = "struct"

    def test_inspect(self):  # its sample has to be declared first
        self.execute_helper("fn twice(x: i32) -> i32 { return 2 * x; }")
        self.kc.inspect("twice(2)", 3)
        reply = self.kc.get_shell_msg(timeout=10)["content"]
        self.assertTrue(reply["found"])
        self.assertIn("return 2 * x", reply["data"]["text/plain"])


class Client(unittest.TestCase):
    def setUp(self):
        self.manager, self.client = start_new_kernel(kernel_name="kdsl")

    def tearDown(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def run_cell(self, code, **how):
        """(content of the reply, messages as (type, content))"""
        seen = []
        reply = self.client.execute_interactive(
            code, timeout=30, output_hook=lambda m: seen.append((m["msg_type"], m["content"])), **how)
        return reply["content"], [m for m in seen if m[0] not in ("status", "execute_input")]

    def streams(self, seen, name="stdout"):
        return "".join(c["text"] for kind, c in seen if kind == "stream" and c["name"] == name)


class KernelTest(Client):
    def test_launch_and_values(self):
        reply, seen = self.run_cell(f"{HALF}\nvar y = [0.0f32; 4];\nlet x = [2.0f32, 4.0, 6.0, 8.0];\n"
                                    "offload half(&x, &out y);\ny")
        self.assertEqual("ok", reply["status"])
        self.assertRegex(self.streams(seen), r"^half on .*: 4 items, ")
        results = [c["data"] for kind, c in seen if kind == "execute_result"]
        self.assertEqual(["[1, 2, 3, 4] : [f32; 4]"], [r["text/plain"] for r in results])
        self.assertIn("<td>1</td><td>2</td><td>3</td><td>4</td>", results[0]["text/html"])

    def test_one_result_of_several_values(self):
        _, seen = self.run_cell(":quiet\n1\n2\n3")
        self.assertEqual([("display_data", "1 : i32"), ("display_data", "2 : i32"), ("execute_result", "3 : i32")],
                         [(kind, c["data"]["text/plain"]) for kind, c in seen])

    def test_tables(self):
        code = ("struct Body { at: f64x3, mass: f64, tag: [i32; 2] }\n"
                "[Body(at: f64x3(1.0, 2.0, 3.0), mass: 0.5, tag: [7, 8]) for i in 100]")
        _, seen = self.run_cell(code)
        table = seen[-1][1]["data"]["text/html"]
        self.assertEqual(["at", "mass", "tag"], [cell.split("<")[0] for cell in table.split("<th>")[2:5]])
        self.assertIn("<tr><th>99</th><td>", table)
        self.assertIn("<td>0.5</td>", table)
        self.assertEqual(20, table.count("<td>0.5</td>"))
        _, seen = self.run_cell("[f64(10 * i + j) for i in 3, j in 40]")
        table = seen[-1][1]["data"]["text/html"]
        self.assertEqual(4, table.count("<tr>"))
        self.assertIn("<tr><th>2</th><td>20</td><td>21</td>", table)
        self.assertIn("<td>57</td><td>58</td><td>59</td></tr>", table)

    def test_picture(self):
        for code in ("plot([1.0, 4.0, 9.0])", "hist([1.0, 1.0, 2.0])", "image([f32(i * j) for i in 16, j in 32])"):
            with self.subTest(code):
                reply, seen = self.run_cell(code)
                self.assertEqual("ok", reply["status"])
                data, metadata = seen[-1][1]["data"], seen[-1][1]["metadata"]["image/png"]
                png = base64.b64decode(data["image/png"], validate=True)
                self.assertEqual(b"\x89PNG\r\n\x1a\n", png[:8])
                width, height = struct.unpack(">II", png[16:24])
                self.assertAlmostEqual(width / height, metadata["width"] / metadata["height"], places=1)
                self.assertTrue(data["text/plain"])

    def test_errors_name_their_cell(self):
        self.run_cell("1")
        reply, seen = self.run_cell("let a = [1, 2]\n\nlet b = nothing")
        self.assertEqual(("error", "E0301"), (reply["status"], reply["ename"]))
        self.assertEqual("`nothing` is not declared", reply["evalue"])
        self.assertIn("cell 2:3:9", "\n".join(seen[-1][1]["traceback"]))
        reply, _ = self.run_cell("let v = [1, 2]\nlet i = 7\nv[i]")
        self.assertEqual("index 7 is out of bounds for `v`, which has 2 elements (0 to 1)", reply["evalue"])
        self.assertIn("cell 3:3:1", "\n".join(reply["traceback"]))
        reply, seen = self.run_cell("let unused = 3.0\nfn f() { let z = 1; }")
        self.assertEqual("ok", reply["status"])
        self.assertIn("warning", self.streams(seen, "stderr"))

    def test_output_is_whole_and_in_order(self):
        reply, seen = self.run_cell('for i in 20000 { print("zeile {} äöü €", i); }')
        self.assertEqual("ok", reply["status"])
        self.assertEqual([f"zeile {i} äöü €" for i in range(20000)], self.streams(seen).splitlines())

    def test_output_arrives_while_a_cell_runs(self):
        times = []
        self.run_cell("let warm = 1")
        code = 'print("first")\nvar s = 0.0;\nfor i in 300000000 { s += sqrt(f64(i)); }\nprint("{}", s)'
        self.client.execute_interactive(code, timeout=60, output_hook=lambda m: m["msg_type"] == "stream"
                                        and times.append(time.monotonic()))
        self.assertGreater(times[1] - times[0], 0.05)

    def test_input(self):
        asked = []

        def reply(message):
            asked.append(message["content"]["prompt"])
            self.client.input("grüße 42")

        _, seen = self.run_cell('let line = read_line()\nprint("<{}>", line)', allow_stdin=True, stdin_hook=reply)
        self.assertEqual("<grüße 42>\n", self.streams(seen))
        self.assertEqual(1, len(asked))
        answer, _ = self.run_cell("read_line()", allow_stdin=False)
        self.assertIn("standard input has ended", answer["evalue"])
        _, seen = self.run_cell('print("{}", read_line())', allow_stdin=True, stdin_hook=reply)
        self.assertEqual("grüße 42\n", self.streams(seen))

    def test_interrupt(self):
        for how in ("signal", "message"):
            with self.subTest(how):
                def stop():
                    if how == "signal":
                        self.manager.interrupt_kernel()
                    else:
                        self.client.control_channel.send(self.client.session.msg("interrupt_request", {}))
                timer = threading.Timer(0.7, stop)
                timer.start()
                began = time.monotonic()
                reply, _ = self.run_cell("var n = 0;\nwhile true { n += 1; if n > 1000 { n = 0; } }")
                timer.join()
                self.assertEqual("error", reply["status"])
                self.assertEqual("interrupted", reply["evalue"])
                self.assertLess(time.monotonic() - began, 10)
                reply, seen = self.run_cell("40 + 2")
                self.assertEqual("42 : i32", seen[-1][1]["data"]["text/plain"])

    def test_interrupt_of_input(self):
        def stop(_message):
            self.manager.interrupt_kernel()

        reply, _ = self.run_cell("read_line()", allow_stdin=True, stdin_hook=stop)
        self.assertEqual("error", reply["status"])
        self.assertEqual("ok", self.run_cell("1")[0]["status"])

    def test_signal_between_cells_is_for_neither(self):
        self.run_cell("1")
        self.manager.interrupt_kernel()
        time.sleep(0.2)
        self.assertEqual("ok", self.run_cell("for i in 1000 { }")[0]["status"])

    def test_cells_after_a_failure_are_aborted(self):
        ids = [self.client.execute(code) for code in ('let line = read_line()\nlet b = nothing', "1", "2")]
        self.client.get_stdin_msg(timeout=20)  # the first waits until the others are there
        time.sleep(0.5)
        self.client.input("")
        replies = {}
        while len(replies) < 3:
            m = self.client.get_shell_msg(timeout=20)
            replies[m["parent_header"]["msg_id"]] = m["content"]["status"]
        self.assertEqual(["error", "aborted", "aborted"], [replies[i] for i in ids])
        self.assertEqual("ok", self.run_cell("3")[0]["status"])

    def test_history_command(self):
        self.run_cell("let a = 1")
        self.run_cell("let b = 2")
        _, seen = self.run_cell(":history 1")
        self.assertEqual("let b = 2\n", self.streams(seen))

    def test_silent(self):
        reply, seen = self.run_cell('print("a")\n5', silent=True)
        self.assertEqual((0, []), (reply["execution_count"], seen))
        _, seen = self.run_cell("1", user_expressions={"good": "2 + 3", "bad": "nothing"})
        self.assertEqual(1, len(seen))
        reply, _ = self.run_cell("2", user_expressions={"good": "2 + 3", "bad": "nothing"})
        self.assertEqual("5 : i32", reply["user_expressions"]["good"]["data"]["text/plain"])
        self.assertEqual("E0301", reply["user_expressions"]["bad"]["ename"])

    def test_completion(self):
        self.run_cell(f"struct Wide {{ width: f64, weight: f64 }}\nlet w = Wide(width: 1.0, weight: 2.0)\n{HALF}")
        for text, matches, start in (("w.w", ["width", "weight"], 2), ("let ä = 1\noffload ha", ["half"], 18),
                                     ("# ü\n:lau", ["launches"], 5),
                                     (f":load {FOLDER.name}/ker", [f"{FOLDER.name}/kernels/"], 6)):
            with self.subTest(text):
                self.client.complete(text, len(text))
                reply = self.client.get_shell_msg(timeout=10)["content"]
                self.assertEqual((matches, start, len(text)),
                                 (reply["matches"], reply["cursor_start"], reply["cursor_end"]))

    def test_foreign_messages_are_ignored(self):
        wrong = self.client.session.clone()
        wrong.key = b"another key"
        wrong.send(self.client.shell_channel.socket, "execute_request", {"code": "1", "silent": False})
        self.client.shell_channel.socket.send_multipart([b"no", b"delimiter"])
        self.client.shell_channel.socket.send_multipart([b"<IDS|MSG>", b"", b"{", b"{}", b"{}", b"{}"])
        self.client.session.send(self.client.shell_channel.socket, "unknown_request", {})
        self.client.session.send(self.client.shell_channel.socket, "execute_request", {"code": 7, "cursor": []})
        reply, seen = self.run_cell("2")
        self.assertEqual("ok", reply["status"])
        self.assertEqual("2 : i32", seen[-1][1]["data"]["text/plain"])

    def test_exit_ends_the_kernel(self):
        reply, _ = self.run_cell("exit(3)")
        self.assertEqual(("ok", "ask_exit"), (reply["status"], reply["payload"][0]["source"]))
        for _ in range(100):
            if not self.manager.is_alive():
                break
            time.sleep(0.1)
        self.assertFalse(self.manager.is_alive())

    def test_crash_says_what_to_do(self):
        self.client.execute('extern "C" fn abort();\nabort()')
        text = ""
        while "cells" not in text:
            m = self.client.get_iopub_msg(timeout=20)
            text += m["content"].get("text", "")
        self.assertIn("start the kernel again and run its cells", text)

    def test_shutdown_while_a_cell_runs(self):
        self.client.execute("while true { }")
        time.sleep(0.5)
        began = time.monotonic()
        self.manager.shutdown_kernel()
        self.assertLess(time.monotonic() - began, 4)
        self.assertFalse(self.manager.is_alive())


class StartTest(unittest.TestCase):
    def refusal(self, *args, **environment):
        done = subprocess.run([KDSLC, "jupyter", *args], capture_output=True, text=True, timeout=30,
                              stdin=subprocess.DEVNULL, env={**os.environ, **environment})
        self.assertNotEqual(0, done.returncode)
        return done.stderr

    def test_refusals(self):
        self.assertIn("--install", self.refusal())
        self.assertIn("not a connection file of Jupyter", self.refusal("/nonexistent.json"))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "c.json"
            path.write_text("[]")
            self.assertIn("not a connection file of Jupyter", self.refusal(path))
            ports = {f"{name}_port": 1 for name in ("shell", "iopub", "stdin", "control", "hb")}
            path.write_text(json.dumps({"ip": "127.0.0.1", "transport": "nonsense", "key": "", **ports}))
            self.assertIn("cannot use nonsense://127.0.0.1:1", self.refusal(path))
            (Path(folder) / "file").write_text("")
            self.assertIn("cannot make the folder", self.refusal(f"--install={folder}/file"))

    def test_install(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([KDSLC, "jupyter", f"--install={folder}"], capture_output=True, text=True, check=True)
            path = Path(folder) / "share/jupyter/kernels/kdsl/kernel.json"
            self.assertEqual(f"{path}\n", done.stdout)
            self.assertEqual([str(KDSLC), "jupyter", "{connection_file}"], json.loads(path.read_text())["argv"])

    def test_ipc(self):
        manager = KernelManager(kernel_name="kdsl", transport="ipc", ip=f"{FOLDER.name}/ipc")
        manager.start_kernel()
        client = manager.client()
        client.start_channels()
        client.wait_for_ready(timeout=20)
        reply = client.execute_interactive("1", timeout=20, output_hook=lambda m: None)
        self.assertEqual("ok", reply["content"]["status"])
        client.stop_channels()
        manager.shutdown_kernel()


class NotebookTest(unittest.TestCase):
    """Every notebook of the course, from the first cell to the last."""

    def test_notebooks(self):
        notebooks = sorted((ROOT / "course/notebooks").glob("*.ipynb"))
        self.assertTrue(notebooks)
        for path in notebooks:
            with self.subTest(path.name):
                notebook = nbformat.read(path, as_version=4)
                place = {"metadata": {"path": path.parent}}
                NotebookClient(notebook, timeout=60, kernel_name="kdsl", resources=place).execute()
                cells = [c for c in notebook.cells if c.cell_type == "code"]
                for cell in cells:
                    fails = any(o.output_type == "error" for o in cell.outputs)
                    self.assertEqual("raises-exception" in cell.metadata.get("tags", []), fails, cell.source)
                self.assertTrue(any("image/png" in o.get("data", {}) for c in cells for o in c.outputs), "no picture")


if __name__ == "__main__":
    unittest.main(verbosity=1)
