#!/usr/bin/env python3
"""The modules of stdlib/ are correct: each module's text followed by a main that asserts what its functions give, on the
host and in a kernel. Usage: test_stdlib.py KDSLC"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv[1]).resolve()

MAINS = {"math": """
kernel on_device(y: &out [f64; n]) over i in n {
    let v = f64(i);
    y[i] = lerp(1.0, 3.0, v / f64(n)) + smoothstep(0.0, 4.0, v) + sign(v - 2.0) + wrap(-v, 0.0, TAU)
         + fract(-v / 8.0) + degrees(radians(v)) + f64(gcd(i * 6, 9)) + f64(ipow(2, i)) + f64(floor_mod(-i, 3));
}
const TERMS = 4;
kernel on_device32(c: &[f32; TERMS], y: &out [f32; n]) over i in n {
    let v = f32(i) / 4.0;
    y[i] = polynomial(&c, v) + lerp(1.0, 2.0, v) + ipow(v, 3) + f32(isqrt(i)) + f32(next_power_of_two(i)) + f32(round_up(i, 4));
}

fn same(a: f64, b: f64) -> bool { return near(a, b, 1.0e-12); }

fn main() {
    assert same(sin(PI / 6.0), 0.5) && same(TAU, 2.0 * PI) && same(log(E), 1.0) && same(PHI * PHI, PHI + 1.0);
    assert same(SQRT2 * SQRT2, 2.0) && same(exp(LN2), 2.0) && same(exp(LN10), 10.0) && isinf(INF) && INF > F64_MAX;
    assert 1.0 + F64_EPSILON > 1.0 && 1.0 + F64_EPSILON / 2.0 == 1.0 && F64_MAX * 2.0 == INF && F64_MIN / 2.0 * 2.0 == F64_MIN;
    let one = 1.0f32;
    assert one + F32_EPSILON > one && one + F32_EPSILON / 2.0 == one && isinf(F32_MAX * 2.0) && F32_MAX < f32(3.5e38);
    let large = I32_MAX;
    assert large + 1 == I32_MIN && I64_MAX + 1 == I64_MIN && F32_MIN > 0.0;
    assert same(degrees(PI), 180.0) && same(radians(90.0), PI / 2.0) && radians(180.0f32) == f32(PI);
    assert lerp(0.1, 0.7, 0.0) == 0.1 && lerp(0.1, 0.7, 1.0) == 0.7 && same(lerp(2.0, 4.0, 0.25), 2.5);
    assert lerp(0.1f32, 0.7, 0.0) == 0.1f32 && lerp(2.0f32, 4.0, 0.25) == 2.5f32;
    assert same(unlerp(2.0, 4.0, 3.5), 0.75);
    assert smoothstep(1.0, 2.0, 0.0) == 0.0 && smoothstep(1.0, 2.0, 3.0) == 1.0 && same(smoothstep(1.0, 2.0, 1.5), 0.5);
    let line = linspace(-1.0, 1.0, 5);
    assert len(line) == 5 && line[0] == -1.0 && line[1] == -0.5 && line[4] == 1.0;
    let point = linspace(3.0f32, 4.0, 1);
    let none = linspace(3.0, 4.0, 0);
    assert point[0] == 3.0f32 && len(none) == 0;
    assert sign(-3.0) == -1.0 && sign(0.0) == 0.0 && sign(2.5) == 1.0 && sign(-7) == -1 && sign(9u8) == 1;
    assert same(fract(2.25), 0.25) && same(fract(-0.25), 0.75);
    assert same(wrap(7.5, 0.0, 2.0), 1.5) && same(wrap(-0.5, 0.0, 2.0), 1.5) && same(wrap(3.0, 1.0, 4.0), 3.0);
    assert near(1.0, 1.001, 0.01) && !near(1.0, 1.1, 0.01) && near(1000.0, 1001.0, 0.01) && near(0.0, 0.001, 0.01);
    assert !near(0.0, f64("nan"), 1.0);
    let c = [1.0, -2.0, 3.0];
    assert polynomial(&c, 2.0) == 9.0 && polynomial(&c, 0.0) == 1.0 && polynomial(&c[0..0], 5.0) == 0.0;
    assert floor_mod(-1, 5) == 4 && floor_mod(7, 5) == 2 && floor_mod(7, -5) == -3 && floor_mod(-10, 5) == 0;
    assert ceil_div(10, 5) == 2 && ceil_div(11, 5) == 3 && ceil_div(0, 5) == 0 && ceil_div(255u8, 2) == 128;
    assert round_up(10, 8) == 16 && round_up(16, 8) == 16 && round_up(0, 8) == 0;
    assert gcd(12, 18) == 6 && gcd(-4, 6) == 2 && gcd(0, 5) == 5 && gcd(0, 0) == 0;
    assert lcm(4, 6) == 12 && lcm(0, 3) == 0 && lcm(-4, 6) == 12;
    assert ipow(3, 4) == 81 && ipow(2i64, 62) == 1i64 << 62 && ipow(7, 0) == 1 && ipow(-2, 3) == -8 && ipow(0.5, 3) == 0.125;
    assert isqrt(0) == 0 && isqrt(15) == 3 && isqrt(16) == 4 && isqrt(I64_MAX) == 3037000499 && isqrt(255u8) == 15;
    let square = 3037000499i64 * 3037000499;
    assert isqrt(square) == 3037000499 && isqrt(square - 1) == 3037000498;
    assert ilog2(1) == 0 && ilog2(7) == 2 && ilog2(8) == 3 && ilog2(I64_MAX) == 62;
    assert is_power_of_two(1) && is_power_of_two(64) && !is_power_of_two(0) && !is_power_of_two(12) && is_power_of_two(128u8);
    assert next_power_of_two(0) == 1 && next_power_of_two(1) == 1 && next_power_of_two(5) == 8 && next_power_of_two(64i64) == 64;

    var y = [0.0; 5];
    offload on_device(&out y);
    for i in 5 {
        let v = f64(i);
        let host = lerp(1.0, 3.0, v / 5.0) + smoothstep(0.0, 4.0, v) + sign(v - 2.0) + wrap(-v, 0.0, TAU)
                 + fract(-v / 8.0) + degrees(radians(v)) + f64(gcd(i * 6, 9)) + f64(ipow(2, i)) + f64(floor_mod(-i, 3));
        assert same(y[i], host), "{}: {} is not {}", i, y[i], host;
    }
    let c32 = [1.0f32, 0.5, 0.25, 0.125];
    var y32 = [0.0f32; 9];
    offload on_device32(&c32, &out y32);
    for i in 9 {
        let v = f32(i) / 4.0;
        let host = polynomial(&c32, v) + lerp(1.0, 2.0, v) + ipow(v, 3) + f32(isqrt(i)) + f32(next_power_of_two(i)) + f32(round_up(i, 4));
        assert y32[i] == host, "{}: {} is not {}", i, y32[i], host;
    }
}
""", "random": """
kernel on_device(y: &out [f64; n]) over i in n { y[i] = normal(3, i) + uniform(3, i); }

