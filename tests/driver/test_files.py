#!/usr/bin/env python3
"""Files that the standard library writes, read by Python's own means, and the other way round: PNG, PGM, PPM, NumPy's; what
wrong files look like; what a program is linked with. Usage: test_files.py KDSLC [unittest arguments]"""
import ctypes
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def make_png(width, height, depth, kind, rows, *chunks):
    """rows: the bytes of each, without the filter byte."""
    data = b"".join(b"\0" + row for row in rows)
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + b"".join(png_chunk(k, d) for k, d in chunks)
            + png_chunk(b"IDAT", zlib.compress(data)) + png_chunk(b"IEND", b""))


def read_png(data):
    """width, height, kind of colour, rows: of files with 8 bits a channel."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, head = 8, b"", None
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        assert struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + n
    width, height, depth, color, _, _, interlaced = head
    assert depth == 8 and not interlaced
    step = {0: 1, 2: 3, 6: 4}[color]
    raw, rows, above = zlib.decompress(packed), [], bytes(width * step)
    for i in range(height):
        line = raw[i * (width * step + 1):(i + 1) * (width * step + 1)]
        kind, row = line[0], bytearray(line[1:])
        for k in range(len(row)):
            a = row[k - step] if k >= step else 0
            b = above[k]
            c = above[k - step] if k >= step else 0
            if kind == 4:
                p = a + b - c
                nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row[k] = (row[k] + (0, a, b, (a + b) // 2, nearest if kind == 4 else 0)[kind]) & 255
        above = bytes(row)
        rows.append(above)
    return width, height, color, rows


def make_npy(head, data, version=1):
    """As numpy.save writes it; `head` without the padding."""
    size = 10 if version == 1 else 12
    head = head.encode()
    head += b" " * (-(size + len(head) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(head)) + head + data


def read_npy(data):
    """The head, and the bytes behind it; checks what the format asks for."""
    assert data[:8] == b"\x93NUMPY\1\0"
    n, = struct.unpack("<H", data[8:10])
    head = data[10:10 + n]
    assert (10 + n) % 64 == 0 and head[-1:] == b"\n"
    return eval(head.decode(), {}), data[10 + n:]  # a literal of Python, as numpy reads it, too


class FilesTest(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)

    def write(self, name, data):
        (self.dir / name).write_bytes(data if isinstance(data, bytes) else data.encode())

    def run_(self, *command, status=0, env=None):
        done = subprocess.run([str(word) for word in command], cwd=self.dir, capture_output=True, text=True,
                              timeout=300,
                              env=dict(os.environ, KMP_BLOCKTIME="0", **(env or {})))
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def program(self, body):
        self.write("program.kdsl", "import image;\nimport npy;\nfn main() {\n" + body + "\n}\n")
        return self.run_(KDSLC, "run", "program.kdsl")

    # ---- pictures
    def test_png_written(self):
        self.program("""
            let gray = [u8(9 * i + 5 * j) for i in 11, j in 17];
            image.write_png_u8("gray.png", &gray);
            let color = [f32(i + 2 * j + 3 * c) / 60.0 for i in 13, j in 8, c in 3];
            image.write_png_rgb("color.png", &color);
            let clear = [u8(i * j * 20 + c) for i in 3, j in 4, c in 4];
            image.write_png_rgba_u8("clear.png", &clear);""")
        self.assertEqual(read_png((self.dir / "gray.png").read_bytes()),
                         (17, 11, 0, [bytes((9 * i + 5 * j) % 256 for j in range(17)) for i in range(11)]))
        self.assertEqual(read_png((self.dir / "color.png").read_bytes()),
                         (8, 13, 2, [bytes(int((i + 2 * j + 3 * c) / 60 * 255 + 0.5) for j in range(8)
                                           for c in range(3))
                                     for i in range(13)]))
        self.assertEqual(read_png((self.dir / "clear.png").read_bytes()),
                         (4, 3, 6, [bytes((i * j * 20 + c) % 256 for j in range(4) for c in range(4))
                                    for i in range(3)]))

    def test_png_of_every_kind(self):
        self.write("bits.png", make_png(10, 2, 1, 0, [b"\xaa\x80", b"\x0f\x40"]))
        self.write("palette.png", make_png(3, 1, 8, 3, [b"\2\0\1"], (b"PLTE", bytes([1, 2, 3, 40, 50, 60, 255, 0, 9]))))
        self.write("deep.png", make_png(2, 1, 16, 0, [struct.pack(">HH", 256, 65535)]))
        self.write("alpha.png", make_png(2, 1, 8, 4, [bytes([10, 200, 20, 0])]))
        self.write("clear.png", make_png(2, 1, 8, 2, [bytes([1, 2, 3, 4, 5, 6])],
                                         (b"tRNS", struct.pack(">HHH", 4, 5, 6))))
        out = self.program("""
            let bits = image.read_png("bits.png");
            print("{} {} {} {} {}", shape(bits, 0), shape(bits, 1), bits[0, 0], bits[0, 1], bits[1, 9]);
            let palette = image.read_png_rgb_u8("palette.png");
            print("{} {} {}", palette[0, 0, 0], palette[0, 1, 2], palette[0, 2, 1]);
            let deep = image.read_png("deep.png");
            print("{} {}", deep[0, 0] == f32(256.0 / 65535.0), deep[0, 1]);
            let alpha = image.read_png_rgba_u8("alpha.png");
            print("{} {} {} {}", alpha[0, 0, 1], alpha[0, 0, 3], alpha[0, 1, 2], alpha[0, 1, 3]);
            let clear = image.read_png_rgba_u8("clear.png");
            print("{} {} {}", clear[0, 0, 3], clear[0, 1, 0], clear[0, 1, 3]);""")
        self.assertEqual(out, "2 10 1 0 1\n255 3 50\ntrue 1\n10 200 20 0\n255 4 0\n")

    def test_pgm_of_every_kind(self):
        self.write("plain.pgm", "P2\n# a comment\n 3 2 # another\n 10\n0 5 10\n1 2 3\n")
        self.write("deep.pgm", b"P5 2 1 65535\n" + struct.pack(">HH", 65535, 32768))
        self.write("plain.ppm", "P3 1 1 255 255 0 51")
        out = self.program("""
            let plain = image.read_pgm("plain.pgm");
            print("{} {} {} {}", shape(plain, 0), shape(plain, 1), plain[0, 1], plain[0, 2]);
            let deep = image.read_pgm_u8("deep.pgm");
            print("{} {}", deep[0, 0], deep[0, 1]);
            let color = image.read_ppm("plain.ppm");
            print("{} {} {}", color[0, 0, 0], color[0, 0, 1], color[0, 0, 2]);
            let gray = [u8(i + j) for i in 2, j in 3];
            image.write_pgm_u8("out.pgm", &gray);
            let flat = [u8(10 * i + j + c) for i in 1, j in 2, c in 3];
            image.write_ppm_u8("out.ppm", &flat);""")
        self.assertEqual(out, "2 3 0.5 1\n255 128\n1 0 0.2\n")
        self.assertEqual((self.dir / "out.pgm").read_bytes(), b"P5\n3 2\n255\n\0\1\2\1\2\3")
        self.assertEqual((self.dir / "out.ppm").read_bytes(), b"P6\n2 1\n255\n\0\1\2\1\2\3")

    def test_pictures_that_are_none(self):
        good = make_png(4, 4, 8, 0, [bytes(4)] * 4)
        self.write("text.png", "this is no picture")
        self.write("cut.png", good[:50])
        self.write("broken.png", good[:45] + bytes([good[45] ^ 1]) + good[46:])
        self.write("huge.png", make_png(2**31 - 1, 2**31 - 1, 16, 6, [b""]))
        self.write("cut.pgm", "P5 4 4 255\nabc")
        self.write("bright.pgm", "P2 1 1 10 11")
        self.write("head.pgm", "P2 -1 1 10 11")
        self.write("program.kdsl", """import image;
