#!/usr/bin/env python3
"""What `cmake --install` puts where: the pages and their links, the manual, completions, find_package in a project in C,
pkg-config, the target `uninstall`, and the Debian package. Usage: test_install.py KDSLC"""
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve().parent.parent
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(sample C)
find_package(Kdsl 0.1 REQUIRED)
kdsl_add_executable(alone alone.kdsl)
kdsl_add_library(shared SHARED export.kdsl)
add_executable(mixed main.c)
kdsl_target_sources(mixed PRIVATE export.kdsl OPTIONS -O1)
add_executable(user main.c)
target_link_libraries(user PRIVATE shared)
"""
FILES = {
    "CMakeLists.txt": PROJECT,
    "alone.kdsl": "import more;\nkernel k(x: &mut [f32; n]) over i in n { x[i] += more.step(); }\n"
                  "fn main() { var x = [1.0f32; 3]; offload k(&mut x); print(\"{}\", x[2]); }\n",
    "more.kdsl": "fn step() -> f32 { return 1.0; }\n",
    "export.kdsl": "kernel twice(x: &mut [f32; n]) over i in n { x[i] *= 2.0; }\n"
                   "export fn double_all(x: &mut [f32; n]) { offload twice(&mut x); }\n",
    "main.c": "#include <stdio.h>\n#include \"export.h\"\nint main(void) { float x[2] = {1, 21}; double_all(x, 2); "
              "printf(\"%g\\n\", x[1]); return 0; }\n",
}


def run(*command, **more):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=600, **more)
    if done.returncode:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix of it"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.kdslc = cls.prefix / "bin/kdslc"

    def write(self, name):
        folder = self.folder / name
        folder.mkdir()
        for path, text in FILES.items():
            (folder / path).write_text(text)
        return folder

    def test_links_of_the_pages(self):
        pages = list(self.prefix.glob("share/doc/**/*.md"))
        self.assertGreater(len(pages), 20)
        dead = []
        for page in pages:
            if "decisions" in page.parts or page.name == "CONTRIBUTING.md":
                continue  # about the source tree
            text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.S)
            for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
                if not re.match(r"\w+:", link) and not (page.parent / link).exists():
                    dead.append(f"{page.name}: {link}")
        self.assertEqual(dead, [])

    def test_manual_and_completions(self):
        manual = gzip.decompress((self.prefix / "share/man/man1/kdslc.1.gz").read_bytes()).decode()
        self.assertIn("\\-\\-offload\\-arch=LIST", manual)
        self.assertIn(".B transfers\n", manual)
        self.assertIn("find_package(Kdsl)", manual)
        self.assertNotIn("\\-\\-run\\-pass", manual)
        bash = self.prefix / "share/bash-completion/completions/kdslc"
        script = f"source '{bash}'; COMP_WORDS=(kdslc --of); COMP_CWORD=1; _kdslc 2>/dev/null; echo ${{COMPREPLY[@]}}; " \
                 "COMP_WORDS=(kdslc --explain = tr); COMP_CWORD=3; _kdslc; echo ${COMPREPLY[@]}; " \
                 "COMP_WORDS=(kdslc doc); COMP_CWORD=1; _kdslc; echo ${COMPREPLY[@]}"
        self.assertEqual(run("bash", "-c", script, cwd=self.folder).split("\n")[:3],
                         ["--offload-arch=", "transfers", "doctor"])
        for path in ("share/zsh/site-functions/_kdslc", "share/fish/vendor_completions.d/kdslc.fish"):
            self.assertIn("offload-arch", (self.prefix / path).read_text())

    def test_first_program(self):
        program = self.folder / "first.kdsl"
        program.write_text(FILES["export.kdsl"] + "fn main() { var x = [21.0f32; 2]; double_all(&mut x); "
                                                  "print(\"{}\", x[0]); }\n")
        self.assertEqual(run(self.kdslc, "run", program, env={**os.environ, "PATH": "/usr/bin:/bin"}), "42\n")

    def test_find_package(self):
        source = self.write("project")
        build = source / "build"
        configure = ("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run(*configure)
        run("cmake", "--build", build)
        self.assertEqual([run(build / name) for name in ("alone", "mixed", "user")], ["2\n", "42\n", "42\n"])
        self.assertIn("no work to do", run("cmake", "--build", build))
        (source / "more.kdsl").write_text("fn step() -> f32 { return 6.0; }\n")
        said = run("cmake", "--build", build)
        self.assertIn("alone.kdsl", said)
        self.assertNotIn("export.kdsl", said)
        self.assertEqual(run(build / "alone"), "7\n")
        with open(source / "export.kdsl", "a") as text:
            text.write("export fn half(x: f32) -> f32 { let unused = x; return x / 2.0; }\n")
        self.assertEqual(run("cmake", "--build", build, "--target", "mixed").count("warning[W0401]"), 1)

    def test_project_of_the_page(self):
        page = (ROOT / "docs/install.md").read_text()
        section = page.partition("\n## In a CMake project\n")[2].partition("\n## ")[0]
        source = self.folder / "mine"
        source.mkdir()
        for name, fence in ("CMakeLists.txt", "cmake"), ("kernels.kdsl", "kdsl"), ("main.c", "c"):
            (source / name).write_text(re.search(rf"^```{fence}\n(.*?)^```$", section, flags=re.M | re.S)[1])
        command, printed = re.search(r"^```\n(cmake .*)\n(.*\n)```$", section, flags=re.M).groups()
        said = run("bash", "-ec", command, cwd=source, env={**os.environ, "CMAKE_PREFIX_PATH": str(self.prefix)})
        self.assertTrue(said.endswith(f"\n{printed}"), said)

    def test_commands_of_the_installed_readme(self):
        folder = next(self.prefix.glob("share/doc/*/README.md")).parent
        commands = re.search(r"^```sh\n(.*?)^```$", (folder / "README.md").read_text(), flags=re.M | re.S)[1]
        first = self.folder / "first"
        said = run("bash", "-ec", commands.replace("/tmp/first", f"'{first}'") + "/usr/bin/python3 -c 'import kdsl'\n", cwd=folder,
                   stdin=subprocess.DEVNULL, env={**os.environ, "PATH": f"{self.kdslc.parent}:{os.environ['PATH']}"})
        self.assertIn("y[1] = 3", said)
        self.assertTrue((first / "mandelbrot.pgm").exists())

    def test_pkg_config(self):
        source = self.write("with pkg-config")
        run(self.kdslc, "-c", "export.kdsl", "-o", "export.o", cwd=source)
        run(self.kdslc, "--emit=header", "export.kdsl", "-o", "export.h", cwd=source)
        env = {**os.environ, "PKG_CONFIG_PATH": str(next(self.prefix.glob("lib*/**/pkgconfig")))}
        flags = run("pkg-config", "--libs", "kdsl", env=env).split()
        printed = run(self.kdslc, "--print-link-flags").split()
        self.assertEqual([os.path.realpath(flag) if flag[0] == "/" else flag for flag in flags],
                         [os.path.realpath(flag) if flag[0] == "/" else flag for flag in printed])
        run("cc", "main.c", "export.o", *flags, "-o", "main", cwd=source)
        self.assertEqual(run(source / "main"), "42\n")

    def test_dependency_files(self):
        source = self.write("dependencies")
        run(self.kdslc, "-c", "-MD", "alone.kdsl", cwd=source)
        self.assertEqual((source / "alone.d").read_text(), "alone.o: \\\n  alone.kdsl \\\n  more.kdsl\n")
        run(self.kdslc, "alone.kdsl", "-o", "a b", "-MF", "x.dep", cwd=source)
        self.assertTrue((source / "x.dep").read_text().startswith("a\\ b: "))

    def test_uninstall(self):
        prefix = self.folder / "other"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        (prefix / "share/kdsl/mine.txt").write_text("stays\n")
        run("cmake", "-P", BUILD / "Uninstall.cmake")
        left = [path.relative_to(prefix) for path in prefix.rglob("*") if path.is_file()]
        self.assertEqual(left, [Path("share/kdsl/mine.txt")])
        self.assertFalse((prefix / "lib/cmake/Kdsl").exists())

    @parts.exhaustive
    @unittest.skipUnless(shutil.which("patchelf"), "./dev test --all installs patchelf")
    def test_uninstall_after_a_tarball(self):
        prefix = self.folder / "before"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        env = {**os.environ, "XZ_LEVEL": "0"}
        run(sys.executable, ROOT / "packaging/tarball.py", BUILD, self.folder / "kdslc.tar.xz", env=env)
        run("cmake", "-P", BUILD / "Uninstall.cmake")
        self.assertEqual([path for path in prefix.rglob("*") if path.is_file()], [])

    @parts.exhaustive
    def test_debian_package(self):
        (BUILD / "pages/kdslc.fish").unlink()  # as after `./dev run`, which builds the compiler alone
        run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", self.folder / "package")
        package = next((self.folder / "package").glob("kdslc_*_amd64.deb"))
        fields = run("dpkg-deb", "-f", package)
        self.assertRegex(fields, r"(?m)^Depends: .*\bliboffload-22\b")
        self.assertRegex(fields, r"(?m)^Depends: .*\blibllvm22\b")
        run("dpkg-deb", "-x", package, self.folder / "root")
        program = self.folder / "from-package.kdsl"
        program.write_text(FILES["more.kdsl"] + "fn main() { print(\"{}\", step()); }\n")
        self.assertEqual(run(self.folder / "root/usr/bin/kdslc", "run", program), "1\n")


if __name__ == "__main__":
    unittest.main()