fn main() {
    // The published vectors of Philox4x32-10.
    assert _philox(0, 0, 0, 0) == 0xe169c58d6627e8d5 && _philox(0, 0, 0, 1) == 0x9b00dbd8bc57ac4c;
    let f = ~0u64;
    assert _philox(f, f, f, 0) == 0x41c83b0e408f276d && _philox(f, f, f, 1) == 0x6d5451fda20bc7c6;
    let key = 0x299f31d0a4093822u64;
    assert _philox(key, 0x0370734413198a2e, 0x85a308d3243f6a88, 0) == 0x94fdccebd16cfe09;
    assert _philox(key, 0x0370734413198a2e, 0x85a308d3243f6a88, 1) == 0x24126ea15001e420;
    assert _unit(0) == 0.0 && _unit(f) < 1.0;

    let n = 1 << 16;
    var mean = 0.0;
    var square = 0.0;
    for i in n {
        let u = uniform(1, i);
        assert u >= 0.0 && u < 1.0 && uniform32(1, i) >= 0.0 && uniform32(1, i) < 1.0;
        assert between(1, i, -2.0, 2.0) >= -2.0 && between(1, i, -2.0, 2.0) < 2.0;
        assert below(1, i, 10) >= 0 && below(1, i, 10) < 10;
        mean += normal(1, i) / f64(n);
        square += normal(1, i) * normal(1, i) / f64(n);
    }
    assert abs(mean) < 0.02 && abs(square - 1.0) < 0.02, "{} {}", mean, square;

    var y = [0.0; 1000];
    offload on_device(&out y);
    for i in 1000 { assert abs(y[i] - (normal(3, i) + uniform(3, i))) < 1e-14; }

    // Upper halves of products, by Python: (a * b) >> 64.
    assert _high(f, f) == f - 1 && _high(0x123456789abcdef0, 0xfedcba9876543210) == 0x121fa00ad77d7422;
    assert _high(1 << 32, 1 << 32) == 1 && _high(f, 1) == 0 && _high(0, f) == 0;
    // Each number below 6 as often as the others: chi squared with 5 degrees of freedom, 20.5 at 0.1 %.
    var counts = [0; 6];
    for i in n { counts[below(5, i, 6)] += 1; }
    var chi = 0.0;
    for k in 6 {
        let off = f64(counts[k]) - f64(n) / 6.0;
        chi += off * off / (f64(n) / 6.0);
    }
    assert chi < 20.5, "chi squared {}", chi;
    // Where a third of all bits is thrown away, and at both ends.
    let most = 3i64 << 61;
    var upper = 0;
    for i in 3000 {
        let v = below(6, i, most);
        assert v >= 0 && v < most && below(6, i, 1) == 0 && below(6, i, 9223372036854775807) >= 0;
        if v >= most / 2 { upper += 1; }
    }
    assert upper > 1400 && upper < 1600, "{}", upper;
    var mean32 = 0.0;
    var waiting = 0.0;
    for i in n {
        mean32 += f64(normal32(8, i)) / f64(n);
        waiting += exponential(9, i, 4.0) / f64(n);
    }
    assert abs(mean32) < 0.02 && abs(waiting - 0.25) < 0.005, "{} {}", mean32, waiting;
    let p = permutation(1, 100);
    var seen = [false; 100];
    for i in 100 { seen[p[i]] = true; }
    var all = true;
    var fixed = 0;
    for i in 100 {
        all = all && seen[i];
        if p[i] == i { fixed += 1; }
    }
    assert all && fixed < 10;
    let none = permutation(1, 0);
    assert len(none) == 0;
}
""", "mpi": """
// One process; tests/mpi starts more.
fn main() {
    init();
    assert rank() == 0 && size() == 1;
    sync();
    var m = [f32(i + j) for i in 2, j in 3];
    var row = [0.0f32; 3];
    sendrecv(&m[1, ..], 0, &out row, 0, 5);
    assert row[0] == 1.0 && row[2] == 3.0;
    broadcast(&mut m, 0);
    all_sum(&mut m);
    all_min(&mut m[0, ..]);
    all_max(&mut m[1, 1..]);
    assert m[1, 2] == 3.0 && sum(2) == 2 && least(2.5) == 2.5 && greatest(7u8) == 7;
    var all = [0.0f32; 1, 3];
    gather(&row, &mut all, 0);
    all_gather(&m[0, ..], &out all);
    scatter(&all, &out row, 0);
    assert row[0] == 0.0 && row[2] == 2.0;
}
""", "time": """
fn main() {
    let start = now();
    assert since(start) >= 0.0 && now() >= start;
    assert len(text(0.0015)) == 8 && len(text(-2.5)) == 8;
    let ns = format("[{}] [{}] [{}] [{}]", text(2.0e-9), text(1.5e-6), text(0.0125), text(90.0));
    assert len(ns) == len("[2 ns] [1.500 us] [12.500 ms] [90.000 s]"), "{}", ns;
}
""", "text": """
fn shown(parts: &[str; n]) -> str { return format("{}[{}]", n, join(&parts, "|")); }