fn main() {
    let a = args();
    print("before");
    let none = [0.0f32; 0, 3];
    let one = [0.5f32; 200, 200];
    let four = [0.0f32; 2, 2, len(a) + 2];
    if a[0] == "read_png" { let p = image.read_png(a[1]); print("{}", p[0, 0]); }
    if a[0] == "read_pgm" { let p = image.read_pgm(a[1]); print("{}", p[0, 0]); }
    if a[0] == "write_png" { image.write_png(a[1], &one); }
    if a[0] == "write_pgm" { image.write_pgm(a[1], &one); }
    if a[0] == "none_png" { image.write_png(a[1], &none); }
    if a[0] == "none_pgm" { image.write_pgm(a[1], &none); }
    if a[0] == "four_png" { image.write_png_rgb(a[1], &four); }
}
""")
        self.run_(KDSLC, "program.kdsl")
        for what, path, why in (("read_png", "none.png", "No such file or directory"),
                                ("read_png", "text.png", "it is not a PNG file"),
                                ("read_png", "cut.png", ""),
                                ("read_png", "broken.png", ""),
                                ("read_png", "huge.png", ""),
                                ("read_png", "/", "Is a directory"),
                                ("read_pgm", "none.pgm", "No such file or directory"),
                                ("read_pgm", "text.png", "it is not a PGM or PPM file"),
                                ("read_pgm", "cut.pgm", "it ends before its last pixel"),
                                ("read_pgm", "bright.pgm", "a pixel is brighter than the maximum in its header"),
                                ("read_pgm", "head.pgm", "its header is malformed"),
                                ("write_png", "no/x.png", "No such file or directory"),
                                ("write_png", "/dev/full", "No space left on device"),
                                ("write_pgm", "/dev/full", "No space left on device"),
                                ("none_png", "e.png", "an image of shape [0, 3] has no pixels"),
                                ("none_pgm", "e.pgm", "an image of shape [0, 3] has no pixels")):
            out = self.run_("./program", what, path, status=3)
            verb = "read" if what.startswith("read") else "write"
            line = 8 + ["read_png", "read_pgm", "write_png", "write_pgm", "none_png", "none_pgm"].index(what)
            self.assertRegex(out, "^before\nerror: " + re.escape(f"cannot {verb} `{path}`: {why}")
                             + rf".*\n --> program.kdsl:{line}:\d+\n *{line} \| .*\n      \| +\^~+\n$")
        self.assertIn("dimension 2 of `pixels` must be 3, but its shape is [2, 2, 4]",
                      self.run_("./program", "four_png", "x", status=3))

    # ---- NumPy
    def test_npy_written(self):
        self.program("""
            let a = [f32(i) / 2.0 for i in 3];
            npy.write_1d("a.npy", &a);
            let b = [i64(10 * i - j) for i in 2, j in 3];
            npy.write_2d("b.npy", &b);
            let c = [u8(i + j + k) for i in 1, j in 2, k in 2];
            npy.write_3d("c.npy", &c);
            let d = [f64(i - j + k - l) for i in 2, j in 1, k in 2, l in 2];
            npy.write_4d("d.npy", &d);
            let e = [u32(7); 0];
            npy.write_1d("e.npy", &e);""")
        for name, descr, shape, code, values in (
                ("a", "<f4", (3,), "f", [0, 0.5, 1]),
                ("b", "<i8", (2, 3), "q", [10 * i - j for i in range(2) for j in range(3)]),
                ("c", "|u1", (1, 2, 2), "B", [0, 1, 1, 2]),
                ("d", "<f8", (2, 1, 2, 2), "d", [i + k - l for i in range(2) for k in range(2) for l in range(2)]),
                ("e", "<u4", (0,), "I", [])):
            head, data = read_npy((self.dir / f"{name}.npy").read_bytes())
            self.assertEqual(head, {"descr": descr, "fortran_order": False, "shape": shape})
            self.assertEqual(data, struct.pack(f"<{len(values)}{code}", *values))

    def test_npy_read(self):
        self.write("a.npy", make_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
                                     struct.pack("<6d", *range(6))))
        self.write("b.npy", make_npy("{'shape': (3,), 'fortran_order': False, 'descr': '<i4'}",
                                     struct.pack("<3i", 5, -6, 7)))
        self.write("c.npy", make_npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2, 1), }", b"\1\0", version=2))
        self.write("d.npy", make_npy("{'descr': '<i1', 'fortran_order': True, 'shape': (2,), }", b"\xff\2", version=3))
        self.write("e.npy", make_npy("{'descr': '<u2', 'fortran_order': False, 'shape': (1, 2, 1, 2), }",
                                     struct.pack("<4H", 1, 2, 3, 65535)))
        out = self.program("""
            let a = npy.read_f64_2d("a.npy");
            print("{} {} {} {}", shape(a, 0), shape(a, 1), a[0, 1], a[1, 2]);
            let b = npy.read_i32_1d("b.npy");
            print("{} {} {}", b[0], b[1], b[2]);
            let c = npy.read_u8_2d("c.npy");
            print("{} {} {}", c[0, 0], c[1, 0], npy.rank("c.npy"));
            let d = npy.read_1d("d.npy", 0i8);
            print("{} {} {}", d[0], d[1], npy.extent("d.npy", 0));
            let e = npy.read_4d("e.npy", 0u16);
            print("{} {}", e[0, 1, 0, 0], e[0, 1, 0, 1]);""")
        self.assertEqual(out, "2 3 1 5\n5 -6 7\n1 0 2\n-1 2 2\n3 65535\n")

    def test_npy_of_other_kinds(self):
        def head(descr="'<f4'", order="False", shape="(2, 2)"):
            return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"
        data = struct.pack("<4f", 1, 2, 3, 4)
        files = {"none": (None, "No such file or directory"),
                 "text": (b"1 2 3 4", "it is not an .npy file"),
                 "short": (make_npy(head(), data)[:90], "it ends inside its header"),
                 "cut": (make_npy(head(), data[:-1]), "it ends before its last element"),
                 "huge": (make_npy(head(shape="(4611686018427387904, 4)"), data), "it ends before its last element"),
                 "double": (make_npy(head("'<f8'"), data * 2), "its elements are f64, not f32"),
                 "flags": (make_npy(head("'|b1'"), data), "its elements are bool, not f32"),
                 "big": (make_npy(head("'>f4'"), data), "its elements are NumPy's `>f4` (big-endian), not f32"),
                 "complex": (make_npy(head("'<c8'"), data * 2), "its elements are NumPy's `<c8`, not f32"),
                 "record": (make_npy(head("[('x', '<f4')]"), data), "its elements are records, not numbers"),
                 "fortran": (make_npy(head(order="True"), data), "it is in column-major (Fortran) order; save numpy.ascontiguousarray of the array"),
                 "cube": (make_npy(head(shape="(2, 2, 1)"), data), "its shape is (2, 2, 1), and the program reads 2 dimensions"),
                 "five": (make_npy(head(shape="(1, 1, 1, 2, 2)"), data),
                          "its shape is (1, 1, 1, 2, 2), and the program reads 2"),
                 "scalar": (make_npy(head(shape="()"), data), "its shape is (), and the program reads 2 dimensions"),
                 "minus": (make_npy(head(shape="(-1, 2)"), data), "its header is malformed"),
                 "empty": (make_npy("{}", data), "its header is malformed")}
        self.write("program.kdsl", """import npy;
