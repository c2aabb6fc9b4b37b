#!/usr/bin/env python3
"""Writes matrix.case: matrix multiplications of gfx908.

    tools/matrix.py [SEED] > matrix.case

The expectations are computed with rational numbers. Where an element lies is told register by register for
each size, as AMD's matrix instruction calculator prints it (--register-layout), not by a formula.
"""
import random
import sys
from fractions import Fraction

random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)

LANES = 64
# Size and type of A and B: registers of a lane, elements in a register.
TYPES = {"f32": (1, 1), "f16": (2, 2), "bf16": (1, 2), "i8": (1, 4)}
SHAPES = [  # M (= N), K, blocks, type
    (32, 1, 2, "f32"), (16, 1, 4, "f32"), (4, 1, 16, "f32"), (32, 2, 1, "f32"), (16, 4, 1, "f32"),
    (32, 4, 2, "f16"), (16, 4, 4, "f16"), (4, 4, 16, "f16"), (32, 8, 1, "f16"), (16, 16, 1, "f16"),
    (32, 4, 2, "i8"), (16, 4, 4, "i8"), (4, 4, 16, "i8"), (32, 8, 1, "i8"), (16, 16, 1, "i8"),
    (32, 2, 2, "bf16"), (16, 2, 4, "bf16"), (4, 2, 16, "bf16"), (32, 4, 1, "bf16"), (16, 8, 1, "bf16"),
]


# ---- Numbers

def widen(word, exponent_bits, fraction_bits):
    """The finite number that a word of a binary format stands for, and whether its sign is set."""
    bias = (1 << exponent_bits - 1) - 1
    exponent = word >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = word & ((1 << fraction_bits) - 1)
    assert exponent != (1 << exponent_bits) - 1
    if exponent != 0:
        fraction |= 1 << fraction_bits
    number = fraction * Fraction(2) ** (max(exponent, 1) - bias - fraction_bits)
    negative = word >> exponent_bits + fraction_bits & 1
    return (-number if negative else number), bool(negative)


class Float:
    """A finite or infinite f32: a number and its sign, which zeros have, too."""

    def __init__(self, number, negative):
        self.number, self.negative = number, negative

    @staticmethod
    def of(word):
        return Float(*widen(word, 8, 23))

    def word(self):
        sign = 0x80000000 if self.negative else 0
        size = abs(self.number)
        if size == 0:
            return sign
        exponent = -126
        while size >= Fraction(2) ** (exponent + 1):
            exponent += 1
        scaled = size / Fraction(2) ** (exponent - 23)
        assert scaled.denominator == 1
        fraction = int(scaled)
        return sign | (fraction if fraction < 1 << 23 else (exponent + 127 - 1 << 23) + fraction)


def rounded(number, negative_zero):
    """To nearest even, denormals kept."""
    if number == 0:
        return Float(Fraction(0), negative_zero)
    exponent = -126
    while abs(number) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** (exponent - 23)
    return Float(round(number / unit) * unit, number < 0)


def fma(a, b, c):
    product = a.number * b.number
    both_negative = (a.negative != b.negative) and c.negative
    return rounded(product + c.number, both_negative and product == 0 and c.number == 0)


def add(a, b):
    return rounded(a.number + b.number, a.negative and b.negative)


ZERO = Float(Fraction(0), False)


def dot(kind, a, b, c):
    """Of a row and a column, with what C has: the words of all."""
    if kind == "i8":
        signed = [(word ^ 0x80) - 0x80 for word in a], [(word ^ 0x80) - 0x80 for word in b]
        return (c + sum(x * y for x, y in zip(*signed))) & 0xFFFFFFFF
    total = Float.of(c)
    if kind == "f32":
        for x, y in zip(a, b):
            total = fma(Float.of(x), Float.of(y), total)
        return total.word()
    bits = (5, 10) if kind == "f16" else (8, 7)
    products = [fma(Float(*widen(x, *bits)), Float(*widen(y, *bits)), ZERO) for x, y in zip(a, b)]
    pairs = [add(products[n], products[n + 1]) for n in range(0, len(products), 2)]
    if kind == "f16":
        pairs = [add(pairs[n], pairs[n + 1]) for n in range(0, len(pairs), 2)]
    for pair in pairs:
        total = add(total, pair)
    return total.word()


# ---- Where elements lie: (which of the lane's elements, lane)

