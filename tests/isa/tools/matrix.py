#!/usr/bin/env python3
"""Writes matrix.case: matrix multiplications of gfx908, gfx90a and gfx942.

    tools/matrix.py [SEED] > matrix.case

The expectations are computed with rational numbers. Where an element lies is told register by register for
each size, as AMD's matrix instruction calculator prints it (--register-layout), not by a formula.
"""
import random
import sys

from matrix_sections import section, sparse_section

random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)

SHAPES = [  # M (= N), K, blocks, type
    (32, 1, 2, "f32"), (16, 1, 4, "f32"), (4, 1, 16, "f32"), (32, 2, 1, "f32"), (16, 4, 1, "f32"),
    (32, 4, 2, "f16"), (16, 4, 4, "f16"), (4, 4, 16, "f16"), (32, 8, 1, "f16"), (16, 16, 1, "f16"),
    (32, 4, 2, "i8"), (16, 4, 4, "i8"), (4, 4, 16, "i8"), (32, 8, 1, "i8"), (16, 16, 1, "i8"),
    (32, 2, 2, "bf16"), (16, 2, 4, "bf16"), (4, 2, 16, "bf16"), (32, 4, 1, "bf16"), (16, 8, 1, "bf16"),
]
NEW_SHAPES = [  # of gfx90a
    (32, 4, 2, "bf16_1k"), (16, 4, 4, "bf16_1k"), (4, 4, 16, "bf16_1k"), (32, 8, 1, "bf16_1k"),
    (16, 16, 1, "bf16_1k"), (16, 4, 1, "f64"), (4, 4, 4, "f64"),
]
LAST_SHAPES = [  # of gfx942
    (16, 8, 1, "xf32"), (32, 4, 1, "xf32"), (32, 16, 1, "_i8"), (16, 32, 1, "_i8"),
    (16, 32, 1, "bf8_bf8"), (16, 32, 1, "bf8_fp8"), (16, 32, 1, "fp8_bf8"), (16, 32, 1, "fp8_fp8"),
    (32, 16, 1, "bf8_bf8"), (32, 16, 1, "bf8_fp8"), (32, 16, 1, "fp8_bf8"), (32, 16, 1, "fp8_fp8"),
]

print("""# Written by tools/matrix.py.
# Sources: AMD's matrix instruction calculator (layout, CBSZ, ABID, BLGP) and gem5, vega/insts/instructions.hh
# (layout); microsoft/MMA-Sim, CDNA1 (order and rounding of sums, denormals), AMD's MIOpen, "MI200 MFMA behavior
# specifics" (flushed denormals are special to MI200); of gfx90a MMA-Sim, CDNA2, LLVM, VOP3PInstructions.td (rounding of MODE is ignored,
# its denormals are not); of gfx942 MMA-Sim alone, CDNA3 (aligned sums). EXEC is ignored: kernels written by hand rely on it.
""")
for shape in SHAPES:
    section(*shape, on="gfx908+" if shape[3] in ("f32", "i8") else "gfx908")
section(4, 4, 16, "i8", files="aaa")
section(4, 4, 16, "f16", files="ava", in_place=True, on="gfx908")
section(16, 4, 1, "f32", files="vaa", in_place=True)
for blgp in range(1, 8):
    section(4, 4, 16, "i8", blgp=blgp)
section(16, 16, 1, "i8", blgp=3)
section(16, 1, 4, "f32", blgp=6)
for cbsz, abid in ((1, 0), (1, 1), (2, 2), (3, 5), (4, 13)):
    section(4, 4, 16, "i8", cbsz=cbsz, abid=abid)
section(32, 1, 2, "f32", cbsz=1, abid=1)
section(16, 4, 4, "i8", cbsz=2, abid=3, blgp=5)
# Rounding in other directions, for other instructions.
section(16, 4, 1, "f32", rounding=0x5)
section(16, 16, 1, "f16", rounding=0xA, on="gfx908")
section(16, 8, 1, "bf16", rounding=0xF, on="gfx908")

# gfx90a: halves without denormals, whatever MODE says; results in VGPRs; constants.
for shape in SHAPES:
    if shape[3] in ("f16", "bf16"):
        section(*shape, on="gfx90a")
for shape in NEW_SHAPES:
    section(*shape, on="gfx90a+" if shape[3] == "f64" else "gfx90a")
section(16, 4, 1, "f64", files="avv", in_place=True, rounding=0x4, on="gfx90a+")
section(4, 4, 4, "f64", files="vaa", on="gfx90a+", constant=("1.0", 0x3FF0000000000000))
section(16, 4, 1, "f64", files="vva", on="gfx90a+", constant=("-4.0", 0xC010000000000000))
section(4, 4, 16, "f16", files="avv", in_place=True, on="gfx90a")
section(16, 4, 1, "f32", files="vav", on="gfx90a+")
section(32, 2, 1, "f32", files="vvv", in_place=True, on="gfx90a+")
section(16, 16, 1, "i8", files="vvv", blgp=3, on="gfx90a")
section(4, 4, 16, "i8", files="vav", cbsz=2, abid=2, on="gfx90a+", constant=("-3", 0xFFFFFFFD))
section(4, 1, 16, "f32", files="vvv", on="gfx90a+", constant=("0.5", 0x3F000000))
section(32, 1, 2, "f32", files="vva", on="gfx90a+", constant=("0", 0))
section(16, 16, 1, "bf16_1k", files="aav", cbsz=0, blgp=5, on="gfx90a", constant=("2.0", 0x40000000))

# gfx942: sums of aligned products; NEG of f64.
random.seed(942)
for shape in SHAPES + NEW_SHAPES:
    if shape[3] in ("f16", "bf16_1k"):
        section(*shape, on="gfx942")
