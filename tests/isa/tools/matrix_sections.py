"""Sections of matrix.case: where elements lie, random operands, and an instruction with what it is to leave."""
import random

from matrix_sums import dot, dot_of_aligned, dot_without_denormals

LANES = 64
# Size and type of A and B: registers of a lane, elements in a register.
TYPES = {"f32": (1, 1), "f16": (2, 2), "bf16": (1, 2), "i8": (1, 4), "bf16_1k": (2, 2), "f64": (2, 0.5),
         "xf32": (2, 1), "_i8": (2, 4), "bf8_bf8": (2, 4), "bf8_fp8": (2, 4), "fp8_bf8": (2, 4), "fp8_fp8": (2, 4)}


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


# ---- Operands and sections

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
