"""Families of programs that grow: FAMILIES maps a name to a Family, whose `make(n)` is a program of size n.

What the compiler spends on a family may grow with the program and no faster: test_scaling.py compiles it at two sizes."""
import os
import resource
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

CHECK = ["check"]
OBJECT = ["-c", "--offload-arch=host"]
GPUS = ["--emit=device-asm"]


@dataclass
class Family:
    make: object            # n -> text
    n: int                  # the smallest size
    how: list = field(default_factory=lambda: CHECK)


FAMILIES = {}


def family(n, *hows):
    def note(make):
        for how in hows or (CHECK,):
            suffix = {"check": "", "-c": "-object"}.get(how[0], "-" + how[-1].split("=")[-1])
            FAMILIES[make.__name__.replace("_", "-") + suffix] = Family(make, n, how)
        return make
    return note


def lines(n, each):
    return "\n".join(each(i) for i in range(n))


HOST = "fn main() {{\n    var x = [f32(i) for i in 8];\n{}\n    print(\"{{}}\", x[1]);\n}}\n"
DOUBLE = "kernel double(x: &mut [f32; n]) over i in n { x[i] = x[i] * 2.0; }\n"
EMPTY = DOUBLE + HOST.format("    offload double(&mut x);")
NVIDIA = [*GPUS, "--offload-arch=sm_90"]
AMD = [*GPUS, "--offload-arch=gfx90a"]


# Calls -------------------------------------------------------------------------------------------------------------

@family(10, OBJECT, NVIDIA, AMD)
def kernel_call_tree(n):
    """Each function calls the next one twice: 2^n calls, written out."""
    return ("fn g0(x: f32) -> f32 { return x * 0.5 + 1.0; }\n" +
            lines(n, lambda i: f"fn g{i + 1}(x: f32) -> f32 {{ return g{i}(x) + g{i}(x * 2.0); }}") +
            f"\nkernel k(x: &mut [f32; n]) over i in n {{ x[i] = g{n}(x[i]); }}\n" + HOST.format("    offload k(&mut x);"))


@family(8, CHECK, OBJECT)
def kernel_array_call_tree(n):
    return ("fn g0(x: &[f32; n], i: index) -> f32 { return x[i] * 0.5 + 1.0; }\n" +
            lines(n, lambda i: f"fn g{i + 1}(x: &[f32; n], i: index) -> f32 {{ return g{i}(&x, i) + g{i}(&x, i); }}") +
            f"\nkernel k(x: &[f32; n], y: &mut [f32; n]) over i in n {{ y[i] = g{n}(&x, i); }}\n" +
            HOST.format("    let y = copy(&x);\n    offload k(&y, &mut x);"))


@family(50, CHECK, OBJECT)
def kernel_call_chain(n):
    return ("fn g0(x: &[f32; n], i: index) -> f32 { return x[i] * 0.5 + 1.0; }\n" +
            lines(n, lambda i: f"fn g{i + 1}(x: &[f32; n], i: index) -> f32 {{ return g{i}(&x, i) * 0.5; }}") +
            f"\nkernel k(x: &[f32; n], y: &mut [f32; n]) over i in n {{ y[i] = g{n}(&x, i); }}\n" +
            HOST.format("    let y = copy(&x);\n    offload k(&y, &mut x);"))


@family(12, OBJECT)
def kernels_share_a_function(n):
    """Each of n kernels has a copy of it."""
    body = lines(30, lambda i: f"    s = s * 0.5 + {i}.0;")
    return (f"fn f(x: f32) -> f32 {{\n    var s = x;\n{body}\n    return s;\n}}\n" +
            lines(n, lambda i: f"kernel k{i}(x: &mut [f32; n]) over i in n {{ x[i] = f(x[i]); }}") + "\n" +
            HOST.format(lines(n, lambda i: f"    offload k{i}(&mut x);")))


@family(12, OBJECT)
def kernel_many_calls(n):
    """One function, called n times by one kernel."""
    body = lines(12, lambda i: f"    s = s * 0.5 + {i}.0;")
    return (f"fn f(x: f32) -> f32 {{\n    var s = x;\n{body}\n    return s;\n}}\nkernel k(x: &mut [f32; n]) over i in n {{\n" +
            lines(n, lambda i: f"    x[i] = f(x[i]);") + "\n}\n" + HOST.format("    offload k(&mut x);"))


@family(300)
def host_ring(n):
    return (DOUBLE + lines(n, lambda i: f"fn g{i}(x: &mut [f32; n], d: i32) {{\n    if d > 0 {{ g{(i + 1) % n}(&mut x, d - 1); }}\n    x[0] = 1.0;\n}}") +
            "\n" + HOST.format("    g0(&mut x, 3);\n    offload double(&mut x);"))


