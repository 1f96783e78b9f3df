"""bench/kernels/report.py: best of rounds, limits of the same slot, goals, tables, and that docs/performance-kernels.md is what it
makes of docs/performance-kernels.tsv. usage: test_report.py KDSLC"""
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "bench/kernels"
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))
import plot  # noqa: E402
import report  # noqa: E402
from facts import KERNELS, LIMITS, PEERS  # noqa: E402

ROWS = """
1 saxpy limit read 0.1 100.0 ok
1 saxpy kdslc saxpy 0.2 96.0 ok
1 saxpy gcc saxpy 0.2 90.0 ok
1 triad limit read 0.1 50.0 ok
1 triad limit triad_nt 0.1 60.0 ok
2 saxpy limit read 0.1 110.0 ok
2 saxpy kdslc saxpy 0.3 80.0 ok
2 saxpy gcc saxpy 0.1 100.0 ok
1 reduce kdslc reduce 0.1 50.0 ok
1 reduce kdslc reduce_tree 0.1 20.0 WRONG
1 reduce clang reduce 0.1 40.0 ok
1 reduce gcc reduce 0.1 99.0 WRONG
1 hist_local pocl hist_local 0.1 10.0 ok
1 hist_atomic pocl hist_atomic 0.1 1.0 ok
1 hist_atomic kdslc hist_atomic 0.1 9.0 ok
1 transpose limit copy_nt 0.1 50.0 ok
1 transpose kdslc transpose 0.1 25.0 ok
1 matmul_naive kdslc matmul_naive 0.1 90.0 ok
1 matmul_naive by-hand matmul_naive 0.1 400.0 ok
1 matmul_naive clang matmul_naive 0.1 1.0 ok
1 matmul_naive limit fma_peak 0.1 1000.0 ok
""".strip().splitlines()
KERNEL = {kernel.name: kernel for kernel in KERNELS}


class ReportTest(unittest.TestCase):
    def setUp(self):
        self.m = report.Measured({"machine": "a: b"}, [line.split() for line in ROWS])

    def test_the_best_round_counts(self):
        self.assertEqual(self.m.rate(KERNEL["saxpy"], "kdslc"), 96)
        self.assertEqual(self.m.seconds(KERNEL["saxpy"], "gcc"), 0.1)
        self.assertEqual(self.m.best_peer(KERNEL["saxpy"]), (100, "gcc"))
        self.assertEqual(self.m.limit(KERNEL["saxpy"], "read"), 110)
        self.assertEqual(self.m.limit(KERNEL["triad"], "read"), 50)

    def test_two_kernels_with_the_same_peers(self):
        self.assertEqual(self.m.rate(KERNEL["reduce_tree"], "kdslc"), 20)
        self.assertEqual(self.m.rate(KERNEL["reduce_tree"], "clang"), 40)

    def test_a_wrong_result_is_no_rival(self):
        self.assertEqual(self.m.best_peer(KERNEL["reduce"]), (40, "clang"))
        table = {row[0]: row for row in report.rates_table(self.m)}
        self.assertEqual(table["reduce"][5:], ["**40.0**", "99.0!", "-", "-"])
        self.assertEqual((table["reduce"][2], table["reduce_tree"][2]), ("50.0", "20.0!"))

    def test_what_is_written_by_hand_is_no_peer(self):
        self.assertEqual(self.m.best_peer(KERNEL["matmul_naive"]), (1, "clang"))

    def test_goals(self):
        def goals(name):
            return [(needed, words) for needed, words in (self.m.needed(KERNEL[name], goal) for goal in
                                                          (KERNEL[name].bar, KERNEL[name].stretch))]
        self.assertEqual(goals("saxpy"), [(97, "0.97 × best peer"), (110, "1 × read")])
        self.assertEqual(goals("transpose"), [(22.5, "0.45 × copy_nt"), (30, "0.6 × copy_nt")])
        self.assertEqual(goals("hist_atomic"), [(30, "30 GB/s"), (10, "1 × hist_local: best peer")])
        self.assertEqual(goals("matmul_naive")[0], (200, "200 GFLOP/s"))
        self.assertEqual(goals("triad")[0], (None, "1.25 × best peer"))
        table = {row[0]: row for row in report.goals_table(self.m)}
        self.assertEqual(table["transpose"][5], "yes")
        self.assertEqual(table["saxpy"][5], "no, 0.99")
        self.assertEqual(table["matmul_naive"][5], "no, 0.45")

    def test_tables(self):
        table = {row[0]: row for row in report.rates_table(self.m)}
        self.assertEqual(table["kernel"][2:8], ["kdslc", "of the best peer", "of the limit", "clang", "gcc", "pocl"])
        self.assertEqual(table["saxpy"][2:8], ["96.0", "0.96", "0.87 read", "-", "**100**", "-"])
        self.assertEqual(table["reduce_tree"][2], "20.0!")

    def test_rows_survive_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.tsv"
            path.write_text(report.tsv(self.m))
            again = report.read(path)
        self.assertEqual((again.about, again.rows), (self.m.about, self.m.rows))

    def test_plots_are_xml(self):
        for name, svg in plot.plots(self.m):
            self.assertTrue(xml.fromstring(svg).tag.endswith("svg"), name)
            self.assertIn("saxpy", svg)

    def test_facts_name_things_that_exist(self):
        names = {peer.name for peer in PEERS}
        for kernel in KERNELS:
            self.assertTrue(kernel.limit is None or kernel.limit in LIMITS)
            self.assertIn(kernel.peer_kernel, KERNEL)
            for _, of in [*kernel.bar, *kernel.stretch]:
                self.assertTrue(not isinstance(of, str) or of in names | set(LIMITS) or of.endswith("best peer"), of)

    def test_the_page_is_up_to_date(self):
        done = subprocess.run([sys.executable, FOLDER / "report.py", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
