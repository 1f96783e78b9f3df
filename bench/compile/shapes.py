"""One kernel of each shape, in a program with one launch, to see which shape costs how much compile time. Beside saxpy,
whose host code is as short, the difference is the kernel's."""

ONE = "let x = [f32(i) for i in 1000];\n    var y = [0.0f32; 1000];"
TWO = "let x = [f32(i + j) for i in 100, j in 100];\n    var y = [0.0f32; 100, 100];"
WORDS = "let x = [i32(i) for i in 1000];\n    var y = [0; 1000];"

# name: (what stands before main, arrays of main, the launch)
SHAPES = {
    "map 1-d": ("""kernel k(x: &[f32; n], y: &mut [f32; n]) over i in n { y[i] = 2.0 * x[i] + 1.0; }""",
                ONE, "offload k(&x, &mut y);"),
    "map 2-d": ("""kernel k(x: &[f32; n, m], y: &mut [f32; n, m]) over i in n, j in m { y[i, j] = 2.0 * x[i, j]; }""",
                TWO, "offload k(&x, &mut y);"),
    "map of bytes": ("""kernel k(x: &[u8; n], y: &mut [u8; n]) over i in n { y[i] = (x[i] >> 1) + 3; }""",
                     "let x = [u8(i % 256) for i in 1000];\n    var y = [0u8; 1000];", "offload k(&x, &mut y);"),
    "stencil 3-d": ("""kernel k(x: &[f32; n, n, n], y: &mut [f32; n, n, n]) over i in 1..n-1, j in 1..n-1, k in 1..n-1 {
    y[i, j, k] = x[i - 1, j, k] + x[i + 1, j, k] + x[i, j - 1, k] + x[i, j + 1, k] + x[i, j, k - 1] + x[i, j, k + 1];
}""", "let x = [1.0f32; 9, 9, 9];\n    var y = [0.0f32; 9, 9, 9];", "offload k(&x, &mut y);"),
    "edges clamped": ("""kernel k(x: &[f32; n, m], y: &mut [f32; n, m]) over i in n, j in m {
    y[i, j] = x[i, j] + x[i, max(j - 1, 0)] + x[i, min(j + 1, m - 1)];
}""", TWO, "offload k(&x, &mut y);"),
    "transpose": ("""kernel k(x: &[f32; n, m], y: &mut [f32; m, n]) over i in n, j in m { y[j, i] = x[i, j]; }""",
                  TWO, "offload k(&x, &mut y);"),
    "matrix product": ("""kernel k(x: &[f32; n, n], y: &mut [f32; n, n]) over i in n, j in n {
    var sum = 0.0f32;
    for l in n { sum += x[i, l] * x[l, j]; }
    y[i, j] = sum;
}""", TWO, "offload k(&x, &mut y);"),
    "reduction": ("""kernel k(x: &[f32; n]) over i in n -> sum f32 { return x[i] * x[i]; }""",
                  ONE, "y[1] = offload k(&x);"),
    "group, barriers": ("""kernel k(x: &[f32; n], y: &mut [f32; n]) over i in n by 64 {
    shared a: [f32; 64];
    a[i.local] = x.at(i);
    barrier;
    if inside { y[i] = a[63 - i.local]; }
}""", ONE, "offload k(&x, &mut y);"),
    "group, rounds": ("""kernel k(x: &[i32; n], y: &mut [i32; n]) over i in n by 256 {
    shared a: [i32; 256];
    a[i.local] = x.at(i);
    barrier;
    var half = 128;
    while half > 0 {
        if i.local < half { a[i.local] += a[i.local + half]; }
        barrier;
        half /= 2;
    }
    if inside { y[i] = a[0]; }
}""", WORDS, "offload k(&x, &mut y);"),
    "tiles 2-d": ("""kernel k(x: &[f32; n, m], y: &mut [f32; n, m]) over i in n by 16, j in m by 16 {
    shared a: [f32; 16, 16];
    a[i.local, j.local] = x.at(i, j);
    barrier;
    if inside { y[i, j] = a[j.local, i.local]; }
}""", TWO, "offload k(&x, &mut y);"),
    "atomic histogram": ("""kernel k(x: &[i32; n], y: &mut [i32; m]) over i in n { atomic y[x[i] % 16] += 1; }""",
                         WORDS, "offload k(&x, &mut y);"),
    "divergent branch": ("""kernel k(x: &[f32; n], y: &mut [f32; n]) over i in n {
    if x[i] > 1.0 { y[i] = sqrt(x[i]); } else { y[i] -= x[i]; }
}""", ONE, "offload k(&x, &mut y);"),
    "divergent loop": ("""kernel k(x: &[i32; n], y: &mut [i32; n]) over i in n {
    var v = x[i];
    var steps = 0;
    while v > 1 && steps < 1000 {
        v = if v % 2 == 0 { v / 2 } else { 3 * v + 1 };
        steps += 1;
    }
    y[i] = steps;
}""", WORDS, "offload k(&x, &mut y);"),
    "gather": ("""kernel k(x: &[i32; n], y: &mut [i32; n]) over i in n { y[i] = x[x[i]]; }""",
               WORDS, "offload k(&x, &mut y);"),
    "private array": ("""kernel k(x: &[f32; n], y: &mut [f32; n]) over i in n {
    var a = [x[i]; 8];
    for r in 1..8 { a[r] = a[r - 1] * 0.5 + f32(r); }
    var best = 0;
    for r in 1..8 { if a[r] > a[best] { best = i32(r); } }
    y[i] = a[best];
}""", ONE, "offload k(&x, &mut y);"),
    "structs": ("""struct Body { at: f32x4, mass: f32, kind: i32 }
kernel k(x: &[f32; n], y: &mut [Body; n]) over i in n {
    y[i].mass += x[i];
    y[i].at += y[i].mass * f32x4(1.0, 2.0, 3.0, 4.0);
}""", "let x = [1.0f32; 100];\n    var y = [Body(at: f32x4(0.0), mass: 1.0, kind: 0); 100];", "offload k(&x, &mut y);"),
    "functions": ("""fn f(a: f32, b: f32) -> f32 { if a > b { return a - b; } return a * b; }
fn g(a: f32) -> f32 { return f(a, 1.0) + f(a, 2.0); }
kernel k(x: &[f32; n], y: &mut [f32; n]) over i in n { y[i] = g(x[i]) + f(x[i], 3.0); }""",
                  ONE, "offload k(&x, &mut y);"),
    "mathematics": ("""kernel k(x: &[f32; n], y: &mut [f32; n]) over i in n { y[i] = sin(x[i]) + exp(-x[i]); }""",
                    ONE, "offload k(&x, &mut y);"),
    "prints": ("""kernel k(x: &[f32; n]) over i in n { if x[i] > 998.0 { print("{} {}", i, x[i]); } }""",
               ONE, "offload k(&x);"),
}


def program(name):
    """of the shape, as text; it prints an element of y"""
    kernel, arrays, launch = SHAPES[name]
    shown = "y[0].mass" if "Body" in arrays else "len(y)"
    return f"{kernel}\n\nfn main() {{\n    {arrays}\n    {launch}\n    print(\"{{}}\", {shown});\n}}\n"
