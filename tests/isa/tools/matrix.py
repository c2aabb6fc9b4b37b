#!/usr/bin/env python3
"""Writes matrix.case: matrix multiplications of gfx908, gfx90a and gfx942.

    tools/matrix.py [SEED] > matrix.case

The expectations are computed with rational numbers. Where an element lies is told register by register for
each size, as AMD's matrix instruction calculator prints it (--register-layout), not by a formula.
"""
import functools
import random
import sys
from fractions import Fraction

random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)

LANES = 64
# Size and type of A and B: registers of a lane, elements in a register.
TYPES = {"f32": (1, 1), "f16": (2, 2), "bf16": (1, 2), "i8": (1, 4), "bf16_1k": (2, 2), "f64": (2, 0.5),
         "xf32": (2, 1), "_i8": (2, 4), "bf8_bf8": (2, 4), "bf8_fp8": (2, 4), "fp8_bf8": (2, 4), "fp8_fp8": (2, 4)}
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


def exponent_of(size):
    """The power of two at or below a positive number."""
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    return exponent if size >= Fraction(2) ** exponent else exponent - 1


class Float:
    """A finite f32 or f64: a number and its sign, which zeros have, too."""

    def __init__(self, number, negative):
        self.number, self.negative = number, negative

    @staticmethod
    def of(word, bits=(8, 23)):
        return Float(*widen(word, *bits))

    def word(self, bits=(8, 23)):
        bias, places = (1 << bits[0] - 1) - 1, bits[1]
        sign = 1 << sum(bits) if self.negative else 0
        size = abs(self.number)
        if size == 0:
            return sign
        exponent = max(exponent_of(size), 1 - bias)
        scaled = size / Fraction(2) ** (exponent - places)
        assert scaled.denominator == 1
        fraction = int(scaled)
        return sign | (fraction if fraction < 1 << places else (exponent + bias - 1 << places) + fraction)


def rounded(number, negative_zero, bits=(8, 23)):
    """To nearest even, denormals kept."""
    if number == 0:
        return Float(Fraction(0), negative_zero)
    exponent = max(exponent_of(abs(number)), 2 - (1 << bits[0] - 1))
    unit = Fraction(2) ** (exponent - bits[1])
    return Float(round(number / unit) * unit, number < 0)


def fma(a, b, c, bits=(8, 23)):
    product = a.number * b.number
    both_negative = (a.negative != b.negative) and c.negative
    return rounded(product + c.number, both_negative and product == 0 and c.number == 0, bits)


def add(a, b):
    return rounded(a.number + b.number, a.negative and b.negative)


def without_denormal(number, smallest, keeps_sign):
    """The f32 or half, or zero where it is below the smallest normal one."""
    if abs(number.number) >= smallest:
        return number
    return Float(Fraction(0), number.negative and keeps_sign)


ZERO = Float(Fraction(0), False)
SMALLEST = Fraction(2) ** -126


def dot_without_denormals(kind, a, b, c):
    """As gfx90a multiplies halves (MMA-Sim): operands lose the sign of what is flushed, results keep it."""
    bits, smallest = ((5, 10), Fraction(2) ** -14) if kind == "f16" else ((8, 7), SMALLEST)
    a, b = ([without_denormal(Float.of(word, bits), smallest, False) for word in words] for words in (a, b))
    sums = [without_denormal(fma(x, y, ZERO), SMALLEST, True) for x, y in zip(a, b)]
    size = 2 if kind == "bf16" else 4
    while size > 1:
        sums = [without_denormal(add(sums[n], sums[n + 1]), SMALLEST, True) for n in range(0, len(sums), 2)]
        size //= 2
    total = without_denormal(Float.of(c), SMALLEST, False)
    for one in sums:
        total = without_denormal(add(total, one), SMALLEST, True)
    return total.word()


ALIGNED = {"f16": (8, -14), "bf16_1k": (8, -126), "xf32": (4, -126)}  # products at a time; smallest exponent
BYTES = {"fp8": (3, 8, -7), "bf8": (2, 16, -15)}


def byte(word, fraction_bits, bias):
    """What an 8-bit float of gfx942 stands for: no infinity, no -0."""
    assert word != 0x80
    exponent, fraction = (word & 0x7F) >> fraction_bits, word & ((1 << fraction_bits) - 1)
    number = (fraction if exponent == 0 else fraction | 1 << fraction_bits)
    return (-1 if word & 0x80 else 1) * number * Fraction(2) ** (max(exponent, 1) - bias - fraction_bits)


# Parts of numbers are an integer, how many of its bits are fractional, and an exponent.

def parts(number, least):
    """Of a number whose denominator is a power of two; the exponent is not below the least one."""
    if number == 0:
        return 0, 0, -126
    exponent = max(exponent_of(abs(number)), least)
    scaled = number / Fraction(2) ** exponent
    return scaled.numerator, scaled.denominator.bit_length() - 1, exponent