fn main() {
    let w = words("  one two\\tthree\\n");
    assert shown(&w) == "3[one|two|three]", "{}", shown(&w);
    let none = words(" \\n ");
    assert len(none) == 0 && shown(&none) == "0[]";
    let l = lines("a\\n\\nb\\r\\nc");
    assert shown(&l) == "4[a||b|c]", "{}", shown(&l);
    let ended = lines("a\\n");
    let empty = lines("");
    assert len(ended) == 1 && len(empty) == 0;
    let p = split("x,,y,", ",");
    assert shown(&p) == "4[x||y|]", "{}", shown(&p);
    let whole = split("abc", "");
    assert shown(&whole) == "1[abc]";
    let longer = split("a::b:c", "::");
    assert shown(&longer) == "2[a|b:c]";
    assert trim(" \\t x y \\n") == "x y" && trim(" ") == "";
    assert part("hello", 1, 3) == "el" && part("hello", 5, 5) == "";
    assert find("hello", "l") == 2 && find("hello", "z") == -1 && find_from("hello", "l", 3) == 3;
    assert find_from("hello", "l", 9) == -1 && find("", "") == 0;
    assert contains("hello", "ell") && !contains("hello", "lle");
    assert starts_with("hello", "he") && starts_with("x", "") && !starts_with("hello", "ello") && !starts_with("h", "he");
    assert ends_with("hello", "lo") && !ends_with("hello", "ell") && !ends_with("o", "lo") && ends_with("o", "o");
    assert replace("a-b-c", "-", "+") == "a+b+c" && replace("aaa", "aa", "b") == "ba" && replace("x", "", "y") == "x";
    assert replace("a-b", "-", "") == "ab" && replace("a-b", "-", "<=>") == "a<=>b";
    assert upper("Ab1") == "AB1" && lower("Ab1") == "ab1";
    assert is_integer("12") && is_integer("-0x1f") && !is_integer("1.5") && !is_integer("") && !is_integer(" 1");
    assert is_integer("-9223372036854775808") && !is_integer("9223372036854775808");
    assert is_number("1e-3") && is_number("-.5") && is_number("inf") && !is_number("1e999") && !is_number("0x1p3");
    assert !is_number("-") && !is_number("x") && !is_number("");
    let n = numbers("1.5 -2\\n3e2");
    assert len(n) == 3 && n[0] + n[1] + n[2] == 299.5;
    let b = bytes("Hi!");
    assert len(b) == 3 && b[0] == 72 && b[2] == 33 && from_bytes(&b) == "Hi!" && from_bytes(&b[0..1]) == "H";
}
""", "image": """
fn near(a: f32, b: f32) -> bool { return abs(a - b) < 1.0e-6f32; }