fn main() {
    let x = npy.read_f32_2d(args()[0]);
    print("{}", len(x));
}
""")
        self.run_(KDSLC, "program.kdsl")
        for name, (content, why) in files.items():
            if content is not None:
                self.write(f"{name}.npy", content)
            self.assertIn(f"error: cannot read `{name}.npy`: {why}", self.run_("./program", f"{name}.npy", status=3))
        self.write("writer.kdsl", """import npy;
fn main() {
    let x = [1i16, 2];
    if args()[0] == "rank" { npy.write_1d("x.npy", &x); let y = npy.read_2d("x.npy", 0i16); print("{}", len(y)); }
    if args()[0] == "extent" { npy.write_1d("x.npy", &x); print("{}", npy.extent("x.npy", 1)); }
    npy.write_1d(args()[0], &x);
}
""")
        self.run_(KDSLC, "writer.kdsl")
        for path, at, why in (("no/x.npy", "6:5", "cannot write `no/x.npy`: No such file or directory"),
                              ("/dev/full", "6:5", "cannot write `/dev/full`: No space left on device"),
                              ("rank", "4:65", "cannot read `x.npy`: its shape is (2,), and the program reads 2 dimensions"),
                              ("extent", "5:71", "`x.npy` has no dimension 1: its shape is (2,)")):
            self.assertTrue(self.run_("./writer", path, status=3).startswith(f"error: {why}\n --> writer.kdsl:{at}\n"))
        whole = make_npy(head(), data)
        for n in range(len(whole)):  # cut anywhere: a message, never a crash
            self.write("part.npy", whole[:n])
            self.assertRegex(self.run_("./program", "part.npy", status=3),
                             r"^error: cannot read .*\n --> program\.kdsl:3:13\n")

    # ---- whole or not at all
    WRITERS = """import image;
