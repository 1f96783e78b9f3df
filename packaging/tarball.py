#!/usr/bin/env python3
"""Make the tarball of kdslc for users without root: one folder that may lie anywhere and be moved, with the compiler,
what `cmake --install` installs, and in lib/kdsl the libraries and start files that compiler and programs need.

    packaging/tarball.py BUILD [OUTPUT.tar.xz]        also: cmake --build BUILD --target tarball

The C library, the dynamic loader, libstdc++ and libgcc_s stay those of the machine: a second C library in a process
cannot work, and drivers of GPUs, which programs load, may need a newer libstdc++ than this one. The libraries come
from Debian packages, whose licences are in share/doc/kdslc/licences. Needs patchelf and dpkg."""
import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OF_THE_MACHINE = re.compile(r"(libc|libm|libmvec|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux-x86-64)\.so")
START_FILES = ("Scrt1.o", "crti.o", "crtn.o", "libc_nonshared.a")


def run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tarball: {' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def cached(build):
    """The variables of CMake that name files: where libraries were found."""
    return dict(re.findall(r"^(KDSL_\w+):\w+=(.+)$", (build / "CMakeCache.txt").read_text(), flags=re.M))


def libraries(*files):
    """What these files need, directly and indirectly, by the names that they are loaded by."""
    found = {}
    for file in files:
        for name, path in re.findall(r"^\s*(\S+) => (/.*) \(0x", run("ldd", file), flags=re.M):
            if not OF_THE_MACHINE.match(name):
                found[name] = Path(path)
    return found


def copy_libraries(folder, kdslc, omptarget):
    """The files that were copied: their names in the tarball, and where they come from."""
    libomp = omptarget.parent / "libomp.so.5"
    carried = {omptarget.resolve().name: omptarget, **libraries(kdslc, omptarget, libomp)}
    for name, path in carried.items():
        shutil.copyfile(path, folder / name)
        run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", folder / name)
        (folder / name).chmod(0o644)
    (folder / "libomp.so").symlink_to("libomp.so.5")  # libomptarget opens it by this name, too
    return carried


def copy_start_files(folder):
    carried = {}
    for name in START_FILES:
        carried[name] = Path(run("gcc", f"-print-file-name={name}").strip())
        shutil.copyfile(carried[name], folder / name)
        (folder / name).chmod(0o644)
    return carried


def owner(path):
    """The Debian package that a file belongs to: its name, and its name and version as a source package."""
    for candidate in (str(path.resolve()), str(path), str(path.resolve()).removeprefix("/usr"), str(path).removeprefix("/usr")):
        done = subprocess.run(["dpkg", "-S", candidate], capture_output=True, text=True)
        if done.returncode == 0:
            package = done.stdout.partition(": ")[0].split(",")[0]
            source = run("dpkg-query", "-W", "-f=${source:Package} ${source:Version}", package)
            return package.partition(":")[0], source
    sys.exit(f"tarball: no Debian package has {path}: its licence is not known")


def write_licences(folder, carried, linked):
    """A file for each package, the common licences to which these refer, and a table of all."""
    folder.mkdir(parents=True)
    rows, texts = {}, ""
    for name, path in [*carried.items(), *((f"in bin/kdslc: {path.name}", path) for path in linked)]:
        package, source = owner(path)
        rows.setdefault((package, source), []).append(name)
        text = (Path("/usr/share/doc") / package / "copyright").read_text(errors="replace")
        (folder / f"{package}.txt").write_text(text)
        texts += text
    for name in sorted(set(re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)", texts))):
        shutil.copyfile(Path("/usr/share/common-licenses") / name, folder / name)
    table = [f"| [{package}]({package}.txt) | {source} | {', '.join(names)} |"
             for (package, source), names in sorted(rows.items())]
    (folder / "README.md").write_text(
        "# What the tarball of kdslc carries\n\nThese files come from packages of Debian, unchanged but for the run path of "
        "the libraries.\n`apt-get source NAME=VERSION` fetches the source of each, as does the archive of Debian's "
        "snapshots.\n\n| package | source and version | files |\n| --- | --- | --- |\n" + "\n".join(table) + "\n")


def write_pkg_config(prefix, omptarget):
    path = next(prefix.glob("lib*/**/pkgconfig/kdsl.pc"), None) or next(prefix.glob("share/pkgconfig/kdsl.pc"))
    up = "/".join([".."] * len(path.parent.relative_to(prefix).parts))
    text = re.sub(r"^prefix=.*", f"prefix=${{pcfiledir}}/{up}", path.read_text(), flags=re.M)
    text = re.sub(r"^omptarget=.*", f"omptarget=${{prefix}}/lib/kdsl/{omptarget.resolve().name}", text, flags=re.M)
    path.write_text(text.replace("${omptarget} -lm", "${omptarget} -Wl,-rpath,${prefix}/lib/kdsl -lm"))


def fill(prefix, build):
    names = cached(build)
    run("cmake", "--install", build, "--prefix", prefix, "--strip")
    folder = prefix / "lib/kdsl"
    folder.mkdir(parents=True, exist_ok=True)
    omptarget = Path(names["KDSL_OMPTARGET_LIBRARY"]).resolve()
    carried = copy_libraries(folder, build / "bin/kdslc", omptarget)
    run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../lib/kdsl", prefix / "bin/kdslc")
    carried.update(copy_start_files(folder))
    linked = [Path(path) for name, path in sorted(names.items()) if name.endswith("_ARCHIVE")]
    write_licences(prefix / "share/doc/kdslc/licences", carried, [*linked, Path(names["KDSL_LLD_ELF_LIBRARY"])])
    write_pkg_config(prefix, omptarget)


def pack(prefix, output):
    """The same files make the same tarball but for their dates."""
    level = os.environ.get("XZ_LEVEL", "6")
    partial = output.with_name(output.name + ".part")
    run("tar", "-C", prefix.parent, "-c", "-f", partial, "--sort=name", "--owner=0", "--group=0", "--numeric-owner",
        "-I", f"xz -T0 -{level}", prefix.name)
    partial.replace(output)


@contextlib.contextmanager
def installation_kept(build):
    """What is installed here for a moment is not what the target `uninstall` removes."""
    manifest = build / "install_manifest.txt"
    text = manifest.read_text() if manifest.exists() else None
    try:
        yield
    finally:
        if text is None:
            manifest.unlink(missing_ok=True)
        else:
            manifest.write_text(text)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    for tool, package in (("patchelf", "patchelf"), ("dpkg", "dpkg"), ("xz", "xz-utils")):
        if not shutil.which(tool):
            sys.exit(f"tarball: there is no {tool}: install the package {package}")
    build = Path(sys.argv[1]).resolve()
    version = re.search(r"^CMAKE_PROJECT_VERSION:\w+=(.+)$", (build / "CMakeCache.txt").read_text(), flags=re.M)[1]
    name = f"kdslc-{version}-linux-x86_64"
    prefix = build / "tarball" / name
    output = Path(sys.argv[2]).resolve() if len(sys.argv) == 3 else build / f"{name}.tar.xz"
    shutil.rmtree(prefix, ignore_errors=True)
    prefix.mkdir(parents=True)
    with installation_kept(build):
        fill(prefix, build)
    pack(prefix, output)
    shutil.rmtree(prefix)
    print(f"{output}: {output.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