fn main() {
    // Bytes come back as they were, from PNG and from PGM.
    let gray = [u8(37 * i + 11 * j) for i in 5, j in 7];
    write_png_u8("a.png", &gray);
    write_pgm_u8("a.pgm", &gray);
    let one = read_png_u8("a.png");
    let two = read_pgm_u8("a.pgm");
    assert shape(one, 0) == 5 && shape(one, 1) == 7 && shape(two, 0) == 5 && shape(two, 1) == 7;
    let dark = read_png("a.png");
    for i in 5 {
        for j in 7 {
            assert one[i, j] == gray[i, j] && two[i, j] == gray[i, j];
            assert dark[i, j] == f32(gray[i, j]) / 255.0;
        }
    }
    let color = [u8(50 * i + 20 * j + 7 * c) for i in 3, j in 4, c in 3];
    write_png_rgb_u8("c.png", &color);
    write_ppm_u8("c.ppm", &color);
    let c1 = read_png_rgb_u8("c.png");
    let c2 = read_ppm_u8("c.ppm");
    let opaque = read_png_rgba_u8("c.png");
    let luma = read_png("c.png");
    for i in 3 {
        for j in 4 {
            for c in 3 { assert c1[i, j, c] == color[i, j, c] && c2[i, j, c] == color[i, j, c]; }
            assert opaque[i, j, 3] == 255 && opaque[i, j, 2] == color[i, j, 2];
            let y = 0.299 * f64(color[i, j, 0]) + 0.587 * f64(color[i, j, 1]) + 0.114 * f64(color[i, j, 2]);
            assert near(luma[i, j], f32(y / 255.0));
        }
    }

    // Floats: rounded, cut off, NaN is black.
    var f = [0.5f32; 2, 3];
    f[0, 0] = -1.0;
    f[0, 1] = 2.0;
    f[0, 2] = f32("nan");
    f[1, 0] = 1.0 / 255.0;
    f[1, 1] = 1.49 / 255.0;
    write_png("f.png", &f);
    write_pgm("f.pgm", &f);
    let g = read_png_u8("f.png");
    let h = read_pgm("f.pgm");
    assert g[0, 0] == 0 && g[0, 1] == 255 && g[0, 2] == 0 && g[1, 0] == 1 && g[1, 1] == 1 && g[1, 2] == 128;
    assert h[0, 1] == 1.0 && near(h[1, 2], 128.0 / 255.0);
    let flat = [f32(i + j + c) / 6.0 for i in 2, j in 3, c in 3];
    write_ppm("p.ppm", &flat);
    write_png_rgb("p.png", &flat);
    let p = read_ppm("p.ppm");
    let q = read_png_rgb("p.png");
    for i in 2 { for j in 3 { for c in 3 { assert p[i, j, c] == q[i, j, c] && abs(p[i, j, c] - flat[i, j, c]) < 0.00197; } } }

    // Vectors, and alpha.
    let v3 = [f32x3(f32(i) / 2.0, f32(j) / 3.0, 1.0) for i in 2, j in 3];
    let v4 = [f32x4(v3[i, j], 0.25) for i in 2, j in 3];
    write_png_f32x3("v3.png", &v3);
    write_png_f32x4("v4.png", &v4);
    let w3 = read_png_rgb("v3.png");
    let w4 = read_png_rgba("v4.png");
    assert abs(w3[1, 1, 1] - 1.0 / 3.0) < 0.002 && w3[0, 0, 2] == 1.0 && shape(w4, 2) == 4;
    assert near(w4[1, 2, 3], 64.0 / 255.0) && w4[1, 2, 1] == w3[1, 2, 1];
    let a4 = [u8(i + j + 60 * c) for i in 2, j in 3, c in 4];
    write_png_rgba_u8("a4.png", &a4);
    let b4 = read_png_rgba_u8("a4.png");
    let b3 = read_png_rgb_u8("a4.png");
    let gray_rgb = read_png_rgb_u8("a.png");
    assert b4[1, 2, 3] == 183 && b3[1, 2, 2] == a4[1, 2, 2] && gray_rgb[4, 6, 0] == gray[4, 6] && gray_rgb[4, 6, 2] == gray[4, 6];
}
""", "algo": """
struct Tagged { name: i32, weight: f32 }