import npy;
fn main() {
    let n = i32(args()[1]);
    let x = [f64(i % 7) for i in n];
    let p = [f32((40 * i + j) * (40 * i + j) * 7919 / 64 % 251) / 251.0 for i in n, j in 40];    // noise
    let c = [f32((i * j + 7 * k) % 101) / 101.0 for i in n, j in 20, k in 3];
    let way = args()[0];
    if way == "text" { write_file(way, format("{:>1000}{:>1000}{:>1000}{:>1000}{:>1000}{:>1000}{:>1000}", n, n, n, n, n, n, n)); }
    if way == "array" { write_file(way, &x); }
    if way == "more" { append_file(way, &x); }
    if way == "npy" { npy.write_1d(way, &x); }
    if way == "npy2" { npy.write_2d(way, &p); }
    if way == "png" { image.write_png(way, &p); }
    if way == "ppm" { image.write_ppm(way, &c); }
    if way == "pgm" { image.write_pgm(way, &p); }
    if way == "stdout" { write_file("/dev/stdout", "through"); }
}
"""

    def test_a_file_that_is_too_large_leaves_the_old_one(self):
        self.write("writers.kdsl", self.WRITERS)
        self.run_(KDSLC, "writers.kdsl")

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

        for way in ("text", "array", "more", "npy", "npy2", "png", "ppm", "pgm"):
            path = self.dir / way
            for old in (None, b"what was there before"):
                with self.subTest(way=way, old=old):
                    if old:
                        path.write_bytes(old)
                    before = sorted(os.listdir(self.dir))
                    done = subprocess.run(["./writers", way, "2000"], cwd=self.dir, capture_output=True, text=True,
                                          preexec_fn=limit, timeout=100)
                    self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
                    self.assertIn(f"cannot write `{way}`: File too large", done.stderr)
                    if old is None and way == "more":
                        path.unlink()                       # made, and empty again
                    self.assertEqual(sorted(os.listdir(self.dir)), before)
                    self.assertEqual(path.read_bytes() if path.exists() else None, old)

    def test_what_is_replaced_keeps_its_place(self):
        self.write("writers.kdsl", self.WRITERS)
        self.run_(KDSLC, "writers.kdsl")
        (self.dir / "folder").mkdir()
        (self.dir / "folder" / "real").write_bytes(b"old")
        (self.dir / "folder" / "real").chmod(0o640)
        (self.dir / "array").symlink_to("folder/real")
        (self.dir / "npy").symlink_to("folder/new")         # a link to nothing, yet
        self.run_("./writers", "array", "3")
        self.run_("./writers", "npy", "3")
        self.assertTrue((self.dir / "array").is_symlink() and (self.dir / "npy").is_symlink())
        self.assertEqual((self.dir / "folder" / "real").read_bytes(), struct.pack("3d", 0, 1, 2))
        self.assertEqual((self.dir / "folder" / "real").stat().st_mode & 0o777, 0o640)
        self.assertEqual((self.dir / "folder" / "new").read_bytes()[-24:], struct.pack("3d", 0, 1, 2))
        self.assertEqual(sorted(os.listdir(self.dir / "folder")), ["new", "real"])
        self.assertEqual(self.run_("./writers", "stdout", "1"), "through")
        (self.dir / "text").mkdir()
        self.assertIn("cannot write `text`: Is a directory", self.run_("./writers", "text", "1", status=3))

    # ---- what programs are made of
    def test_linked_only_where_used(self):
        self.write("plain.kdsl", 'fn main() { print("{}", 1); }\n')
        self.write("spare.kdsl", 'import image;\nfn main() { print("{}", 1); }\n')
        self.write("picture.kdsl", 'import image;\nfn main() { let p = [0.5f32; 2, 2]; image.write_png("p.png", &p); }\n')
        size = {}
        for name in ("plain", "spare", "picture"):
            self.run_(KDSLC, f"{name}.kdsl")
            size[name] = (self.dir / name).stat().st_size
        self.assertEqual(size["plain"], size["spare"])
        self.assertGreater(size["picture"], size["plain"] + 100_000)
        self.assertNotIn("png", self.run_("ldd", "picture"))

    def test_in_a_library_and_an_object(self):
        self.write("lib.kdsl", """import image;
