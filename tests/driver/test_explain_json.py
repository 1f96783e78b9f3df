#!/usr/bin/env python3
"""--explain=bounds, vector and launch with --format=json say what the texts say. Usage: test_explain_json.py KDSLC"""
import json
import math
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402

KDSLC = sys.argv.pop(1)


def explain(what, name, *options):
    args = [KDSLC, f"--explain={what}", "--march=x86-64-v3", *options, f"examples/{name}.kdsl"]
    return subprocess.run(args, cwd=ROOT, check=True, capture_output=True, text=True, timeout=120).stdout


def told(what, name, *options):
    return json.loads(explain(what, name, "--format=json", *options))


def place(row):
    return f"{row['file']}:{row['line']}:{row['column']}: " if "file" in row else ""


class ExplainJsonTest(unittest.TestCase):
    def test_bounds(self):
        for name in parts.first(("bfs", "matmul", "knn")):
            text, checks = explain("bounds", name), told("bounds", name)["checks"]
            kept = [c for c in checks if c["check"] in ("kept", "hoisted")]
            self.assertEqual([f"  {place(c)}{c['kind']} `{c['access']}`: {c['reason']}" for c in kept],
                             [line for line in text.splitlines() if line.startswith("  ")])
            for function, proven, all_of_them in re.findall(r"(\w+): (\d+) of (\d+) checks? proven", text):
                own = [c for c in checks if c.get("kernel", c.get("function")) == function]
                self.assertEqual(len(own), int(all_of_them))
                self.assertEqual(len([c for c in own if c["check"].startswith("proven")]), int(proven))
            if name == "bfs":
                self.assertEqual({c["check"] for c in checks}, {"kept", "hoisted", "proven"})

    def test_a_check_that_callers_prove(self):
        program = ("fn f(x: &[f32; n], i: index) -> f32 { return x[i]; }\n"
                   "kernel k(x: &[f32; n], y: &out [f32; n]) over i in n { y[i] = f(&x, i); }\nfn main() {}\n")
        done = subprocess.run([KDSLC, "--explain=bounds", "--format=json", "-"], input=program, check=True, text=True,
                              capture_output=True, timeout=120)
        rows = json.loads(done.stdout)["checks"]
        self.assertIn(("f", "x[i]", "proven by callers"), [(r.get("function"), r["access"], r["check"]) for r in rows])

    def test_vector(self):
        for name in parts.first(("histogram", "lbm", "matmul")):
            text, rows = explain("vector", name), told("vector", name)
            for nest in rows["nests"]:
                if nest["vectorised"]:
                    shape = f"kernel {nest['kernel']}: work items from line {nest['line']}: {nest['lanes']} lanes"
                    shape += f", {nest['vectors']} vectors at a time" if nest["vectors"] > 1 else ""
                    shape += f", of {nest['rows']} rows" if nest["rows"] > 1 else ""
                    self.assertIn(shape, text)
                else:
                    self.assertIn(f"kernel {nest['kernel']}: not vectorised\n", text)
                for i, v in enumerate(nest["versions"]):
                    self.assertIn(f"plan {nest['kernel']}.{nest['nest']}.{i + 1} for={v['for']} lanes={v['lanes']} "
                                  f"vectors={v['vectors']} rows={v['rows']} ", text)
                for remark in nest["remarks"]:
                    self.assertIn(f"  {place(remark)}{remark['text']}\n", text)
            self.assertEqual(len([n for n in rows["nests"] for _ in n["versions"]]), text.count("  plan "))
            for row in rows["privatised"]:
                self.assertIn(f"kernel {row['kernel']}: privatisation: `atomic {row['update']}` is the only access to "
                              f"`{row['array']}`", text)
            self.assertEqual(len(rows["privatised"]), text.count("privatisation"))
            self.assertEqual(len(rows["privatised"]), 2 if name == "histogram" else 0)

    def test_launch(self):
        for name in parts.first(("reduction", "transpose")):
            options = ("--offload-arch=sm_90,gfx90a",)
            text, kernels = explain("launch", name, *options), told("launch", name, *options)["kernels"]
            self.assertEqual(len(kernels), text.count("kernel "))
            for k in kernels:
                own = re.search(rf"(?ms)^kernel {k['kernel']}, {k['file']}:{k['line']}: (.*?)(?=^kernel |\Z)", text)[1]
                self.assertIn(k["domain"] + "\n", own)
                self.assertIn(f"  blocks     {k['blocks']}\n  items      {k['items']}\n", own)
                self.assertIn(" x ".join(map(str, k["threads"])) + " per block", own)
                for access in k["accesses"]:
                    self.assertRegex(own, rf" {access['line']}:{access['column']}  {access['mode']} +"
                                          rf"{re.escape(access['access'])}  .*{re.escape(access['cost'])}")
                    if "addresses" in access:  # these arrays have no structs as elements
                        strides = [s if isinstance(s, str) else s // access["bytes"] for s in access["strides"]]
                        self.assertEqual(len(k["axes"]), len(strides))
                        self.assertEqual(min(32, math.prod(k["threads"])), math.prod(k["warp"]))
                        shown = str(strides[0]).removeprefix(f"{access['bytes']}*")
                        self.assertIn(access["steps"].partition(",")[0], (f"stride {shown}", "same address"))
                for branch in k["divergent"]:
                    self.assertIn(f"{branch['line']}:{branch['column']}  {branch['kind']} `{branch['condition']}`: "
                                  f"{branch['cost']}", own)
                amd = next(d for d in k["devices"] if d["arch"] == "gfx90a")
                self.assertIn(f"gfx90a     {amd['registers']} vector and {amd['scalar_registers']} scalar", own)
                for d in k["devices"]:
                    self.assertIn(f"{d['threads']} of {d['most_threads']} threads ({d['percent']} %), limited by "
                                  f"{d['limit']}", own)
            rows = [a for k in kernels for a in k["accesses"] if a["memory"] == "global"]
            self.assertEqual({a["coalesced"] for a in rows if "coalesced" in a},
                             {True} if name == "reduction" else {True, False})
            conflicts = {a["conflict"] for k in kernels for a in k["accesses"] if "conflict" in a}
            self.assertEqual(max(conflicts), 1 if name == "reduction" else 32)


if __name__ == "__main__":
    unittest.main()
