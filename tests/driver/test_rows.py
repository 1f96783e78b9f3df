#!/usr/bin/env python3
"""A row that is not complete does not compile. A spare row is added to a copy of a .def table (or a spare value to an
enumeration), and the compiler's own sources are checked against the copy: each place that has to be extended must be an
error that names what is missing. Usage: test_rows.py KDSLC"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("KDSL_BUILD_DIR", ROOT / "build")).resolve()


def commands():
    """By source file: how it is compiled, but only checked."""
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if "ccache" in words[0]:
            words = words[1:]
        at = words.index("-o")
        words = [w for w in words[:at] + words[at + 2:] if w != "-c"]
        yield entry["file"].removeprefix(f"{ROOT}/"), (words, entry["directory"])


COMMANDS = dict(commands())


def errors(source, folder):
    """What the C compiler says of `source` where headers and tables of `folder` come before the real ones."""
    words, directory = COMMANDS[source]
    run = subprocess.run([words[0], f"-I{folder}", *words[1:], "-fsyntax-only"], cwd=directory, capture_output=True,
                         text=True, env={**os.environ, "LC_ALL": "C"})
    return "\n".join(line for line in run.stderr.splitlines() if "error" in line)


def sources_with(text):
    return sorted(path for path in COMMANDS if "/build/" not in path and (ROOT / path).suffix == ".c"
                  and not path.startswith("tests/") and text in (ROOT / path).read_text())


class RowsTest(unittest.TestCase):
    def fails(self, table, change, wanted):
        """With the changed table, each file of `wanted` has an error that names its text; as it is, none."""
        text = (ROOT / table).read_text()
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / table
            copy.parent.mkdir(parents=True)
            copy.write_text(text)
            probe = next(iter(wanted))
            self.assertEqual(errors(probe, folder), "", f"{probe} with {table} as it is")
            changed = change(text)
            self.assertNotEqual(changed, text, "the change changes nothing")
            copy.write_text(changed)
            with ThreadPoolExecutor(2) as pool:
                found = dict(zip(wanted, pool.map(lambda source: errors(source, folder), wanted)))
        for source, names in wanted.items():
            for name in [names] if isinstance(names, str) else names:
                self.assertRegex(found[source], rf"error.*\b{name}\b", f"{source} compiles without {name}")

    def row(self, table, row, wanted):
        self.fails(table, lambda text: f"{text}\n{row}\n", wanted)

    def before(self, table, other, row, wanted):
        self.fails(table, lambda text: text.replace(f"\n{other}", f"\n{row}\n{other}"), wanted)

    def test_an_operator(self):
        self.row("grammar/ops.def", 'OP(SPARE, "<<<<", 7, SHIFT(spare))',
                 {"sema/arith.c": "int_spare", "sema/values.c": "range_spare", "irgen/lang/op.c": "int_spare"})

    def test_an_operator_of_numbers(self):
        self.row("grammar/ops.def", 'OP(SPARE, "**", 9, ARITH(spare))',
                 {"sema/arith.c": ["int_spare", "float_spare"], "sema/values.c": "range_spare",
                  "irgen/lang/op.c": ["int_spare", "float_spare"]})

    def test_an_operator_of_one_operand(self):
        self.row("grammar/ops.def", 'OP(SPARE, "#", 10, BITS_1(spare))',
                 {"sema/arith.c": "one_spare", "irgen/lang/op.c": "one_spare"})

    def test_a_new_kind_of_operator(self):
        self.row("grammar/ops.def", 'OP(SPARE, "#", 10, SPARE(spare))',
                 {"parser/ast.c": "INFO_SPARE", "sema/arith.c": "ROW_SPARE", "sema/values.c": "RANGE_SPARE",
                  "irgen/lang/op.c": "ROW_SPARE"})

    def test_a_kind_of_operands(self):
        self.fails("parser/ast.h", lambda text: text.replace("OPK_LOGIC }", "OPK_LOGIC, OPK_SPARE }"),
                   {"sema/check_expr.c": "OPK_SPARE", "sema/check_assign.c": "OPK_SPARE"})

    def test_a_built_in_function_of_numbers(self):
        self.row("sema/builtin.def", 'BUILTIN(SPARE, "spare", 1, NUMBERS, SAME, BOTH, NUMBER(spare), CODE(spare))',
                 {"sema/number.c": "number_spare", "irgen/lang/builtin.c": "lower_spare"})

    def test_a_built_in_function_of_libm(self):
        self.row("sema/builtin.def", 'BUILTIN(SPARE, "spare", 1, FLOAT, SAME, BOTH, MATH_1(spare), LIBM("spare"))',
                 {"sema/number.c": "spare", "interp/math.c": "sparef"})

    def test_a_built_in_function_of_its_own(self):
        self.before("sema/builtin.def", "OWN(SWAP", 'OWN(SPARE, "spare", 1, VOID, ON_HOST, spare)',
                    {"sema/builtin.c": "check_spare", "interp/builtin.c": "run_spare",
                     "irgen/lang/builtin.c": "lower_spare"})

    def test_an_atomic_update(self):
        self.row("sema/atomic.def", 'ATOMIC(SPARE, "spare", "*=", OP_MUL, NONE, NUMBERS, SPARE)',
                 {"irgen/lang/atomic.c": "RMW_SPARE", "irgen/cpu/private.c": "ATOMIC_SPARE"})

    def test_a_function_of_the_runtime(self):
        self.row("irgen/lang/runtime.def", """RUNTIME(SPARE, kdsl_spare, 'v', "p", RT_OURS)""",
                 {"irgen/lang/runtime_types.cpp": "kdsl_spare"})

    def test_a_signature_of_the_runtime(self):
        text = (ROOT / "irgen/lang/runtime.def").read_text()
        rows = re.findall(r"""RUNTIME\(\w+,\s*(\w+),\s*('\w'), ("\w*"),""", text)
        self.assertGreater(len(rows), 60)
        for function, result, letters in rows[::12] + [row for row in rows if row[0] == "kdsl_file_size"]:
            wrong = {"'v'": "'i'", "'p'": "'l'", "'l'": "'i'", "'i'": "'l'", "'d'": "'l'"}[result]
            for old, new in [(f"{result}, {letters}", f"{wrong}, {letters}"), (letters, f'"l{letters[1:]}'),
                             (letters, re.sub(r'[pild]"$', '"', letters)), (letters, letters.replace("l", "i"))]:
                if old == new:
                    continue
                with self.subTest(function=function, instead=new):
                    wrong_row = re.sub(rf"(\b{function},.*?){re.escape(old)}", lambda m: m[1] + new, text, count=1)
                    self.fails("irgen/lang/runtime.def", lambda _: wrong_row,
                               {"irgen/lang/runtime_types.cpp": function})

    def test_a_pass(self):
        self.row("irgen/pass.def", 'PASS(SPARE, "spare", cg_spare, ALL, "nothing")', {"irgen/pipeline.c": "cg_spare"})

    def test_a_token(self):
        self.row("lexer/tokens.def", 'TOKEN(SPARE, "spare", WORD)', {"lexer/token.c": "TOK_SPARE"})

    def test_a_command_of_sessions(self):
        self.before("repl/commands.def", "COMMAND(HELP", 'COMMAND(SPARE, "spare", "", "nothing")',
                    {"repl/commands.c": "COMMAND_SPARE"})

    def test_an_option(self):
        self.before("driver/options.def", "OPTION(HELP", 'OPTION(SPARE, "-z", NULL, TESTS, "")',
                    {"driver/options.c": "OPTION_SPARE"})

    def test_a_text_to_emit(self):
        self.before("driver/options.def", "EMIT(AST", 'EMIT(SPARE, "spare", CHECKED, emit_spare, "nothing")',
                    {"driver/main.c": "emit_spare", "driver/generate.c": "EMIT_SPARE"})

    def test_a_decision_to_explain(self):
        self.before("driver/options.def", "EXPLAIN(LAUNCH", 'EXPLAIN(SPARE, "spare", tell_spare, "nothing")',
                    {"driver/main.c": "tell_spare"})

    def test_nodes_and_types(self):
        for header, prefix in [("parser/ast.h", "EXPR"), ("parser/ast.h", "STMT"), ("parser/ast.h", "ITEM"),
                               ("sema/type.h", "TY")]:
            last, spare = f"{prefix}__COUNT", f"{prefix}_SPARE"
            wanted = {path: spare for path in sources_with(f"case {last}")}
            self.assertTrue(wanted)
            with self.subTest(enumeration=last):
                self.fails(header, lambda text: re.sub(rf"\b{last}\n", f"{spare}, {last}\n", text), wanted)


if __name__ == "__main__":
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
