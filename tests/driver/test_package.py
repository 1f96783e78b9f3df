#!/usr/bin/env python3
"""The Debian package and the tarball, used on a clean Debian 12: a folder made by debootstrap, from the mirror of this
machine's apt, in which nothing but the package or the tarball is installed. Usage: test_package.py KDSLC

Needs root, debootstrap, patchelf and a mirror. Where they are missing the test fails, unless KDSL_TEST_CHROOT=off."""
import atexit
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(sys.argv.pop(1)).resolve().parent.parent
SUITE = "bookworm"
FIRST = """kernel twice(x: &mut [f32; n]) over i in n { x[i] = 2.0 * sqrt(x[i]); }
fn main() { var x = [441.0f32; 1000]; offload twice(&mut x); print("{}", x[999]); }
"""
SESSION = """kernel double(x: &mut [f32; n]) over i in n { x[i] *= 2.0; }
var x = [21.0f32; 9];
offload double(&mut x);
x[8]
"""
DEPENDS = {"liboffload-22", "libc6-dev", "libc6", "libgcc-s1", "libllvm22", "libstdc++6", "libtinfo6", "libzstd1", "zlib1g"}
# Mounts are made in a namespace of the command's own and end with it, even if it is killed.
INSIDE = """mount -t proc proc "$root/proc" && mkdir -p "$root/dev/shm" && mount -t tmpfs shm "$root/dev/shm" &&
exec chroot $user "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/home/user DEBIAN_FRONTEND=noninteractive "$@" """


def run(*command, may_fail=False, **more):
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=600, **more)
    if done.returncode and not may_fail:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def apt_sources():
    """(address, suite, component, keyring) of this machine's package lists from Debian."""
    fields = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)|$(SIGNED_BY)"
    rows = [line.split("|") for line in run("apt-get", "indextargets", "--format", fields, "Created-By: Packages").split()]
    return [(uri, suite, component, keyring if keyring[0] == "/" else None)
            for uri, suite, component, origin, keyring in rows if origin == "Debian" and suite.startswith(SUITE)]


def why_not(sources):
    if os.getuid():
        return "only root can make a chroot"
    for tool in ("debootstrap", "patchelf", "unshare"):
        if not shutil.which(tool):
            return f"there is no {tool}: ./dev test --all installs it"
    if not any(suite == SUITE for _, suite, _, _ in sources):
        return f"apt has no package list of Debian's suite {SUITE}: run apt-get update, or see /etc/apt"
    return None


