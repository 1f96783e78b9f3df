"""The two parts of the suite. The quick one, `./dev test`, covers each behaviour once; `./dev test --all` runs the
exhaustive one after it: what the quick one leaves out. A script that is in both is called with --quick and, as another
test, with --exhaustive (tests/CMakeLists.txt names these scripts); without either it does everything.

    parts.chosen(jobs, is_quick)    those of the jobs that this call is for
    parts.first(jobs, n)            the same, where the first n are in the quick part
    @parts.quick, @parts.exhaustive a method of a unittest class that one of the parts leaves out"""
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
    """Is this call for something that is in the quick part, or is not?"""
    return PART is None or (PART == "quick") == bool(is_quick)


def chosen(jobs, is_quick):
    return [job for job in jobs if wanted(is_quick(job))]


def first(jobs, n=1):
    return jobs[:n] if PART == "quick" else jobs[n:] if PART == "exhaustive" else jobs


quick = unittest.skipUnless(wanted(True), "is in the quick part")
exhaustive = unittest.skipUnless(wanted(False), "is in the exhaustive part")