export fn corner(path: str) -> f32 {
    let p = image.read_png(path);
    return p[0, 0];
}
export fn save(path: str, p: &[f32; h, w]) { image.write_png(path, &p); }
""")
        self.run_(KDSLC, "--shared", "lib.kdsl")
        lib = ctypes.CDLL(str(self.dir / "lib.so"))
        lib.kdsl_last_error.restype = ctypes.c_char_p
        pixels, n, result = (ctypes.c_float * 6)(1, 0, 0.5, 1, 0, 0), ctypes.c_int64, ctypes.c_float()
        path = str(self.dir / "p.png").encode()
        self.assertEqual(lib.save(path, pixels, n(2), n(3)), 0)
        self.assertEqual(read_png((self.dir / "p.png").read_bytes()), (3, 2, 0,
                                                                       [bytes([255, 0, 128]), bytes([255, 0, 0])]))
        self.assertEqual(lib.corner(path, ctypes.byref(result)), 0)
        self.assertEqual(result.value, 1.0)
        self.assertEqual(lib.corner(b"/nowhere.png", ctypes.byref(result)), 3)
        self.assertTrue(lib.kdsl_last_error().startswith(b"error: cannot read `/nowhere.png`: No such file or directory\n"
                                                         b" --> lib.kdsl:3:13"))
        self.assertEqual(lib.corner(path, ctypes.byref(result)), 0)
        # an object, in a program that has a libpng of its own
        self.run_(KDSLC, "-c", "lib.kdsl")
        self.write("main.c", "#include <png.h>\n#include <stdint.h>\n#include <stdio.h>\n"
                             "int32_t corner(const char *, float *);\nint main(void) { float v = 0; int s = corner(\"p.png\", &v);\n"
                             "printf(\"%d %g %d\\n\", s, v, png_access_version_number() > 0); return 0; }\n")
        self.run_("cc", "main.c", "lib.o", "-o", "main", "-lpng", "-lm")
        self.assertEqual(self.run_("./main"), "0 1 1\n")


if __name__ == "__main__":
    unittest.main()