@family(300)
def host_ring_backward(n):
    return (DOUBLE + lines(n, lambda i: f"fn g{i}(x: &mut [f32; n], d: i32) {{\n    if d > 0 {{ g{(i - 1) % n}(&mut x, d - 1); }}\n    x[0] = 1.0;\n}}") +
            "\n" + HOST.format("    g0(&mut x, 3);\n    offload double(&mut x);"))


@family(300)
def host_ring_launching(n):
    return (DOUBLE + lines(n, lambda i: f"fn g{i}(x: &mut [f32; n], d: i32) {{\n    if d > 0 {{ g{(i * 7 + 1) % n}(&mut x, d - 1); }}\n" +
                           ("    offload double(&mut x);\n" if i == n // 2 else "") + "    x[0] = 1.0;\n}") +
            "\n" + HOST.format("    g0(&mut x, 3);\n    offload double(&mut x);"))


@family(300)
def host_ring_both_ways(n):
    return (DOUBLE + lines(n, lambda i: f"fn g{i}(x: &mut [f32; n], d: i32) {{\n    if d > 0 {{ g{(i + 1) % n}(&mut x, d - 1); g{(i * 5 + 3) % n}(&mut x, d - 2); }}\n    x[0] = 1.0;\n}}") +
            "\n" + HOST.format("    g0(&mut x, 3);\n    offload double(&mut x);"))


@family(300, CHECK, OBJECT)
def host_chain(n):
    return (DOUBLE + "fn g0(x: &mut [f32; n]) { offload double(&mut x); }\n" +
            lines(n, lambda i: f"fn g{i + 1}(x: &mut [f32; n]) {{ g{i}(&mut x); x[0] = 1.0; }}") +
            "\n" + HOST.format(f"    g{n}(&mut x);"))


@family(300)
def host_chain_backward(n):
    return (DOUBLE + lines(n, lambda i: f"fn g{i}(x: &mut [f32; n]) {{ g{i + 1}(&mut x); x[0] = 1.0; }}") +
            f"\nfn g{n}(x: &mut [f32; n]) {{ offload double(&mut x); }}\n" + HOST.format("    g0(&mut x);"))


@family(60)
def host_chain_of_many_arrays(n):
    """Arrays are handed round, one place further with each call."""
    names = [f"a{i}" for i in range(16)]
    params = ", ".join(f"{a}: &mut [f32; n]" for a in names)
    turned = ", ".join(f"&mut {a}" for a in names[1:] + names[:1])
    return (DOUBLE + lines(n, lambda i: f"fn g{i}({params}, d: i32) {{ if d > 0 {{ g{(i + 1) % n}({turned}, d - 1); }} a0[0] = 1.0; }}") +
            "\nfn main() {\n" + lines(16, lambda i: f"    var a{i} = [0.0f32; 8];") +
            f"\n    g0({', '.join('&mut ' + a for a in names)}, 2);\n    offload double(&mut a0);\n}}\n")


@family(300)
def extents_through_calls(n):
    """Replaced arrays: which parameters may come back with other extents goes from callee to caller."""
    return ("fn g0(x: &mut [f32; n]) { x = [1.0f32; 3]; }\n" +
            lines(n, lambda i: f"fn g{i + 1}(x: &mut [f32; n]) {{ g{i}(&mut x); }}") + "\n" + HOST.format(f"    g{n}(&mut x);"))


# Launches ----------------------------------------------------------------------------------------------------------

@family(100, CHECK, OBJECT)
def launches(n):
    return DOUBLE + HOST.format(lines(n, lambda i: "    offload double(&mut x);"))


@family(30, CHECK)
def launches_with_arrays(n):
    return (DOUBLE + "fn main() {\n" + lines(n, lambda i: f"    var x{i} = [f32(i) for i in 8];") + "\n" +
            lines(n, lambda i: f"    offload double(&mut x{i});") + "\n" +
            lines(n, lambda i: f"    print(\"{{}}\", x{i}[1]);") + "\n}\n")


@family(30, CHECK)
def launches_with_arrays_in_loops(n):
    return (DOUBLE + "fn main() {\n" + lines(n, lambda i: f"    var x{i} = [f32(i) for i in 8];") + "\n" +
            lines(n, lambda i: f"    for t in 3 {{ offload double(&mut x{i}); if x{i}[0] > 3.0 {{ offload double(&mut x{(i * 7) % n}); }} }}") + "\n}\n")


@family(60, CHECK)
def swaps(n):
    return (DOUBLE + "fn main() {\n    var x = [0.0f32; 8];\n    var y = [0.0f32; 8];\n    for t in 3 {\n" +
            lines(n, lambda i: "    offload double(&mut x);\n    swap(&mut x, &mut y);\n    if x[0] > 1.0 { y[1] = 2.0; }") + "\n    }\n}\n")


@family(30, CHECK)
def swaps_of_many(n):
    return (DOUBLE + "fn main() {\n" + lines(n, lambda i: f"    var x{i} = [f32(i) for i in 8];") + "\n    for t in 3 {\n" +
            lines(n - 1, lambda i: f"    swap(&mut x{i}, &mut x{i + 1});") + "\n    offload double(&mut x0);\n    }\n" +
            f"    print(\"{{}}\", x{n - 1}[0]);\n}}\n")


@family(20, CHECK)
def loops_around_launches(n):
    """n loops inside each other, up to the limit of nesting."""
    depth = min(n, 150)
    return DOUBLE + HOST.format("".join(f"for t{i} in 2 {{ x[{i % 8}] = 1.0; "
                                        for i in range(depth)) + "offload double(&mut x);" +
                                "".join(f" if x[0] > 1.0 {{ break; }} }}" for i in range(depth)))


@family(60, CHECK)
def loops_one_after_another(n):
    return DOUBLE + HOST.format(lines(n, lambda i: f"    for t in 3 {{ x[t] += 1.0; if x[0] > 4.0 {{ continue; }} offload double(&mut x); }}"))


@family(30, CHECK)
def resident_blocks(n):
    return DOUBLE + HOST.format(lines(n, lambda i: "    offload resident { for t in 3 { offload double(&mut x); } }"))


@family(30, CHECK)
def resident_arrays(n):
    return (DOUBLE + "fn main() {\n" + lines(n, lambda i: f"    var x{i} = [f32(i) for i in 8];") + "\n    offload resident {\n" +
            lines(n, lambda i: f"    for t in 3 {{ offload double(&mut x{i}); }}") + "\n    }\n}\n")


@family(30, CHECK, OBJECT)
def kernel_with_arrays(n):
    return ("kernel k(" + ", ".join(f"x{i}: &mut [f32; n]" for i in range(n)) + ") over i in n {\n" +
            lines(n, lambda i: f"    x{i}[i] = x{(i * 7 + 1) % n}[i] + 1.0;") + "\n}\nfn main() {\n" +
            lines(n, lambda i: f"    var x{i} = [f32(i) for i in 8];") +
            "\n    offload k(" + ", ".join(f"&mut x{i}" for i in range(n)) + ");\n}\n")


# Long and deep -----------------------------------------------------------------------------------------------------

@family(500, CHECK, OBJECT)
def host_statements(n):
    return HOST.format(lines(n, lambda i: f"    x[{i % 8}] = x[{i * 3 % 8}] * 0.5 + {i}.0;"))


@family(300, CHECK, OBJECT)
def host_variables(n):
    return HOST.format(lines(n, lambda i: f"    let v{i} = x[{i % 8}] + {'1.0' if i == 0 else f'v{i - 1}'};") + f"\n    x[1] = v{n - 1};")


@family(100, CHECK, OBJECT)
def host_branches(n):
    return HOST.format("    var s = 0;\n" + lines(n, lambda i: f"    if x[{i % 8}] > {i}.0 {{ s += {i}; }} else {{ s -= 1; }}") +
                       "\n    print(\"{}\", s);")


@family(40, CHECK, OBJECT)
def host_else_if(n):
    return HOST.format("    var s = 0;\n    if x[0] > 1.0 { s = 1; }" +
                       "".join(f"\n    else if x[0] > {i}.5 {{ s = {i}; }}"
                               for i in range(min(n, 160))) + "\n    print(\"{}\", s);")


@family(20, OBJECT)
def host_called_once(n):
    """Functions of some loops each, called from one place: LLVM would inline all of them there."""
    one = lambda i: (f"fn part{i}(n: index) -> f32 {{\n    let a = [f32(k) * {i}.5 for k in n];\n"
                     f"    var b = [a[k] + 1.0 for k in n];\n    for k in 0..n {{ b[k] *= a[n - 1 - k]; }}\n"
                     f"    var sum = 0.0f32;\n    for k in 0..n {{ if b[k] > {i}.0 {{ sum += b[k]; }} else {{ sum -= 1.0; }} }}\n"
                     "    return sum;\n}")
    body = lines(n, lambda i: f"    s += part{i}(index(s) % 7 + {i});")
    return lines(n, one) + "\nfn main() {\n    var s = 1.0f32;\n" + body + "\n    print(\"{}\", s);\n}\n"


@family(60, CHECK, OBJECT)
def host_loops(n):
    return HOST.format(lines(n, lambda i: f"    for i in 0..{i % 8} {{ x[i] += 1.0; while x[i] > 8.0 {{ x[i] -= 3.0; }} }}"))


@family(100, CHECK, OBJECT)
def host_checks(n):
    return ("fn f(x: &mut [f32; n], k: index) {\n" + lines(n, lambda i: f"    x[k + {i}] = x[k] / 2.0;") + "\n}\n" +
            HOST.format("    f(&mut x, 0);"))


@family(60, CHECK, OBJECT)
def host_prints(n):
    return HOST.format(lines(n, lambda i: f"    print(\"{{}} {i} {{:.3}} {{}}\", {i}, x[1], len(x));"))


@family(60, CHECK, OBJECT)
def host_asserts(n):
    return HOST.format(lines(n, lambda i: f"    assert x[{i % 8}] < {i}.0 + 100.0, \"{{}} {{}}\", x[0], {i};"))


@family(300, CHECK, OBJECT)
def long_sum(n):
    return HOST.format("    x[0] = 0.0" + "".join(f" + x[{i % 8}] * {i}.0" for i in range(min(n, 190))) + ";")


@family(1500, CHECK, OBJECT)
def wide_literal(n):
    return HOST.format("    let w = [" + ", ".join(f"{i}.5f32" for i in range(n)) + "];\n    x[1] = w[3];")


@family(1500, CHECK)
def wide_literal_computed(n):
    return HOST.format("    let w = [" + ", ".join(f"x[{i % 8}]" for i in range(n)) + "];\n    x[1] = w[3];")


@family(12, CHECK)
def comprehensions(n):
    return HOST.format(lines(n, lambda i: f"    let c{i} = [x[a] + f32(b) for a in 4, b in 5];\n    x[1] = c{i}[1, 1];"))


@family(12, CHECK, OBJECT)
def nested_ifs_in_expression(n):
    e = "x[0]"
    for i in range(n):
        e = f"(if x[{i % 8}] > {i}.0 {{ {e} }} else {{ {i}.0 }})"
    return HOST.format(f"    x[1] = {e};")


@family(60, CHECK)
def nested_parentheses(n):
    n = min(n, 180)
    return HOST.format("    x[0] = " + "(" * n + "x[0]" + " + 1.0)" * n + ";")


@family(12, CHECK, OBJECT)
def nested_blocks(n):
    n = min(n, 180)
    return HOST.format("".join(f"{{ let a = x[{i % 8}]; x[{(i + 1) % 8}] = a; " for i in range(n)) + "}" * n)


@family(2000)
def text_literal(n):
    return HOST.format("    print(\"" + "text " * n + "\");")


@family(200)
def texts_added(n):
    return HOST.format("    let t = \"a\"" + " ;\n" + lines(n, lambda i: f"    let t{i} = format(\"{{}} {i}\", t);"))


# Many --------------------------------------------------------------------------------------------------------------

@family(1, OBJECT)
def constant_nest(n):
    """Six loops in each other, of n iterations: LLVM would write out n^3 and more of them, whose branches fold one after
    another in quadratic time."""
    inside = " && ".join(f"{at} >= 0 && {at} < 3" for at in "uvw")
    return ("fn main() {\n    var out = [0; 27];\n" +
            f"    for i in {n} {{ for j in {n} {{ for k in {n} {{\n        var n = 0;\n        var near = [-1; 27];\n" +
            "".join(f"        for {at} in -1..{n - 1} {{\n" for at in "abc") +
            "            let u = i + a;\n            let v = j + b;\n            let w = k + c;\n" +
            f"            if {inside} {{ near[n] = i32(u * 9 + v * 3 + w); n += 1; }}\n" + "        }\n" * 3 +
            "        out[(i * 9 + j * 3 + k) % 27] = near[3];\n    } } }\n    print(\"{}\", out[13]);\n}\n")


@family(300, CHECK, OBJECT)
def functions(n):
    return lines(n, lambda i: f"fn g{i}(a: i32, b: i32) -> i32 {{ if a > b {{ return a * {i}; }} return b + {i}; }}") + "\n" + \
        HOST.format(lines(n, lambda i: f"    print(\"{{}}\", g{i}({i}, 3));"))


@family(10, CHECK, OBJECT)
def kernels(n):
    return (lines(n, lambda i: f"kernel k{i}(x: &mut [f32; n]) over i in n {{ x[i] = x[i] * {i}.0 + 1.0; }}") + "\n" +
            HOST.format(lines(n, lambda i: f"    offload k{i}(&mut x);")))


@family(300)
def constants(n):
    return "const C0 = 1;\n" + lines(n, lambda i: f"const C{i + 1} = C{i} + 1;") + "\n" + HOST.format(f"    print(\"{{}}\", C{n});")


@family(300)
def constants_backward(n):
    n = min(n, 150)
    return lines(n, lambda i: f"const C{i} = C{i + 1} + 1;") + f"\nconst C{n} = 1;\n" + HOST.format("    print(\"{}\", C0);")


@family(12)
def constants_doubling(n):
    return "const C0 = 1.0;\n" + lines(n, lambda i: f"const C{i + 1} = (C{i} + C{i}) / 2.0;") + "\n" + HOST.format(f"    print(\"{{}}\", C{n});")


@family(100, CHECK, OBJECT)
def structs(n):
    return (lines(n, lambda i: f"struct S{i} {{ a: f32, b: i32, c: f64 }}") + "\n" +
            HOST.format(lines(n, lambda i: f"    let s{i} = S{i}(a: 1.0, b: {i}, c: 2.0);\n    print(\"{{}}\", s{i}.b);")))


@family(50, CHECK, OBJECT)
def struct_fields(n):
    n = min(n, 250)
    return ("struct S { " + ", ".join(f"f{i}: f32" for i in range(n)) + " }\n" +
            HOST.format("    var s = S(" + ", ".join(f"f{i}: {i}.0" for i in range(n)) + ");\n" +
                        lines(n, lambda i: f"    s.f{i} += 1.0;") + "\n    x[1] = s.f0;"))


@family(8, CHECK)
def struct_nesting(n):
    return ("struct S0 { a: f32 }\n" + lines(min(n, 31), lambda i: f"struct S{i + 1} {{ a: S{i}, b: f32 }}") + "\n" +
            HOST.format("    print(\"{}\", x[0]);"))


@family(30)
def struct_of_arrays(n):
    return ("struct G { " + ", ".join(f"a{i}: [f32; _]" for i in range(n)) + " }\n" + DOUBLE +
            "fn touch(g: &mut G) {\n" + lines(n, lambda i: f"    g.a{i}[0] = 1.0;") + "\n}\nfn main() {\n    var g = G(" +
            ", ".join(f"a{i}: [0.0f32; 4]" for i in range(n)) + ");\n    touch(&mut g);\n" +
            lines(n, lambda i: f"    offload double(&mut g.a{i});") + "\n}\n")


@family(60, CHECK, OBJECT)
def generic_instances(n):
    return ("fn f<T>(x: T) -> T { return x; }\n" + lines(n, lambda i: f"struct S{i} {{ a: i32 }}") + "\n" +
            HOST.format(lines(n, lambda i: f"    print(\"{{}}\", f(S{i}(a: {i})).a);")))


@family(8)
def generic_tree(n):
    """Instances of instances."""
    n = min(n, 30)
    return ("fn g0<T>(x: T, y: T) -> T { return x + y; }\n" +
            lines(n, lambda i: f"fn g{i + 1}<T>(x: T, y: T) -> T {{ return g{i}(x, y) + g{i}(y, x); }}") + "\n" +
            HOST.format(f"    print(\"{{}} {{}} {{}}\", g{n}(1, 2), g{n}(1.0, 2.0), g{n}(x[0], x[1]));"))


@family(2)
def generic_pairs(n):
    return ("struct Pair<A, B> { a: A, b: B }\n" + HOST.format(
        "    let p0 = Pair(a: 1u8, b: 2u8);\n" + lines(min(n, 9), lambda i: f"    let p{i + 1} = Pair(a: p{i}, b: p{i});")))


@family(200)
def parameters(n):
    return ("fn f(" + ", ".join(f"a{i}: f32" for i in range(n)) + ") -> f32 { return " + f"a0 + a{n - 1}; }}\n" +
            HOST.format("    x[0] = f(" + ", ".join(f"{i}.0" for i in range(n)) + ");"))


@family(60)
def sizes(n):
    return ("fn f(" + ", ".join(f"a{i}: &[f32; n{i}]" for i in range(n)) + ") -> f32 { return a0[0]; }\n" +
            "fn main() {\n" + lines(n, lambda i: f"    let a{i} = [0.0f32; {i + 1}];") + "\n    print(\"{}\", f(" +
            ", ".join(f"&a{i}" for i in range(n)) + "));\n}\n")


@family(60)
def sizes_agreeing(n):
    return ("fn f(" + ", ".join(f"a{i}: &[f32; n]" for i in range(n)) + ") -> f32 { return a0[0]; }\n" +
            "fn main() {\n" + lines(n, lambda i: f"    let a{i} = [0.0f32; 5];") + "\n    print(\"{}\", f(" +
            ", ".join(f"&a{i}" for i in range(n)) + "));\n}\n")


@family(150)
def tests(n):
    return lines(n, lambda i: f"test \"t{i}\" {{ assert {i} == {i}; }}") + "\nfn main() {}\n"


@family(150)
def unused(n):
    return HOST.format(lines(n, lambda i: f"    let u{i} = {i};"))


@family(300)
def hidden_names(n):
    n = min(n, 180)
    return HOST.format("".join("{ let a = 1; " for i in range(n)) + "}" * n)


# Kernels -----------------------------------------------------------------------------------------------------------

@family(40, CHECK, OBJECT)
def kernel_statements(n):
    return "kernel k(x: &mut [f32; n]) over i in n {\n" + lines(n, lambda i: f"    x[i] = x[i] * 0.5 + {i}.0;") + "\n}\n" + \
        HOST.format("    offload k(&mut x);")


@family(40, CHECK, OBJECT)
def kernel_variables(n):
    return ("kernel k(x: &mut [f32; n]) over i in n {\n    let v0 = x[i];\n" +
            lines(n, lambda i: f"    let v{i + 1} = v{i} * 0.5 + v{i // 2};") + f"\n    x[i] = v{n};\n}}\n" + HOST.format("    offload k(&mut x);"))


@family(20, CHECK, OBJECT, NVIDIA, AMD)
def kernel_branches(n):
    return ("kernel k(x: &mut [f32; n]) over i in n {\n" +
            lines(n, lambda i: f"    if x[i] > {i}.0 {{ x[i] = x[i] * 0.5; }} else {{ x[i] += {i}.5; }}") + "\n}\n" +
            HOST.format("    offload k(&mut x);"))


@family(12, CHECK, OBJECT)
def kernel_returns(n):
    return ("kernel k(x: &mut [f32; n]) over i in n {\n" +
            lines(n, lambda i: f"    if x[i] == {i}.0 {{ return; }}\n    x[i] += {i}.5;") + "\n}\n" + HOST.format("    offload k(&mut x);"))


@family(8, CHECK, OBJECT, NVIDIA, AMD)
def kernel_loops(n):
    return ("kernel k(x: &mut [f32; n]) over i in n {\n    var s = 0.0f32;\n" +
            lines(n, lambda i: f"    for t in 0..i {{ s += x[i] * {i}.0; }}") + "\n    x[i] = s;\n}\n" + HOST.format("    offload k(&mut x);"))


@family(8, CHECK, OBJECT)
def kernel_divergent_loops(n):
    return ("kernel k(x: &mut [f32; n]) over i in n {\n    var s = x[i];\n" +
            lines(n, lambda i: f"    while s > {i}.0 {{ s = s * 0.5 - 1.0; if s < -1.0 {{ break; }} }}") + "\n    x[i] = s;\n}\n" +
            HOST.format("    offload k(&mut x);"))


@family(3, CHECK, OBJECT)
def kernel_nested_loops(n):
    return ("kernel k(x: &mut [f32; n]) over i in n {\n    var s = 0.0f32;\n" +
            "".join(f"for t{i} in 0..i {{ s = s * 0.5 + 1.0; " for i in range(n)) + "s += 1.0;" + "}" * n + "\n    x[i] = s;\n}\n" +
            HOST.format("    offload k(&mut x);"))


@family(3, CHECK, OBJECT)
def kernel_nested_ifs(n):
    return ("kernel k(x: &mut [f32; n]) over i in n {\n    var s = x[i];\n" +
            "".join(f"if s > {i}.0 {{ s = s * 0.5 + 1.0; " for i in range(n)) + "s += 1.0;" + "}" * n + "\n    x[i] = s;\n}\n" +
            HOST.format("    offload k(&mut x);"))


@family(20, CHECK, OBJECT)
def kernel_checks(n):
    return ("kernel k(x: &[f32; n], at: &[i32; n], y: &mut [f32; n]) over i in n {\n" +
            lines(n, lambda i: f"    y[i] += x[at[i] + {i}];") + "\n}\n" +
            HOST.format("    let at = [0; 8];\n    let y = copy(&x);\n    offload k(&y, &at, &mut x);"))


@family(20, CHECK)
def kernel_guards(n):
    return ("kernel k(x: &[f32; n], at: &[i32; n], y: &mut [f32; n]) over i in n {\n" +
            lines(n, lambda i: f"    let a{i} = at[i] + {i};\n    if a{i} >= 0 && a{i} < n {{ y[i] += x[a{i}]; }}") + "\n}\n" +
            HOST.format("    let at = [0; 8];\n    let y = copy(&x);\n    offload k(&y, &at, &mut x);"))


@family(10, CHECK)
def kernel_nested_guards(n):
    return ("kernel k(x: &[f32; n], y: &mut [f32; n], a: i32) over i in n {\n" +
            "".join(f"    let a{i} = {'a' if i == 0 else f'a{i - 1}'} * 3 + {i};\n    if a{i} >= 0 && a{i} < n - {i} {{ y[i] += x[a{i}];\n" for i in range(n)) + "}" * n + "\n}\n" +
            HOST.format("    let y = copy(&x);\n    offload k(&y, &mut x, 1);"))


@family(20, CHECK)
def kernel_sums_of_variables(n):
    """Indices that are sums of more and more variables, some of them one of two values."""
    return ("kernel k(x: &[f32; n], y: &mut [f32; n], c: i32) over i in n {\n    var a = i32(0);\n" +
            lines(n, lambda i: f"    if c > {i} {{ a = a + 1; }} else {{ a = a / 2; }}\n    if a < n {{ y[i] += x[a]; }}") + "\n}\n" +
            HOST.format("    let y = copy(&x);\n    offload k(&y, &mut x, 1);"))


@family(10, CHECK, OBJECT)
def kernel_own_arrays(n):
    return ("kernel k(x: &mut [f32; n]) over i in n {\n" +
            lines(n, lambda i: f"    var a{i} = [x[i], 1.0, 2.0, 3.0];\n    for e in 0..4 {{ a{i}[e] *= 2.0; x[i] += a{i}[e]; }}") + "\n}\n" +
            HOST.format("    offload k(&mut x);"))


def unrolled(n, depth, extent):
    loops = "".join(f"for t{d} in 0..{extent} {{ " for d in range(depth))
    at = ", ".join(f"t{d}" for d in range(depth))
    return ("kernel k(x: &mut [f32; n]) over i in n {\n" +
            f"    var a: [f32; {', '.join([str(extent)] * depth)}] = [0.0; {', '.join([str(extent)] * depth)}];\n" +
            lines(n, lambda i: f"    {loops} a[{at}] = a[{at}] * 0.5 + x[i]; {'}' * depth}") +
            f"\n    x[i] = a[{', '.join(['0'] * depth)}];\n}}\n" + HOST.format("    offload k(&mut x);"))


@family(2, OBJECT, NVIDIA, AMD)
def unrolled_1d(n):
    return unrolled(n, 1, 64)


@family(2, OBJECT, NVIDIA, AMD)
def unrolled_3d(n):
    return unrolled(n, 3, 6)


@family(2, OBJECT)
def unrolled_inside_each_other(n):
    """The same small array, counted through in loops inside one another."""
    return ("kernel k(x: &mut [f32; n]) over i in n {\n    var a = [x[i], 1.0, 2.0, 3.0];\n" +
            "".join(f"for t{d} in 0..4 {{ a[t{d}] += 1.0; " for d in range(n)) + "a[0] += 2.0;" + "}" * n +
            "\n    x[i] = a[0] + a[1] + a[2] + a[3];\n}\n" + HOST.format("    offload k(&mut x);"))


@family(4, CHECK, OBJECT, NVIDIA, AMD)
def group_barriers(n):
    return ("kernel k(x: &mut [f32; n]) over i in n by 64 {\n    shared s: [f32; 64];\n" +
            lines(n, lambda i: f"    s[i.local] = if inside {{ x[i] }} else {{ 0.0 }};\n    barrier;\n    if inside {{ x[i] += s[63 - i.local]; }}\n    barrier;") + "\n}\n" +
            HOST.format("    offload k(&mut x);"))


@family(4, CHECK, OBJECT)
def group_variables(n):
    return ("kernel k(x: &mut [f32; n]) over i in n by 64 {\n    shared s: [f32; 64];\n    let v0 = if inside { x[i] } else { 0.0 };\n" +
            lines(n, lambda i: f"    s[i.local] = v{i};\n    barrier;\n    let v{i + 1} = s[63 - i.local] + v{i};\n    barrier;") +
            "\n    if inside { x[i] = " + " + ".join(f"v{i}" for i in range(min(n, 180))) + "; }\n}\n" +
            HOST.format("    offload k(&mut x);"))


@family(2, CHECK, OBJECT)
def group_trees(n):
    """Loops around barriers whose rounds are known."""
    return ("kernel k(x: &mut [f32; n]) over i in n by 256 {\n    shared s: [f32; 256];\n    s[i.local] = if inside { x[i] } else { 0.0 };\n    barrier;\n" +
            lines(n, lambda i: f"    var g{i} = 1;\n    while g{i} < 256 {{\n        let o = if i.local >= g{i} {{ s[i.local - g{i}] }} else {{ 0.0f32 }};\n        barrier;\n        s[i.local] += o;\n        barrier;\n        g{i} *= 2;\n    }}") +
            "\n    if inside { x[i] = s[i.local]; }\n}\n" + HOST.format("    offload k(&mut x);"))


@family(1, CHECK, OBJECT)
def group_nested_rounds(n):
    """Barriers in loops inside each other."""
    return ("kernel k(x: &mut [f32; n]) over i in n by 64 {\n    shared s: [f32; 64];\n    s[i.local] = if inside { x[i] } else { 0.0 };\n    barrier;\n" +
            "".join(f"    var g{i} = 1;\n    while g{i} < 16 {{\n    g{i} *= 2;\n" for i in range(n)) +
            "    let o = s[63 - i.local];\n    barrier;\n    s[i.local] += o;\n    barrier;\n" + "    }\n" * n +
            "    if inside { x[i] = s[i.local]; }\n}\n" + HOST.format("    offload k(&mut x);"))


def group_3d(n, tile, reach):
    z, y, x = tile
    r = reach
    shape = f"{z + 2 * r}, {y + 2 * r}, {x + 2 * r}"
    total = (z + 2 * r) * (y + 2 * r) * (x + 2 * r)
    stencil = " + ".join(f"t[i.local + {a}, j.local + {b}, k.local + {c}]" for a in range(2 * r + 1)
                         for b in range(2 * r + 1) for c in range(2 * r + 1) if (a == r) + (b == r) + (c == r) >= 2)
    rounds = (f"    for e in {(total + x * y * z - 1) // (x * y * z)} {{\n"
              f"        let at = (i.local * {y} + j.local) * {x} + k.local + e * {x * y * z};\n        if at < {total} {{\n"
              f"            let a = at / {(y + 2 * r) * (x + 2 * r)};\n            let b = at / {x + 2 * r} % {y + 2 * r};\n            let c = at % {x + 2 * r};\n"
              f"            t[a, b, c] = u.at(i.group * {z} + a - {r}, j.group * {y} + b - {r}, k.group * {x} + c - {r});\n        }}\n    }}\n")
    return (f"kernel k(u: &[f32; nz, ny, nx], v: &mut [f32; nz, ny, nx]) over i in nz by {z}, j in ny by {y}, k in nx by {x} {{\n" +
            f"    shared t: [f32; {shape}];\n" +
            "".join(f"{rounds}    barrier;\n    if inside {{ v[i, j, k] += ({stencil}) * 0.{d + 1}; }}\n    barrier;\n" for d in range(n)) + "}\n"
            "fn main() {\n    let u = [f32(i + j + k) for i in 9, j in 9, k in 9];\n    var v = [0.0f32; 9, 9, 9];\n    offload k(&u, &mut v);\n    print(\"{}\", v[1, 1, 1]);\n}\n")


@family(1, CHECK, OBJECT, NVIDIA, AMD)
def group_3d_small(n):
    return group_3d(n, (4, 4, 8), 1)


@family(1, OBJECT)
def group_3d_large(n):
    return group_3d(n, (8, 8, 8), 2)


@family(8, CHECK)
def kernel_out_call_tree(n):
    """Who writes all of an `&out`?"""
    return ("fn g0(x: &out [f32; n], i: index) { x[i] = 1.0; }\n" +
            lines(n, lambda i: f"fn g{i + 1}(x: &out [f32; n], i: index) {{ g{i}(&out x, i); g{i}(&out x, i); }}") +
            f"\nkernel k(x: &out [f32; n]) over i in n {{ g{n}(&out x, i); }}\n" + HOST.format("    offload k(&out x);"))


@family(20, CHECK, OBJECT)
def kernel_prints(n):
    return ("kernel k(x: &mut [f32; n]) over i in n {\n" +
            lines(n, lambda i: f"    if x[i] > {i}.0 {{ print(\"{i} {{}} {{}}\", i, x[i]); }}\n    assert x[i] < 100.0, \"{{}}\", x[i];") +
            "\n}\n" + HOST.format("    offload k(&mut x);"))


def arrays_and_branches(n):
    """Beyond what the transfer plan takes."""
    return (DOUBLE + "fn main() {\n" + lines(n, lambda i: f"    var x{i} = [f32(i) for i in 8];") + "\n    offload double(&mut x0);\n" +
            lines(n, lambda i: f"    if x0[1] > {i}.0 {{ x{i}[0] = 1.0; }}") + "\n}\n")


# Measuring ---------------------------------------------------------------------------------------------------------

MOST_SECONDS = 60


def compile_once(kdslc, text, how):
    """(processor seconds, peak kB, exit status, what it said) of one compilation."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "p.kdsl")
        path.write_text(text)
        output = ["-o", str(Path(folder, "p.o"))] if how[0] != "check" else []
        with open(Path(folder, "err"), "wb") as err:
            run = subprocess.Popen([kdslc, *how, "--color=never", str(path), *output], stdout=subprocess.DEVNULL,
                                   stderr=err,
                                   env={**os.environ, "KDSL_PTXAS": ""},
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU,
                                                                         (MOST_SECONDS, MOST_SECONDS)))
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        said = Path(folder, "err").read_text(errors="replace")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss, run.returncode, said