fn naive_sum(x: &[i64; n]) -> i64 {
    var s = 0i64;
    for i in n { s += x[i]; }
    return s;
}

// A generator of its own: what is tested here is not `random`.
fn scrambled(i: index) -> i64 { return (i * 7919 + 104729) % 10007 - 5000; }

fn check(n: index) {
    let x = [scrambled(i) for i in n];
    let f = [f64(scrambled(i)) / 8.0 for i in n];
    assert sum(&x) == naive_sum(&x), "{}: {}", n, sum(&x);

    var filled = [0u8; n];
    offload fill(&out filled, 7);
    var counted = [0.0f32; n];
    offload iota(&out counted, 1.0, 0.5);
    for i in n { assert filled[i] == 7 && counted[i] == 1.0 + 0.5 * f32(i), "{}: {}", n, i; }

    let incl = inclusive_scan(&x);
    let excl = exclusive_scan(&x, 100);
    var s = 0i64;
    for i in n {
        assert excl[i] == 100 + s, "{}: exclusive {} is {}, not {}", n, i, excl[i], 100 + s;
        s += x[i];
        assert incl[i] == s, "{}: inclusive {} is {}, not {}", n, i, incl[i], s;
    }

    var lo: index = -1;
    var hi: index = -1;
    var zeros: index = 0;
    for i in n {
        if lo < 0 || f[i] < f[lo] { lo = i; }
        if hi < 0 || f[i] > f[hi] { hi = i; }
        if x[i] == 0 { zeros += 1; }
    }
    assert argmin(&f) == lo && argmax(&f) == hi, "{}: {} {}", n, argmin(&f), argmax(&f);
    if n > 0 { assert least(&f) == f[lo] && greatest(&f) == f[hi]; }
    assert count_of(&x, 0) == zeros && contains(&x, 0) == (zeros > 0) && find(&x, 9000) == -1;

    // Sorted, stable, and still the same elements.
    var keys = [scrambled(i) % 97 for i in n];
    var at = [i for i in n];
    sort_by_key(&mut keys, &mut at);
    for i in n {
        assert keys[i] == scrambled(at[i]) % 97, "{}: key {}", n, i;
        assert i == 0 || keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && at[i - 1] < at[i]), "{}: order at {}", n, i;
    }
    var g = copy(&f);
    sort(&mut g);
    let places = order(&f);
    assert is_sorted(&g) && (n < 3 || !is_sorted(&f));
    for i in n { assert g[i] == f[places[i]]; }

    let keep = [x[i] % 3 == 0 for i in n];
    let thirds = compact(&f, &keep);
    var kept: index = 0;
    for i in n {
        if !keep[i] { continue; }
        assert thirds[kept] == f[i], "{}: kept {}", n, kept;
        kept += 1;
    }
    assert len(thirds) == kept;

    let back = reverse(&x);
    for i in n { assert back[i] == x[n - 1 - i]; }

    let parts = histogram(&x, -5000, 5000, 7);
    var expected = [0i64; 7];
    for i in n {
        if x[i] <= 5000 { expected[min(6, (x[i] + 5000) * 7 / 10000)] += 1; }
    }
    for b in 7 { assert parts[b] == expected[b], "{}: part {}: {} {}", n, b, parts[b], expected[b]; }
}