def lowered(part, exponent, bits):
    """As an integer with so many fractional bits, toward minus infinity."""
    shift = bits - part[1] + part[2] - exponent
    return part[0] << shift if shift >= 0 else part[0] >> -shift


def cut(part, exponent):
    """The same, toward zero, with 24 bits."""
    size = lowered((abs(part[0]), *part[1:]), exponent, 24)
    return -size if part[0] < 0 else size


def fused(products):
    exponent = max(product[2] for product in products)
    return sum(cut(product, exponent) for product in products), 24, exponent


@functools.lru_cache(maxsize=None)
def parts_of_word(kind, word):
    if kind in BYTES:
        fraction, bias, least = BYTES[kind]
        return parts(byte(word, fraction, bias), least)
    bits = {"f16": (5, 10), "bf16_1k": (8, 7), "xf32": (8, 23)}[kind]
    return parts(widen(word & ~0x1FFF if kind == "xf32" else word, *bits)[0], ALIGNED[kind][1])


def dot_of_aligned(kind, a, b, c):
    """As gfx942 multiplies all but f32, f64 and i8 (MMA-Sim)."""
    group = ALIGNED[kind][0] if kind in ALIGNED else 16
    kinds = (kind, kind) if kind in ALIGNED else kind.split("_")
    a, b = ([parts_of_word(of, word) for word in words] for of, words in zip(kinds, (a, b)))
    total = Float.of(c)
    for first in range(0, len(a), group):
        products = [tuple(map(lambda n: x[n] * y[n] if n == 0 else x[n] + y[n], range(3)))
                    for x, y in zip(a[first:first + group], b[first:first + group])]
        addend = parts(total.number, -126)
        if kind in ALIGNED:
            part = fused(products)
        else:
            even, odd = fused(products[0::2]), fused(products[1::2])
            exponent = max(even[2], odd[2])
            part = lowered(even, exponent, 24) + lowered(odd, exponent, 24), 24, exponent
        exponent = max(part[2], addend[2])
        kept = lowered(addend, exponent, 24)
        if kind not in ALIGNED and addend[2] < exponent - 25:
            kept = 0
        number = Fraction(lowered(part, exponent, 31) + (kept << 7), 1 << 31)
        total = rounded(number * Fraction(2) ** exponent, False)
    return total.word()


