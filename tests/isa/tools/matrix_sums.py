"""What an element of a matrix multiplication is, by generation: sums of products in rational numbers.

Words go in and come out. Sources are named in matrix.py, in what it writes at the top of matrix.case.
"""
import functools
from fractions import Fraction


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
