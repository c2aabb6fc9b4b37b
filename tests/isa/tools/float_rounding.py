#!/usr/bin/env python3
"""Writes float_rounding.case: sums, products, fused multiply-adds and conversions at and near halfway cases.

    tools/float_rounding.py [SEED [LANES]] > float_rounding.case

The expectations are computed with rational numbers, rounded once by the rules of IEEE 754; no floating-point
hardware is involved. With other seeds the file is a test of its own: isa_run FILE.
"""
import random
import sys
from fractions import Fraction

SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 1
LANES = int(sys.argv[2]) if len(sys.argv) > 2 else 16
NEAREST, UP, DOWN, ZERO = range(4)  # MODE's numbering


class Format:
    def __init__(self, bits, mantissa, flush):
        self.bits, self.mantissa, self.flush = bits, mantissa, flush
        exponent_bits = bits - 1 - mantissa
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.infinity = ((1 << exponent_bits) - 1) << mantissa
        self.sign = 1 << (bits - 1)
        self.lowest = 1 - self.bias - mantissa  # exponent of the smallest denormal

    def value(self, word):
        sign = -1 if word & self.sign else 1
        exponent = (word & self.infinity) >> self.mantissa
        fraction = word & ((1 << self.mantissa) - 1)
        if exponent == 0:
            return 0 if self.flush else sign * fraction * Fraction(2) ** self.lowest
        return sign * (fraction | 1 << self.mantissa) * Fraction(2) ** (
            exponent - self.bias - self.mantissa)

    def round(self, exact, mode, zero_is_negative):
        """The word for `exact`; None where flushing is not documented (rounds up to the smallest normal)."""
        if exact == 0:
            return self.sign if zero_is_negative else 0
        negative, size = exact < 0, abs(exact)
        sign = self.sign if negative else 0
        top = size.numerator.bit_length() - size.denominator.bit_length()
        if Fraction(2) ** top > size:
            top -= 1
        unit = max(top - self.mantissa, self.lowest)
        scaled = size / Fraction(2) ** unit
        count = scaled.numerator // scaled.denominator
        rest = scaled - count
        half = Fraction(1, 2)
        count += {NEAREST: rest > half or (rest == half and count & 1),
                  UP: rest > 0 and not negative,
                  DOWN: rest > 0 and negative,
                  ZERO: False}[mode]
        if count >> (self.mantissa + 1):
            count, unit = count >> 1, unit + 1
        if count < 1 << self.mantissa:  # denormal
            return sign if self.flush else sign | count
        if self.flush and top < self.lowest + self.mantissa:
            return None
        exponent = unit - self.lowest + 1
        if exponent << self.mantissa >= self.infinity:
            to_infinity = mode == NEAREST or mode == (DOWN if negative else UP)
            return sign | self.infinity - (0 if to_infinity else 1)
        return sign | exponent << self.mantissa | count & ((1 << self.mantissa) - 1)

    def random(self):
        kind = random.random()
        if kind < 0.1:
            return random.choice([0, self.sign, 1, self.sign | 1, (1 << self.mantissa) - 1,
                                  1 << self.mantissa, self.infinity - 1,
                                  self.sign | self.infinity - 1])
        if kind < 0.6:
            fraction = random.choice([0, 1, (1 << self.mantissa) - 1, 1 << (self.mantissa - 1),
                                      random.getrandbits(self.mantissa)])
            return (random.getrandbits(1) * self.sign |
                    self.bias + random.randint(-6, 6) << self.mantissa | fraction)
        word = random.getrandbits(self.bits)
        return word & ~(1 << self.mantissa) if word & self.infinity == self.infinity else word

    def addend_near_tie(self, product):
        """A number whose sum with `product` needs careful rounding."""
        if product == 0 or random.random() < 0.4:
            return self.random()
        m = self.mantissa
        shift = random.choice([-m - 1, -m - 2, -2 * m, m, m + 1, -1, 0, 2 * m - 1, -m])
        word = self.round(product * Fraction(2) ** shift, NEAREST, False)
        if word is None or word & ~self.sign == self.infinity:
            return self.infinity - 1
        return word ^ random.getrandbits(1) * self.sign


def add(f, a, b, mode):
    x, y = f.value(a), f.value(b)
    same = (a ^ b) & f.sign == 0
    zero_sign = bool(a & f.sign) if x == 0 and y == 0 and same else mode == DOWN
    return f.round(x + y, mode, zero_sign)