def place_of_input(size, blocks, block, index, k, items):
    """Row of A or column of B `index` of a block, and its element k."""
    if blocks > 1:
        return k, {32: index + 32 * block, 16: index + 16 * block, 4: index + 4 * block}[size]
    return k % items, index + size * (k // items)


def place_of_result(size, block, row, column):
    if size == 32:  # rows 0-3 and 8-11 of lanes 0-31 are those before rows 4-7 and 12-15 of the others
        return 16 * block + 4 * (row // 8) + row % 4, column + 32 * (row // 4 % 2)
    if size == 16:
        return 4 * block + row % 4, column + 16 * (row // 4)
    return row, column + 4 * block


def lane_of_b(lane, blgp):
    if blgp == 1:
        return lane - 32 if lane >= 32 else lane
    if blgp == 2:
        return lane + 32 if lane < 32 else lane
    if blgp == 3:
        return lane + 16 if lane < 48 else lane - 48
    return lane % 16 + 16 * (blgp - 4) if blgp >= 4 else lane


def block_of_a(block, cbsz, abid):
    group = 2 ** cbsz
    return block - block % group + abid


# ---- Sections

def some_word(kind):
    if kind == "i8":
        return random.choice([random.getrandbits(32), 0x80808080, 0x7F80FF01])
    halves = {"f32": 1, "f16": 2, "bf16": 2}[kind]
    word = 0
    for n in range(halves):
        bits, fraction, bias = {"f32": (32, 23, 127), "f16": (16, 10, 15), "bf16": (16, 7, 127)}[kind]
        low, high = {"f32": (-40, 40), "f16": (-14, 15), "bf16": (-40, 40)}[kind]
        exponent = bias + random.choice([random.randint(low, high), random.randint(-2, 2)])
        one = random.getrandbits(1) << bits - 1 | exponent << fraction | random.getrandbits(fraction)
        special = [0, 1 << bits - 1, 1, (1 << bits - 1) + 3, 1 << fraction, bias << fraction]
        word |= (random.choice(special) if random.random() < 0.15 else one) << bits * n
    return word


def elements_of(registers, kind, lane):
    per_register = TYPES[kind][1]
    bits = 32 // per_register
    return [registers[n // per_register][lane] >> n % per_register * bits & ((1 << bits) - 1)
            for n in range(len(registers) * per_register)]


def name(size, k, kind):
    return f"v_mfma_{'i32' if kind == 'i8' else 'f32'}_{size}x{size}x{k}{kind}"


def span(file, first, count):
    return f"{file}{first}" if count == 1 else f"{file}[{first}:{first + count - 1}]"


def section(size, k, blocks, kind, cbsz=0, abid=0, blgp=0, files="vv", in_place=False, rounding=0):
    inputs, items = TYPES[kind][0], TYPES[kind][0] * TYPES[kind][1]
    results = size * size * blocks // LANES
    a = [[some_word(kind) for _ in range(LANES)] for _ in range(inputs)]
    b = [[some_word(kind) for _ in range(LANES)] for _ in range(inputs)]
    addend = "f32" if kind != "i8" else "i8"
    c = [[some_word(addend) for _ in range(7)] for _ in range(results)]  # lists repeat
    of_a = [elements_of(a, kind, lane) for lane in range(LANES)]
    of_b = [elements_of(b, kind, lane) for lane in range(LANES)]
    d = [[None] * LANES for _ in range(results)]
    for block in range(blocks):
        for row in range(size):
            for column in range(size):
                x, y = [], []
                for n in range(k):
                    item, lane = place_of_input(size, blocks, block_of_a(block, cbsz, abid), row, n, items)
                    x.append(of_a[lane][item])
                    item, lane = place_of_input(size, blocks, block, column, n, items)
                    y.append(of_b[lane_of_b(lane, blgp)][item])
                register, lane = place_of_result(size, block, row, column)
                d[register][lane] = dot(kind, x, y, c[register][lane % 7])
    modifiers = "".join(f" {word}:{value}" for word, value in
                        (("cbsz", cbsz), ("abid", abid), ("blgp", blgp)) if value)
    first_c, first_d = 64, (64 if in_place else 128)
    print(f"[{name(size, k, kind)} {span('a', first_d, results)}, {span(files[0], 0, inputs)}, "
          f"{span(files[1], 4, inputs)}, {span('a', first_c, results)}{modifiers}] gfx908 exec-ignored")
    print(f"mode = {0x3f0 | rounding:#x}")
    for file, first, registers, sign in ((files[0], 0, a, "="), (files[1], 4, b, "="), ("a", first_c, c, "="),
                                         ("a", first_d, d, ":")):
        for n, register in enumerate(registers):
            print(f"{file}{first + n} {sign} " + " ".join(f"{word:#x}" for word in register))
    print()


print("""# Written by tools/matrix.py.
# Sources: AMD's matrix instruction calculator (layout, CBSZ, ABID, BLGP) and gem5, vega/insts/instructions.hh
# (layout); microsoft/MMA-Sim, CDNA1 (order and rounding of sums, denormals), AMD's MIOpen, "MI200 MFMA behavior
# specifics" (flushed denormals are special to MI200), LLVM, VOP3PInstructions.td (rounding of MODE is ignored,
# its denormals are not). EXEC is ignored: kernels written by hand rely on it.
""")
for shape in SHAPES:
    section(*shape)
section(4, 4, 16, "i8", files="aa")
section(4, 4, 16, "f16", files="av", in_place=True)
section(16, 4, 1, "f32", files="va", in_place=True)
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
section(16, 16, 1, "f16", rounding=0xA)
section(16, 8, 1, "bf16", rounding=0xF)

print("""# After an instruction that rounds up.
[v_add_f32 v9, v8, v8 ; v_mfma_f32_4x4x1f32 a[4:7], v0, v1, a[0:3]] gfx908 exec-ignored
mode = 0x3f5
exec = -1
v8 = 1.0
v0 = 1.0
v1 = 1.0
a[0:3] = 0x33000000 0xb3000000 0x33800001 0x3f800000
v9 : 2.0
a[4:7] : 0x3f800000 0x3f800000 0x3f800001 0x40000000

# MODE flushes denormals of f32: operands, products, sums. Those of f16 are none of f32's.
[v_mfma_f32_4x4x1f32 a[4:7], v0, v1, a[0:3]] gfx908 exec-ignored
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
""", end="")
