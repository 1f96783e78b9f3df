#!/usr/bin/env python3
"""A long host program on stdout: N_FUNCTIONS functions of about 50 lines with two launches, branches and loops each.
usage: big_program.py [N_FUNCTIONS=100]"""
import sys

HEAD = """kernel step(a: &[f64; n], b: &mut [f64; n]) over i in n { b[i] += 0.5 * a[i]; }
kernel total(a: &[f64; n]) over i in n -> sum f64 { return a[i]; }
"""
BODY = """
fn part{k}(x: &mut [f64; n], y: &mut [f64; n], depth: i32) -> f64 {{
    var a = copy(&x);
    var b = [0.0; n];
    var sum = {k}.0;
    for s in 0..10 {{
        offload step(&a, &mut b);
        if s % 3 == 0 {{
            swap(&mut a, &mut b);
        }} else {{
            b[0] += a[1];
        }}
        var w = 0;
        while w < 3 {{
            sum += y[0];
            w += 1;
            if sum > 1000000.0 {{ break; }}
        }}
    }}
    for i in n {{
        if x[i] > sum {{
            x[i] -= 1.0;
            sum += 0.25;
        }} else if x[i] < -sum {{
            x[i] += 1.0;
        }} else {{
            continue;
        }}
        y[i] = x[i] * 0.5;
    }}
    let total_a = offload total(&a);
    if depth > 0 {{
        let u = [x[i] + y[i] for i in n];
        var v = copy(&u);
        for i in n {{
            v[i] += a[i];
            if v[i] > 10.0 {{ v[i] = 0.0; }}
        }}
        sum += v[0] + u[0];
    }}
    let mean = sum / f64(n);
    if mean > total_a {{
        return mean - total_a + b[0];
    }}
    assert mean == mean, "no number: {{}}", mean;
    return {call};
}}
"""


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print(HEAD, end="")
    for k in range(n):
        call = f"mean + part{k - 1}(&mut x, &mut y, depth - 1)" if k and k % 10 else "mean"
        print(BODY.format(k=k, call=call), end="")
    print("\nfn main() {\n    var x = [f64(i) for i in 64];\n    var y = [1.0; 64];\n    var sum = 0.0;")
    for k in range(n):
        print(f"    sum += part{k}(&mut x, &mut y, 1);")
    print('    print("{:.6}", sum);\n}')


main()