fn main() {
    for n in 0..70 { check(n); }
    for k in 7..18 {
        check((1 << k) - 1);
        check(1 << k);
        check((1 << k) + 1);
    }
    check(1000000);

    let none = [0.0f32; 0];
    assert sum(&none) == 0 && product(&none) == 1 && argmin(&none) == -1 && argmax(&none) == -1;
    assert least(&none) > 1.0e38 && greatest(&none) < -1.0e38 && is_sorted(&none);
    let no_ints = [0i32; 0];
    assert least(&no_ints) == 2147483647;

    // NaN comes last.
    let nan = 0.0 / 0.0;
    var some = [3.0, nan, -1.0, nan, 2.0];
    sort(&mut some);
    assert some[0] == -1.0 && some[1] == 2.0 && some[2] == 3.0 && some[3] != some[3] && some[4] != some[4];

    // Values of any type travel with their keys.
    var weights = [f32((i * 37) % 100) for i in 100];
    var things = [Tagged(name: i32(i), weight: weights[i]) for i in 100];
    sort_by_key(&mut weights, &mut things);
    for i in 100 { assert weights[i] == f32(i) && things[i].weight == f32(i) && (things[i].name * 37) % 100 == i32(i); }

    let m = [f32(10 * i + j) for i in 3, j in 5];
    let t = transpose(&m);
    assert shape(t, 0) == 5 && shape(t, 1) == 3;
    for i in 3 {
        for j in 5 { assert t[j, i] == m[i, j]; }
    }

    var counts = [0i64; 4];
    let marks = [u8(i % 3) for i in 10];
    offload tally(&marks, &mut counts);
    assert counts[0] == 4 && counts[1] == 3 && counts[2] == 3 && counts[3] == 0;
    let few = [2, 3, 4];
    assert product(&few) == 24 && dot(&few, &few) == 29;
}
""", "npy": """
fn main() {
    let a = [f64(i) / 3.0 for i in 5];
    write_1d("a.npy", &a);
    let b = read_f64_1d("a.npy");
    assert rank("a.npy") == 1 && extent("a.npy", 0) == 5 && len(b) == 5;
    for i in 5 { assert a[i] == b[i]; }
    let c = [i16(100 * i - 7 * j) for i in 3, j in 4];
    write_2d("c.npy", &c);
    let d = read_2d("c.npy", 0i16);
    assert rank("c.npy") == 2 && extent("c.npy", 1) == 4;
    for i in 3 { for j in 4 { assert c[i, j] == d[i, j]; } }
    let e = [u8(i + 2 * j + 3 * k) for i in 2, j in 3, k in 4];
    write_3d("e.npy", &e);
    let f = read_u8_3d("e.npy");
    assert f[1, 2, 3] == e[1, 2, 3] && len(f) == 24;
    let g = [f32(i + 2 * j + 3 * k + 4 * l) for i in 2, j in 3, k in 2, l in 2];
    write_4d("g.npy", &g);
    let h = read_f32_4d("g.npy");
    assert h[1, 2, 1, 1] == g[1, 2, 1, 1] && h[0, 1, 0, 1] == 6.0 && shape(h, 1) == 3;
    let none = [0i64; 0, 7];
    write_2d("none.npy", &none);
    let empty = read_i64_2d("none.npy");
    assert shape(empty, 0) == 0 && shape(empty, 1) == 7;
    let half = [f16(i) for i in 3];
    write_1d("half.npy", &half);
    let back = read_1d("half.npy", f16(0.0));
    assert back[2] == f16(2.0);
    assert _element(0i8) == "|i1" && _element(0u8) == "|u1" && _element(0i16) == "<i2" && _element(0u16) == "<u2";
    assert _element(0i32) == "<i4" && _element(0u32) == "<u4" && _element(0i64) == "<i8" && _element(0u64) == "<u8";
    assert _element(0index) == "<i8" && _element(0.0f32) == "<f4" && _element(0.0) == "<f8";
}
"""}


def main():
    for path in sorted((ROOT / "stdlib").glob("*.kdsl")):
        assert path.stem in MAINS, f"{path.name} has no test"
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / path.name
            source.write_text(path.read_text() + MAINS[path.stem])
            for level in parts.first(("-O2", "-O0")):
                done = subprocess.run([KDSLC, "run", level, source], capture_output=True, text=True,
                                      timeout=300,
                                      cwd=folder, env=dict(os.environ, KMP_BLOCKTIME="0"))
                # what this `main` does not use, and where it shows that integers wrap
                unexpected = set(re.findall(r"(?:warning|error)\[(\w+)\]", done.stderr)) - {"W0406", "W0408"}
                if done.returncode or done.stdout or unexpected or "run-time" in done.stderr:
                    sys.exit(f"{path.name} at {level}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
