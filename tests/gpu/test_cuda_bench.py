#!/usr/bin/env python3
"""What bench/cuda measures with, where there is no GPU: the library before the driver times every launch (here before
the mock driver), and instructions of PTX are counted for what they are. Usage: test_cuda_bench.py KDSLC"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MOCK = Path(os.environ.get("KDSL_BUILD_DIR", "build")).resolve() / "mock"
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "bench/cuda")]
import gcn  # noqa: E402
import ptx  # noqa: E402
import sass  # noqa: E402

BODY = """{
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [k_param_0];
    ld.param.f32 %f1, [k_param_1]; // a comment; st.global.f32
    cvta.to.global.u64 %rd2, %rd1;
    @%p1 bra $L__BB0_2;
    ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];
    ld.global.b32 %r1, [%rd2+4];
    ld.shared.f32 %f2, [tile];
    fma.rn.f32 %f1, %f2, %f3, %f4;
    mad.lo.s32 %r5, %r3, %r4, %r2;
    mul.f32 %f1, %f2, %f3;
    rsqrt.approx.f32 %f1, %f2;
    div.rn.f32 %f1, %f2, %f3;
    cvt.rn.f32.s32 %f1, %r1;
$L__BB0_2: bar.sync 0;
    @!%p1 atom.global.add.u32 %r1, [%rd2], 1;
    red.global.add.f32 [%rd2], %f1;
    shfl.sync.down.b32 %r1, %r2, 1, 31, -1;
    st.local.u32 [%rd3], %r1;
    mov.u32 %r1, %tid.x;
    st.global.v2.f32 [%rd2], {%f1, %f2};
    setp.gt.f32 %p1, %f1, 0f00000000;
    add.s64 %rd3, %rd2, 4;
    ret;
}"""
COUNTS = {"param": 2, "address": 1, "branch": 2, "ld_nc": 1, "ld_global": 1, "ld_shared": 1, "fma": 1, "integer": 2,
          "float": 2, "special": 2, "convert": 1, "barrier": 1, "atomic": 2, "shuffle": 1, "local": 1, "move": 1,
          "st_global": 1, "st_shared": 0, "wide": 2, "instructions": 23}


# A check, a loop of two copies with an instruction that the disassembler does not know, and a division's slow path.
SASS = """
        /*0000*/                   S2R R0, SR_TID.X ;              /* 0x0000000000047211 */
        /*0010*/               @P0 BRA 0x90 ;                      /* 0x0000000000047211 */
        /*0020*/                   LDG.E R1, [R2.64] ;
                                                                   /* 0x0000010004047848 */
        /*0040*/                   FFMA R3, R1, R1, R3 ;
        /*0050*/                   FFMA R3, R4, R4, R3 ;
        /*0060*/               @P1 BRA 0x20 ;
        /*0070*/               @P2 BRA 0xb0 ;
        /*0080*/                   EXIT ;
        /*0090*/                   ATOMG.E.CAS.STRONG.SYS PT, R4, [R2.64], R6, R7 ;
        /*00a0*/                   EXIT ;
        /*00b0*/                   CALL.REL.NOINC 0xd0 ;
        /*00c0*/                   BRA 0x80 ;
        /*00d0*/                   BRA 0xd0;
        /*00e0*/                   NOP;
"""


# The same on AMD: the threads with the report have a mask, and a way around it.
GCN = """
	s_load_dword s2, s[4:5], 0x5c                              // 000000000100: C0020082 0000005C
	s_and_saveexec_b64 s[6:7], vcc                             // 000000000108: BE86206A
	s_cbranch_execz 2                                          // 00000000010C: BF880002 <kdsl_kernel_k+0x1c>
	global_atomic_cmpswap v3, v5, v[4:5], s[0:1] glc           // 000000000110: DD058000 03000405
	s_waitcnt vmcnt(0)                                         // 000000000118: BF8C0F70
	s_or_b64 exec, exec, s[6:7]                                // 00000000011C: 87FE067E
	v_fmac_f32_e32 v7, v12, v28                                // 000000000120: 760E390C
	v_pk_fma_f32 v[6:7], v[10:11], v[12:13], v[6:7]            // 000000000124: D3B04006 1C1A190A
	s_cbranch_scc1 65532                                       // 00000000012C: BF85FFFC <kdsl_kernel_k+0x20>
	s_endpgm                                                   // 000000000130: BF810000
	s_code_end                                                 // 000000000134: BF9F0000