def multiply(f, a, b, mode):
    return f.round(f.value(a) * f.value(b), mode, bool((a ^ b) & f.sign))


def fused(f, a, b, c, mode):
    product, z = f.value(a) * f.value(b), f.value(c)
    same = (a ^ b ^ c) & f.sign == 0
    zero_sign = bool(c & f.sign) if product == 0 and z == 0 and same else mode == DOWN
    return f.round(product + z, mode, zero_sign)


def register(bits, number):
    return f"v[{number}:{number + 1}]" if bits == 64 else f"v{number}"


def section(mnemonic, generations, widths, mode_of, rows_of):
    """widths: of the sources and, last, the result; rows_of(mode): tuples of sources and result."""
    names = [register(w, 2 * n) for n, w in enumerate(widths[:-1])] + [register(widths[-1], 8)]
    print(f"[{mnemonic} {', '.join(names[-1:] + names[:-1])}] {generations}")
    for mode in range(4):
        rows = []
        while len(rows) < LANES:
            row = rows_of(mode)
            if row[-1] is not None:
                rows.append(row)
        if mode:
            print("--")
        print(f"mode = {mode_of(mode):#x}")
        for n, (name, width) in enumerate(zip(names, widths)):
            sign = ":" if n == len(names) - 1 else "="
            print(name, sign, " ".join(f"{row[n]:#0{width // 4 + 2}x}" for row in rows))
    print()


def arithmetic(suffix, generations, fma, bits, mantissa, flush):
    f = Format(bits, mantissa, flush)
    keep = 0x3C0 | (0 if flush else 0x30) if bits == 32 else 0x330 | (0 if flush else 0xC0)
    mode_of = lambda mode: keep | mode << (0 if bits == 32 else 2)

    def sum_row(mode):
        a = f.random()
        b = f.addend_near_tie(f.value(a))
        return a, b, add(f, a, b, mode)

    def product_row(mode):
        a, b = f.random(), f.random()
        return a, b, multiply(f, a, b, mode)

    def fused_row(mode):
        a, b = f.random(), f.random()
        c = f.addend_near_tie(f.value(a) * f.value(b))
        return a, b, c, fused(f, a, b, c, mode)

    section(f"v_add_{suffix}", generations, [bits] * 3, mode_of, sum_row)
    section(f"v_mul_{suffix}", generations, [bits] * 3, mode_of, product_row)
    for mnemonic, where in fma:
        section(mnemonic, where, [bits] * 4, mode_of, fused_row)


def conversions():
    half, single = Format(16, 10, False), Format(32, 23, False)

    def narrow_row(mode):
        word = random.getrandbits(16)
        word &= ~0x400 if word & 0x7C00 == 0x7C00 else 0xFFFF
        step = Fraction(2) ** max(half.lowest, (word >> 10 & 31) - 25)
        tiny = Fraction(1, 4096)
        near = half.value(word) + step * random.choice(
            [0, 1, -1, Fraction(1, 2), Fraction(1, 2) + tiny, Fraction(1, 2) - tiny])
        source = single.round(near, ZERO, False)
        return source, half.round(single.value(source), mode, bool(source >> 31))

    def unsigned_row(mode):
        word = random.getrandbits(random.randint(1, 32))
        return word, single.round(Fraction(word), mode, False)

    def signed_row(mode):
        word = random.getrandbits(32)
        number = word - (1 << 32) if word >> 31 else word
        return word, single.round(Fraction(number), mode, False)

    section("v_cvt_f16_f32", "gfx8+", [32, 16], lambda mode: 0x3F0 | mode << 2, narrow_row)
    section("v_cvt_f32_u32", "all", [32, 32], lambda mode: 0x3F0 | mode, unsigned_row)
    section("v_cvt_f32_i32", "all", [32, 32], lambda mode: 0x3F0 | mode, signed_row)


random.seed(SEED)
print("# Rounding of f32, f64 and f16 in the four rounding modes, with denormals kept and flushed.")
print("# Written by tools/float_rounding.py: exact rational arithmetic, rounded once (IEEE 754; the Vega manual's MODE")
print("# register and CLRX GcnState say which field governs which type).")
print()
for flush in (False, True):
    arithmetic("f32", "all", [("v_fma_f32", "all")], 32, 23, flush)
    arithmetic("f64", "all", [("v_fma_f64", "all")], 64, 52, flush)
    arithmetic("f16", "gfx8+", [("v_fma_f16", "gfx8"), ("v_fma_legacy_f16", "gfx9")], 16, 10, flush)
conversions()