def dot(kind, a, b, c):
    """Of a row and a column, with what C has: the words of all."""
    if kind == "f64":
        bits = (11, 52)
        total = Float.of(c, bits)
        for x, y in zip(a, b):
            total = fma(Float.of(x, bits), Float.of(y, bits), total, bits)
        return total.word(bits)
    if kind in ("i8", "_i8"):
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
    if items == 1 and size == 4 and blocks == 4:  # f64
        return 0, index + 4 * block + 16 * k
    if blocks > 1:
        return k, {32: index + 32 * block, 16: index + 16 * block, 4: index + 4 * block}[size]
    return k % items, index + size * (k // items)


def place_of_result(size, block, row, column, kind):
    if kind == "f64":
        return (row // 4, column + 16 * (row % 4)) if size == 16 else (0, column + 4 * block + 16 * row)
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
    if kind in ("i8", "_i8"):
        return random.choice([random.getrandbits(32), 0x80808080, 0x7F80FF01])
    if "8" in kind:
        return sum(random.choice([0, 1, 0x7F, 0x40] + [random.choice([n for n in range(256) if n != 0x80])] * 9) << 8 * n
                   for n in range(4))
    kind = "f32" if kind == "xf32" else kind
    halves = {"f32": 1, "f16": 2, "bf16": 2, "bf16_1k": 2, "f64": 1}[kind]
    word = 0
    for n in range(halves):
        bits, fraction, bias = {"f32": (32, 23, 127), "f16": (16, 10, 15), "bf16": (16, 7, 127),
                                "bf16_1k": (16, 7, 127), "f64": (64, 52, 1023)}[kind]
        low, high = {"f32": (-40, 40), "f16": (-14, 15), "bf16": (-40, 40), "bf16_1k": (-70, 40),
                     "f64": (-400, 400)}[kind]
        exponent = bias + random.choice([random.randint(low, high), random.randint(-2, 2)])
        one = random.getrandbits(1) << bits - 1 | exponent << fraction | random.getrandbits(fraction)
        special = [0, 1 << bits - 1, 1, (1 << bits - 1) + 3, 1 << fraction, bias << fraction]
        word |= (random.choice(special) if random.random() < 0.15 else one) << bits * n
    return word


def elements_of(registers, kind, lane):
    if kind == "f64":
        return [registers[0][lane]]
    per_register = TYPES[kind][1]
    bits = 32 // per_register
    return [registers[n // per_register][lane] >> n % per_register * bits & ((1 << bits) - 1)
            for n in range(len(registers) * per_register)]


def name(size, k, kind):
    result = {"i8": "i32", "_i8": "i32", "f64": "f64"}.get(kind, "f32")
    return f"v_mfma_{result}_{size}x{size}x{k}{'_' if '8_' in kind or kind == 'xf32' else ''}{kind}"


def span(file, first, count):
    return f"{file}{first}" if count == 1 else f"{file}[{first}:{first + count - 1}]"


def section(size, k, blocks, kind, cbsz=0, abid=0, blgp=0, files="vva", in_place=False, rounding=0, on="gfx908+",
            constant=None, negated=0):
    """files: of A, of B, of C and D. constant: C, as written and as a word. negated: A, B, C."""
    wide = kind == "f64"  # a register is then a pair of them
    inputs, items = (1, 1) if wide else (TYPES[kind][0], TYPES[kind][0] * TYPES[kind][1])
    results = size * size * blocks // LANES
    flushes = on == "gfx90a" and kind in ("f16", "bf16", "bf16_1k")
    aligns = on == "gfx942" and kind not in ("f32", "f64", "i8", "_i8")
    a = [[some_word(kind) for _ in range(LANES)] for _ in range(inputs)]
    b = [[some_word(kind) for _ in range(LANES)] for _ in range(inputs)]
    addend = {"i8": "i8", "_i8": "i8", "f64": "f64"}.get(kind, "f32")
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
                register, lane = place_of_result(size, block, row, column, kind)
                word = constant[1] if constant else c[register][lane % 7]
                if negated:
                    x, y = ([number ^ (negated >> n & 1) << 63 for number in words] for n, words in enumerate((x, y)))
                    word ^= (negated >> 2) << 63
                multiply = dot_of_aligned if aligns else dot_without_denormals if flushes else dot
                d[register][lane] = multiply(kind, x, y, word)
    modifiers = "".join(f" {word}:{value}" for word, value in
                        (("cbsz", cbsz), ("abid", abid), ("blgp", blgp)) if value)
    if negated:
        modifiers += f" neg:[{negated & 1},{negated >> 1 & 1},{negated >> 2}]"
    width = 2 if wide else 1
    first_c, first_d = 64, (64 if in_place else 128)
    of_c = constant[0] if constant else span(files[2], first_c, results * width)
    print(f"[{name(size, k, kind)} {span(files[2], first_d, results * width)}, {span(files[0], 0, inputs * width)}, "
          f"{span(files[1], 4, inputs * width)}, {of_c}{modifiers}] {on} exec-ignored")
    print(f"mode = {0x3c0 if flushes else 0x3f0 | rounding:#x}")
    lists = [(files[0], 0, a, "="), (files[1], 4, b, "="), (files[2], first_c, c, "="), (files[2], first_d, d, ":")]
    if constant:
        del lists[2]
    for file, first, registers, sign in lists:
        for n, register in enumerate(registers):
            print(f"{span(file, first + n * width, width)} {sign} " + " ".join(f"{word:#x}" for word in register))
    print()


def sparse_section(size, k, cbsz=0, abid=0, files="vva"):
    """Of gfx942, integers; files: of A, of B, of D. The matrix A is written out with its zeros."""
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    a, b = ([[some_word("i8") for _ in range(LANES)] for _ in range(registers)] for registers in (2, 4))
    indices = [random.getrandbits(32) for _ in range(LANES)]
    dense = [[0] * k for _ in range(size)]
    for lane in range(LANES):
        first_bit = 16 * abid if cbsz == 0 else 0
        for group in range(4):
            pair = random.choice(pairs)
            shift = first_bit + 4 * group
            indices[lane] = indices[lane] & ~(15 << shift) | (pair[0] | pair[1] << 2) << shift
            for n, index in enumerate(pair):
                word = a[group // 2][lane] >> 16 * (group % 2) + 8 * n & 0xFF
                dense[lane % size][16 * (lane // size) + 4 * group + index] = word
    columns = [[b[n % 16 // 4][column + size * (n // 16)] >> 8 * (n % 4) & 0xFF for n in range(k)]
               for column in range(size)]
    results = size * size // LANES
    c = [[some_word("i8") for _ in range(7)] for _ in range(results)]
    d = [[None] * LANES for _ in range(results)]
    for row in range(size):
        for column in range(size):
            register, lane = place_of_result(size, 0, row, column, "i8")
            d[register][lane] = dot("i8", dense[row], columns[column], c[register][lane % 7])
    modifiers = "".join(f" {word}:{value}" for word, value in (("cbsz", cbsz), ("abid", abid)) if value)
    print(f"[v_smfmac_i32_{size}x{size}x{k}_i8 {span(files[2], 64, results)}, {span(files[0], 0, 2)}, "
          f"{span(files[1], 4, 4)}, v8{modifiers}] gfx942 exec-ignored")
    for file, first, registers, sign in ((files[0], 0, a, "="), (files[1], 4, b, "="), ("v", 8, [indices], "="),
                                         (files[2], 64, c, "="), (files[2], 64, d, ":")):
        for n, register in enumerate(registers):
            print(f"{span(file, first + n, 1)} {sign} " + " ".join(f"{word:#x}" for word in register))
    print()


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