"""


class CudaBenchTest(unittest.TestCase):
    def test_instructions_are_counted(self):
        self.assertEqual(ptx.mix(BODY), COUNTS)

    def test_kernels_are_found(self):
        text = ".version 7.8\n.visible .entry k(\n.param .u64 a\n)\n{\n{\n}\n ret;\n}\n" \
               ".entry _ZN3abc4stepEi() { exit; }"
        found = ptx.kernels(text)
        self.assertEqual(list(found), ["k", "_ZN3abc4stepEi"])
        self.assertEqual(ptx.mix(found["k"])["branch"], 1)

    def test_names(self):
        names = {"_Z5saxpyfPKfPfi": "saxpy", "_ZN12_GLOBAL__N_13sumEPKf": "sum", "kdsl_k1": "kdsl_k1"}
        for symbol, name in names.items():
            self.assertEqual(ptx.plain_name(symbol), name)

    def test_machine_code(self):
        kernel = sass.Kernel(SASS.splitlines())
        self.assertEqual(len(kernel.code), 13)
        self.assertEqual(kernel.code[0x30], "?")
        self.assertEqual(kernel.cold(), {0x90, 0xb0, 0xc0} & set(kernel.blocks))
        self.assertEqual(kernel.hot_path("FFMA"), (2.5, True))
        self.assertEqual(kernel.hot_path(), (9, False))

    def test_machine_code_of_amd(self):
        kernel = gcn.Kernel(GCN.splitlines())
        self.assertEqual((len(kernel.code), kernel.size()), (10, 9))
        self.assertEqual(kernel.cold(), {0x110})
        self.assertEqual(kernel.hot_path(gcn.PRODUCT), (1, True))
        self.assertEqual(kernel.hot_path(), (8, False))

    def test_every_launch_is_timed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "timed").mkdir()
            (folder / "driver").mkdir()
            subprocess.run(["sh", ROOT / "bench/cuda/timed_cuda.sh", folder / "timed"], check=True)
            shutil.copy(MOCK / "nvidia/libcuda.so", folder / "driver/libcuda.so.1")
            llc = shutil.which("llc-22") or "/usr/lib/llvm-22/bin/llc"
            source = HERE / "kernels_nvptx.ll"
            subprocess.run([llc, "-O3", "-march=nvptx64", "-mcpu=sm_90", source, "-o", folder / "k.ptx"], check=True)
            subprocess.run([MOCK / "mock_link", folder / "k.ptx", folder / "k.cubin"], check=True)
            env = {"LD_LIBRARY_PATH": f"{folder}/timed:{folder}/driver", "CUDA_TIMES": f"{folder}/times",
                   "KDSL_MOCK_KERNEL_MS": "20", "KDSL_MOCK_KERNELS": str(MOCK / "kernels.so"), "KDSL_MOCK_DEVICES": "2"}
            done = subprocess.run([MOCK / "mock_plugin", folder / "k.cubin"], env=env, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            rows = [line.split("\t") for line in (folder / "times").read_text().splitlines()]
        launches = {}
        for kernel, n, best, median, total in rows:
            launches[kernel] = launches.get(kernel, 0) + int(n)
            self.assertTrue(0.0199 < float(best) <= float(median) <= float(total), rows)
        self.assertEqual(launches, {"saxpy": 2, "tiles": 2})


if __name__ == "__main__":
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
