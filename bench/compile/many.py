#!/usr/bin/env python3
"""Write a program of N kernels, each launched once, to see how compile time grows. usage: many.py N > many.kdsl"""
import sys

n = int(sys.argv[1])
for k in range(n):
    print(f"kernel k{k}(a: f32, x: &[f32; n], y: &mut [f32; n]) over i in n {{")
    print(f"    let t = a * x[i] + {k}.0;")
    print(f"    if t > 1.0 {{ y[i] += t; }} else {{ y[i] -= sqrt(abs(t)); }}")
    print("}\n")
print("fn main() {\n    let x = [f32(i) for i in 1000];\n    var y = [1.0f32; 1000];")
for k in range(n):
    print(f"    offload k{k}(2.0, &x, &mut y);")
print('    print("{}", y[1]);\n}')