for shape in LAST_SHAPES:
    section(*shape, on="gfx942")
section(16, 32, 1, "_i8", files="avv", in_place=True, on="gfx942")
section(16, 16, 1, "f16", files="aav", blgp=5, on="gfx942", constant=("2.0", 0x40000000))
section(16, 32, 1, "fp8_fp8", files="vaa", on="gfx942", constant=("0", 0))
for negated in (1, 2, 4, 7):
    section(4, 4, 4, "f64", files="vva", on="gfx942", negated=negated)
section(16, 4, 1, "f64", files="vvv", on="gfx942", negated=5, constant=("1.0", 0x3FF0000000000000))
random.seed(943)
print("""# Sparse: AMD's matrix instruction calculator (--compression); AMD's rocjitsu, shared/mma_exec.h (exec_smfmac_*_fp8, whose
# bytes lie likewise); of CBSZ and ABID, and that indices ascend, the CDNA3 manual.
""")
sparse_section(16, 64)
sparse_section(32, 32, abid=1, files="avv")
sparse_section(16, 64, cbsz=1, abid=1, files="vaa")

print("""# Indices that do not ascend; CBSZ and ABID that sources read differently.
[v_smfmac_i32_16x16x64_i8 a[64:67], v[0:1], v[4:7], v8] gfx942 exec-ignored
v8 = 0x00004446
fault : unsupported
--
v8 = 0x00005444
fault : unsupported
--
v8 = 0xffff4444
v[0:1] = 0
a64 = 5
a64 : 5

[v_smfmac_i32_16x16x64_i8 a[64:67], v[0:1], v[4:7], v8 cbsz:4] gfx942 exec-ignored
v8 = 0x44444444
fault : unsupported

[v_smfmac_i32_16x16x64_i8 a[64:67], v[0:1], v[4:7], v8 abid:2] gfx942 exec-ignored
v8 = 0x44444444
fault : unsupported

# After an instruction that rounds up.
[v_add_f32 v9, v8, v8 ; v_mfma_f32_4x4x1f32 a[4:7], v0, v1, a[0:3]] gfx908+ exec-ignored
mode = 0x3f5
exec = -1
v8 = 1.0
v0 = 1.0
v1 = 1.0
a[0:3] = 0x33000000 0xb3000000 0x33800001 0x3f800000
v9 : 2.0
a[4:7] : 0x3f800000 0x3f800000 0x3f800001 0x40000000

# MODE flushes denormals of f32: operands, products, sums. Those of f16 are none of f32's.
[v_mfma_f32_4x4x1f32 a[4:7], v0, v1, a[0:3]] gfx908+ exec-ignored
mode = 0x3d0
v0 = 1.0
v1 = 1
a[0:3] = 0 0 0 0
fault : unsupported
--
mode = 0x3e0
v0 = 0x00800000
v1 = 0.5
a[0:3] = 0 0 0 0
fault : unsupported
--
mode = 0x3c0
v0 = 1.0
v1 = 1.0
a[0:3] = 0 0x80000001 0 0
fault : unsupported
--
mode = 0x3c0
v0 = 0x00800000
v1 = 0.5
a[0:3] = 0x00800000 0x00800000 0x00800000 0x00800000
a[4:7] : 0x00c00000 0x00c00000 0x00c00000 0x00c00000

[v_mfma_f32_4x4x2bf16 a[4:7], v0, v1, a[0:3]] gfx908 exec-ignored
mode = 0x3c0
v0 = 0x00010000
v1 = 0x3f803f80
a[0:3] = 0 0 0 0
fault : unsupported

[v_mfma_f32_4x4x4f16 a[4:7], v[0:1], v[2:3], a[0:3]] gfx908 exec-ignored
mode = 0x3c0
v0 = 0x1
v1 = 0
v2 = 0x3c00
v3 = 0
a[0:3] = 0 0 0 0
a[4:7] : 0x33800000 0x33800000 0x33800000 0x33800000

# Likewise of f64.
[v_mfma_f64_4x4x4f64 a[4:5], v[0:1], v[2:3], a[0:1]] gfx90a+ exec-ignored
mode = 0x3b0
v[0:1] = 1.0
v[2:3] = 1
a[0:1] = 0
fault : unsupported
--
mode = 0x3c0
v[0:1] = 1.0
v[2:3] = 1
a[0:1] = 0
a[4:5] : 4

# Signs of zeros that were denormals: of operands they are lost.
[v_mfma_f32_4x4x2bf16 a[4:7], v0, v1, a[0:3]] gfx90a exec-ignored
mode = 0x3f0
v0 = 0x00000000
v1 = 0x3f803f80
a[0:3] = 0x80000000 0x80000001 0x00000001 0x00800000
a[4:7] : 0 0 0 0x00800000

# Denormal sums are zero: pairs and what they are added to.
[v_mfma_f32_4x4x2bf16 a[4:7], v0, v1, a[0:3]] gfx90a exec-ignored
mode = 0x3f0
v0 = 0x80803f80
v1 = 0x3f803f80
a[0:3] = 0xbf800000 0x00800000 0x00c00000 0x00800001
a[4:7] : 0 0x3f800000 0x3f800000 0x3f800000
--
mode = 0x3f0
v0 = 0x00000080
v1 = 0x3f803f00
a[0:3] = 0x3f800000 0 0x00800000 0
a[4:7] : 0x3f800000 0 0x00800000 0
--
mode = 0x3f0
v0 = 0x00000080
v1 = 0x3f803f80
a[0:3] = 0x80c00000 0x81000000 0 0x00800000
a[4:7] : 0x80000000 0x80800000 0x00800000 0x01000000
""", end="")
