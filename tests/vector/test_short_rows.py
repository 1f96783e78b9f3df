#!/usr/bin/env python3
"""Short rows (irgen/simd/parts.c, interleave.c), judged by gcc: random kernels whose items each read a few elements side by
side at a place of their own, beside the same loops in C. The first and the last row lie beside pages that must not be
read, and lanes that do not read have places far outside. Usage: test_short_rows.py KDSLC"""
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
from guarded import HEAD, TYPES, GuardedTest  # noqa: E402

GuardedTest.kdslc = Path(sys.argv.pop(1)).resolve()
KERNELS = 10  # in each program
ROWS = 4096  # so that an array begins where a page does, too
FORMS = ["row", "flat", "strided", "window"]
AROUND = ["", "", "if at[i] >= 0", "if at[i] % 3 != 1 && at[i] >= 0", "for k in i % 4", "while"]


def reads(rng, form, t):
    """Which of how many elements of a row are read: mostly near one another."""
    length = rng.choice([2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 12, 17]) if form != "strided" else rng.choice([17, 20, 40])
    some = rng.sample(range(length), rng.randint(2, min(length, 9)))
    if rng.random() < 0.7: some = list(range(rng.randint(2, min(length, 9))))
    rng.shuffle(some)
    return length, some


def kernel(rng, name):
    t = rng.choice(list(TYPES))
    s = "i32" if t in ("u8", "i16") else t
    form, around = rng.choice(FORMS), rng.choice(AROUND)
    if form == "strided": around = rng.choice(["", "for k in i % 4"])
    length, some = reads(rng, form, t)
    shape, row = {"row": (f"n, {length}", "p[j, {c}]"), "strided": (f"n, {length}", "p[i, {c}]"), "flat": ("l", "p[{n} * j + {c}]"),
                  "window": ("l", "p[j + {c}]")}[form]
    element = row.replace("{n}", str(length))
    terms = [(f"i32({element})" if s != t else element).replace("{c}", str(c)) + f" * {3 + c % 5}" for c in some]
    added = "s += " + " + ".join(terms) + ";"
    j = "let j = at[i];\n        " if form != "strided" else ""
    if rng.random() < 0.3 and j: j = "let j = index(at[i]);\n        "
    where = {"": "", "for k in i % 4": "for k in i % 4 "}.get(around, around + " ")
    tested = rng.random() < 0.3
    body = f"{j}{added}" if not tested else f"{j}let first = {terms[0]};\n        if first % 2 == 0 {{ {added} }}" \
        if s == "i32" else f"{j}let first = {terms[0]};\n        if first > 9 {{ {added} }}"
    if around == "while":
        where, body = "while left > 0 ", body + "\n        left -= 1;"
    begin = "var left = i % 5;\n    " if around == "while" else ""
    text = (f"export kernel {name}(p: &[{t}; {shape}], at: &[i32; m], o: &out [{s}; m]) over i in m {{\n"
            f"    {begin}var s: {s} = 0;\n    {where}{{\n        {body}\n    }}\n    o[i] = s;\n}}\n")
    text = text.replace("    {\n        ", "    if i >= 0 {\n        ")
    c_row = {"row": f"p[(int64_t)j * {length} + {{c}}]", "strided": f"p[i * {length} + {{c}}]",
             "flat": f"p[(int64_t)j * {length} + {{c}}]", "window": "p[j + {c}]"}[form]
    c_terms = [c_row.replace("{c}", str(c)) + f" * {3 + c % 5}" for c in some]
    c_added = "s += " + " + ".join(c_terms) + ";"
    c_test = ("(first % 2 == 0)" if s == "i32" else "first > 9") if tested else "1"
    c_where = {"": "", "for k in i % 4": "for (int k = 0; k < i % 4; k++)", "while": "for (int left = i % 5; left > 0; left--)",
               "if at[i] >= 0": "if (at[i] >= 0)", "if at[i] % 3 != 1 && at[i] >= 0": "if (at[i] % 3 != 1 && at[i] >= 0)"}[around]
    code = (f"static void want_{name}(const {TYPES[t]} *p, const int *at, {TYPES[s]} *o, int64_t m) {{\n"
            f"for (int64_t i = 0; i < m; i++) {{ {TYPES[s]} s = 0; int j = at[i]; {c_where} {{\n"
            f"{TYPES[s]} first = {c_terms[0]}; if ({c_test}) {{ {c_added} }} }} o[i] = s; }} }}\n")
    # Items of which a condition may keep the kernel have places that are none, where it does.
    return {"name": name, "text": text, "code": code, "type": TYPES[t], "sum": TYPES[s], "length": length, "form": form,
            "outside": "at[i] >= 0" in around}


def check(k):
    t, s, name = k["type"], k["sum"], k["name"]
    size = f"{ROWS} * {k['length']}" if k["form"] != "window" else f"{ROWS}"
    last = ROWS if k["form"] != "window" else ROWS - k["length"] + 1
    arguments = f"{ROWS}, m" if k["form"] in ("row", "strided") else f"{ROWS * (k['length'] if k['form'] == 'flat' else 1)}, m"
    return (f"static void try_{name}(int64_t m) {{\n"
            f"size_t np = {size};\n{t} *p = guarded(np * sizeof *p);\nint *at = guarded(m * 4);\n"
            f"{s} *o = guarded(m * sizeof *o), *w = guarded(m * sizeof *w);\n"
            f"for (size_t i = 0; i < np; i++) p[i] = ({t})(i * 7 % 11);\n"
            f"for (int64_t i = 0; i < m; i++) at[i] = i % 7 == 3 ? {'-1000000' if k['outside'] else '0'} : i % 11 == 5 ? {last} - 1"
            f" : (int)((uint64_t)i * 2654435761u % {last});\n"
            f"if ({name}(p, at, o, {arguments})) {{ printf(\"{name}: %s\\n\", kdsl_last_error()); exit(1); }}\n"
            f"want_{name}(p, at, w, m);\n"
            f"for (int64_t i = 0; i < m; i++) if (o[i] != w[i]) {{ printf(\"{name}, %d items: item %d is %g, not %g\\n\",\n"
            f"(int)m, (int)i, (double)o[i], (double)w[i]); bad++; break; }}\n}}\n")


class ShortRowsTest(GuardedTest):
    def run_one(self, seed, *options):
        rng = random.Random(seed)
        kernels = [kernel(rng, f"k{i}") for i in range(KERNELS)]
        tries = "".join(f"try_{k['name']}({m});\n" for k in kernels for m in (4096, rng.randint(1, 70), rng.randint(100, 4000)))
        self.run_program("\n".join(k["text"] for k in kernels),
                         HEAD + "".join(k["code"] + check(k) for k in kernels) +
                         f"int main(void) {{\n{tries}return bad > 0;\n}}\n", f"seed {seed}", *options)

    @parts.quick
    def test_some(self):
        self.run_one(1)
        self.run_one(2, "--unchecked", "--vector=always")

    @parts.exhaustive
    def test_more(self):
        for seed in range(3, 13):
            with self.subTest(seed=seed): self.run_one(seed, *(["--unchecked"] if seed % 2 else ["--vector=always"]))

    @parts.exhaustive
    def test_widths(self):
        self.run_widths(20)


if __name__ == "__main__":
    unittest.main()
