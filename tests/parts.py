"""The two parts of the test suite. The quick part, `./dev test`, covers each behaviour once; `./dev test --all` also runs the
exhaustive part, all other tests. A script with tests of both parts is run with --quick and, as another test, with
--exhaustive (tests/CMakeLists.txt lists these scripts); without either option it runs all its tests.

    parts.chosen(jobs, is_quick)    the jobs of the selected part
    parts.first(jobs, n)            the same, if the first n jobs are in the quick part
    @parts.quick, @parts.exhaustive decorators of unittest methods that are in one part only"""
import sys
import unittest


def taken_from_the_command_line():
    for part in ("quick", "exhaustive"):
        if f"--{part}" in sys.argv:
            sys.argv.remove(f"--{part}")
            return part
    return None


PART = taken_from_the_command_line()


def wanted(is_quick):
    """True if the selected part contains a test that is in the quick part, or not."""
    return PART is None or (PART == "quick") == bool(is_quick)


def chosen(jobs, is_quick):
    return [job for job in jobs if wanted(is_quick(job))]


def first(jobs, n=1):
    return jobs[:n] if PART == "quick" else jobs[n:] if PART == "exhaustive" else jobs


quick = unittest.skipUnless(wanted(True), "is in the quick part")
exhaustive = unittest.skipUnless(wanted(False), "is in the exhaustive part")