class Chroot:
    """A clean system in `root`, with the same mirrors, proxies, and answers of the name server as this machine."""

    def __init__(self, root, sources):
        self.root, self.sources = root, sources
        mirror, keyring = next((uri, keyring) for uri, suite, _, keyring in sources if suite == SUITE)
        options = [f"--keyring={keyring}"] if keyring else []
        self.log = tempfile.TemporaryFile("w+")
        self.making = subprocess.Popen(["unshare", "-m", "debootstrap", "--variant=minbase", *options, SUITE, root, mirror],
                                       stdout=self.log, stderr=subprocess.STDOUT)

    def finish(self):
        if self.making.wait(timeout=600):
            self.log.seek(0)
            raise AssertionError(f"debootstrap failed: {self.log.read()[-2000:]}")
        lines = []
        for uri, suite, component, keyring in self.sources:
            signed = ""
            if keyring:
                shutil.copy(keyring, self.root / "usr/share/keyrings")
                signed = f"[signed-by=/usr/share/keyrings/{Path(keyring).name}] "
            lines.append(f"deb {signed}{uri} {suite} {component}\n")
        (self.root / "etc/apt/sources.list").write_text("".join(lines))
        (self.root / "etc/apt/apt.conf.d/99machine").write_text(run("apt-config", "dump", "Acquire") + 'APT::Sandbox::User "root";\n')
        for path in ("etc/resolv.conf", "etc/hosts", "etc/ssl/certs/ca-certificates.crt"):
            if (Path("/") / path).exists():
                (self.root / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(Path("/") / path, self.root / path)
        passwd = self.root / "etc/passwd"
        passwd.write_text(passwd.read_text() + "user:x:1000:1000::/home/user:/bin/sh\n")
        home = self.root / "home/user"
        home.mkdir(parents=True)
        os.chown(home, 1000, 1000)

    def run(self, script, user="user", may_fail=False):
        """A line of shell, in the home of the user."""
        env = {**os.environ, "root": str(self.root), "user": "--userspec=1000:1000" if user == "user" else ""}
        proxies = [f"{name}={value}" for name, value in os.environ.items() if re.match(r"(?i)(http|https|no)_proxy$", name)]
        return run("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", INSIDE, "inside", *proxies,
                   "sh", "-ec", f"cd /home/user\n{script}", may_fail=may_fail, env=env)

    def write(self, path, text):
        path = self.root / "home/user" / path
        path.write_text(text)
        os.chown(path, 1000, 1000)


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sources = apt_sources()
        reason = why_not(sources)
        if reason:
            raise AssertionError(f"{reason}. KDSL_TEST_CHROOT=off leaves this test out")
        cls.folder = Path(tempfile.mkdtemp(dir=BUILD, prefix="package-"))
        atexit.register(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.clean = Chroot(cls.folder / "root", sources)
        run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder / "package")
        cls.deb = next((cls.folder / "package").glob("kdslc_*_amd64.deb"))
        cls.tarball = cls.folder / "kdslc.tar.xz"
        print(run(sys.executable, ROOT / "packaging/tarball.py", BUILD, cls.tarball, env={**os.environ, "XZ_LEVEL": "0"}),
              f"{cls.deb.name}: {cls.deb.stat().st_size / 1e6:.1f} MB", sep="", file=sys.stderr)
        cls.clean.finish()
        cls.clean.write("first.kdsl", FIRST)
        cls.clean.write("session.txt", SESSION)

    def test_contents_of_the_package(self):
        fields = run("dpkg-deb", "-f", self.deb)
        depends = re.search(r"^Depends: (.*)$", fields, flags=re.M)[1]
        self.assertEqual({part.split()[0] for part in depends.split(", ")}, DEPENDS)
        self.assertRegex(fields, r"(?m)^Description: .+\n .+")
        for line in run("dpkg-deb", "-c", self.deb).splitlines():
            mode, owner, *_ = line.split()
            self.assertEqual(owner, "root/root", line)
            program = line.endswith("/usr/bin/kdslc") or re.search(r"/doc/kdslc/course/\w+\.py$", line) is not None
            self.assertEqual(mode, "drwxr-xr-x" if mode[0] == "d" else "-rwxr-xr-x" if program else "-rw-r--r--", line)
        run("dpkg-deb", "-R", self.deb, self.folder / "raw")
        sums = (self.folder / "raw/DEBIAN/md5sums").read_text().splitlines()
        files = {path for path in (self.folder / "raw").rglob("*") if path.is_file() and "DEBIAN" not in path.parts}
        self.assertEqual(len(sums), len(files))
        for line in sums:
            total, name = line.split(None, 1)
            self.assertEqual(hashlib.md5((self.folder / "raw" / name).read_bytes()).hexdigest(), total, name)
        self.assertIn("Version: 0.1.0", run("dpkg-parsechangelog", "-l", self.folder / "raw/usr/share/doc/kdslc/changelog.gz"))
        self.assertIn("GPL-3", (self.folder / "raw/usr/share/doc/kdslc/copyright").read_text())

    def use_tree(self, folder):
        """Compile and run the first program with the tarball in this folder, from another folder."""
        kdslc = f"'{folder}/bin/kdslc'"
        self.assertEqual(self.clean.run(f"{kdslc} run first.kdsl"), "42\n")
        self.assertEqual(self.clean.run(f"mkdir -p out && {kdslc} first.kdsl -o out/first && out/first"), "42\n")
        said = self.clean.run(f"{kdslc} doctor")
        self.assertIn(f"/home/user/{folder}/lib/kdsl/libomptarget.so.22.1", said)
        self.assertIn(f"/home/user/{folder}/lib/kdsl/Scrt1.o", said)
        self.assertIn("works", said)
        self.assertIn("42", self.clean.run(f"{kdslc} repl < session.txt"))

    def test_1_tarball(self):
        with open(self.clean.root / "home/user/kdslc.tar", "wb") as tar:  # a minimal Debian has no xz
            subprocess.run(["xz", "-dc", self.tarball], stdout=tar, check=True)
        self.assertEqual(self.clean.run("ls /usr/lib/x86_64-linux-gnu/Scrt1.o /usr/lib/x86_64-linux-gnu/libLLVM* 2>/dev/null | wc -l"),
                         "0\n")
        self.clean.run("mkdir 'a b' && tar -xf kdslc.tar -C 'a b' --strip-components=1")
        self.use_tree("a b")
        self.clean.run("mv 'a b' 'another place'")
        self.use_tree("another place")
        self.clean.run("mv 'another place' 'c:d'")
        said = self.clean.run("c:d/bin/kdslc first.kdsl -o x; test ! -e x", may_fail=True)
        self.assertIn("error[E1022]", said)
        self.assertIn("`:` separates folders", said)
        licences = self.clean.root / "home/user/c:d/share/doc/kdslc/licences"
        self.assertLess({"libllvm22.txt", "libreadline-dev.txt", "libc6-dev.txt", "README.md", "GPL-3"},
                        {path.name for path in licences.iterdir()})
        self.clean.run("rm -r c:d")

    def test_2_package_by_the_steps_of_the_dockerfile(self):
        for step in re.findall(r"^(COPY|RUN) (.*)$", (ROOT / "packaging/Dockerfile").read_text(), flags=re.M):
            if step[0] == "RUN":
                self.clean.run(step[1], user="root")
                continue
            pattern, target = step[1].split()
            for path in glob.glob(str(self.deb.parent / pattern)):
                shutil.copy(path, self.clean.root / target.strip("/"))
        self.assertRegex(self.clean.run("kdslc --version"), r"^kdslc 0\.1\.0")
        self.assertEqual(self.clean.run("kdslc run first.kdsl"), "42\n")
        self.assertEqual(self.clean.run("kdslc first.kdsl -o first && ./first"), "42\n")
        self.assertIn("works", self.clean.run("kdslc doctor"))
        self.assertEqual(self.clean.run("dpkg --verify kdslc"), "")
        self.clean.run("test -s /usr/share/man/man1/kdslc.1.gz && test -s /usr/share/doc/kdslc/docs/tour.md")
        self.clean.run("apt-get purge -y kdslc", user="root")
        self.assertEqual(self.clean.run("find / -xdev -path /proc -prune -o -iname '*kdsl*' -print 2>/dev/null | grep -v '^/home/' || true"),
                         "")


if __name__ == "__main__":
    if os.environ.get("KDSL_TEST_CHROOT") == "off":
        print("left out: KDSL_TEST_CHROOT=off")
        sys.exit(77)
    unittest.main()
