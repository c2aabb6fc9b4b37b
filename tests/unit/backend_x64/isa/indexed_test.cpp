// Loads and stores whose address is a base and a lane's index: consecutive ones, parts of a slice
// that are, others, and indices whose extension or sum wraps around.
#include <algorithm>
#include <iterator>

#include "tests/unit/backend_x64/isa/indexed_access.h"

namespace gcnjit::backend {
namespace {

constexpr uint8_t kIndexedSizes[] = {1, 2, 4, 8, 12, 16};

// f(form) for each size, sign, direction, extension and each shift up to the size, and beyond.
template <typename F>
void ForAllForms(F f) {
  for (const uint8_t bytes : kIndexedSizes) {
    for (const bool sign_extend : {false, true}) {
      if (sign_extend && bytes >= 4) continue;
      for (const bool is_store : {false, true}) {
        if (is_store && sign_extend) continue;
        for (const bool index_signed : {false, true}) {
          for (uint8_t shift = 0; shift <= 5; ++shift) {
            Form form;
            form.access.bytes = bytes;
            form.access.sign_extend = sign_extend;
            form.access.indexed = true;
            form.access.index_signed = index_signed;
            form.access.index_shift = shift;
            form.is_store = is_store;
            f(form);
            form.as_quadwords = bytes % 8 == 0;
            if (form.as_quadwords && !is_store) f(form);
            if (::testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

TEST(IndexedAccesses, RunsUnderAllMasks) {
  ForAllForms([](const Form& form) {
    IndexedAccess access(form);
    if (form.step() == 0) return;
    for (const uint64_t mask : kMasks) {
      access.Check(Consecutive(5, form.step()), kMiddle, mask, 0);
      if (form.access.index_signed) access.Check(Consecutive(~4u, form.step()), kMiddle, mask, 0);
    }
    EXPECT_FALSE(access.faulted());
  });
}

// Stores of bytes and words lane by lane are the runtime's with AVX-512.
TEST(IndexedAccesses, RowsAndGathers) {
  ForAllForms([](const Form& form) {
    IndexedAccess access(form);
    const uint32_t step = std::max(1u, form.step());
    for (const uint64_t mask : {kMasks[0], kMasks[5], kMasks[7]}) {
      const bool known = form.step() != 0;
      // Of 16 lanes: runs of a part each. Of 8: so with AVX2.
      access.Check(Rows(7, step, 16, 1), kMiddle, mask, known ? 0 : -1);
      access.Check(Rows(7, step, 16, 3), kMiddle, mask, known ? 0 : -1);
      access.Check(Rows(7, step, 8, 1), kMiddle, mask);
      access.Check(Rows(7, step, 4, 1), kMiddle, mask);
      access.Check(Rows(7, step, 32, 1), kMiddle, mask);
      access.Check(Consecutive(7, 0), kMiddle, mask);
      access.Check(Consecutive(7, step + 1), kMiddle, mask);
      access.Check(Consecutive(7, 0u - step), kMiddle, mask);
      // Runs but for one lane, at every place.
      for (int lane = 0; lane < ir::kLanes; lane += 5) {
        Indices indices = Consecutive(7, step);
        indices[static_cast<size_t>(lane)] += 1;
        access.Check(indices, kMiddle, mask);
      }
    }
    std::mt19937 random(form.access.Pack());
    Indices shuffled;
    for (uint32_t& index : shuffled) index = random() % 64;
    access.Check(shuffled, kMiddle, ~uint64_t{0});
  });
}

// Consecutive indices are consecutive no more where the extension wraps around: from 2^31 - 1 to
// -2^31, or from 2^32 - 1 to 0. Nor do addresses, which then leave memory.
TEST(IndexedAccesses, IndicesThatWrapAround) {
  ForAllForms([](const Form& form) {
    IndexedAccess access(form);
    const uint32_t step = std::max(1u, form.step());
    const uint32_t limit = form.access.index_signed ? 0x80000000 : 0;
    for (const uint32_t lanes : {1u, 8u, 15u, 16u, 17u, 32u, 48u, 63u}) {
      // The first index that has wrapped around is that of lane `lanes`.
      const Indices indices = Consecutive(limit - lanes * step, step);
      const uint64_t below = (uint64_t{1} << lanes) - 1;
      access.Check(indices, kMiddle, below);
      EXPECT_FALSE(access.faulted());
      access.Check(indices, kMiddle, ~uint64_t{0});
      EXPECT_TRUE(access.faulted());
    }
    // The last lane's index is the last one that has not.
    access.Check(Consecutive(limit - 63 * step - 1, step), kMiddle, ~uint64_t{0});
    EXPECT_FALSE(access.faulted());
    access.Check(Consecutive(limit - 64 * step, step), kMiddle, ~uint64_t{0});
    EXPECT_FALSE(access.faulted());
    // The other limit is none.
    access.Check(Consecutive((limit ^ 0x80000000) - 20 * step, step), kMiddle, ~uint64_t{0});
    EXPECT_FALSE(access.faulted());
  });
}

// It is known that each 16 lanes are consecutive, but not how the runs lie to each other.
TEST(IndexedAccesses, RunsOfAPartThatAreKnown) {
  constexpr uint32_t kRun = 16;
  ForAllForms([](const Form& form) {
    const uint32_t step = form.step();
    if (step == 0) return;
    ir::VgprShape shape{0, kRun, 0, {}};
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) shape.offsets[lane] = lane % kRun * step;
    constexpr std::pair<int32_t, bool> kForms[] = {
        {0, false}, {-24, false}, {4000, false}, {0, true}};
    for (const auto& [imm, repeated] : kForms) {
      Form moved = form;
      moved.imm = imm;
      moved.repeated = repeated;
      IndexedAccess access(moved, /*other_environment=*/false, {shape});
      for (const uint64_t mask : kMasks) {
        access.Check(Rows(7, step, kRun, 1), kMiddle, mask, 0);
        if (form.access.index_signed) access.Check(Rows(~80u, step, kRun, 2), kMiddle, mask, 0);
        EXPECT_FALSE(access.faulted());
      }
      // The base is far away, and an index of the last run wraps around, or just does not.
      const uint32_t limit = form.access.index_signed ? 0x80000000 : 0;
      for (const uint32_t lanes : {49u, 56u, 63u, 64u}) {
        const Indices indices = Consecutive(limit - lanes * step, step);
        const uint64_t below = lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
        access.Check(indices, kMiddle, below);
        EXPECT_FALSE(access.faulted());
        if (lanes == 64) continue;
        access.Check(indices, kMiddle, ~uint64_t{0});
        EXPECT_TRUE(access.faulted());
      }
      // Bases on either side of the distances at which the way is another one.
      for (const uint64_t distance : {uint64_t{1} << 30, uint64_t{1} << 31, uint64_t{1} << 32}) {
        for (const int64_t near : {-0x1000, -1, 0, 1, 0x1000}) {
          const uint64_t index =
              (distance + static_cast<uint64_t>(near)) >> form.access.index_shift;
          if (index >> 31 != 0) continue;
          access.Check(Rows(static_cast<uint32_t>(index), step, kRun, 1), kMiddle, ~uint64_t{0});
          if (!form.access.index_signed) continue;
          access.Check(Rows(0u - static_cast<uint32_t>(index), step, kRun, 1), kMiddle,
                       ~uint64_t{0});
        }
      }
      // Runs within memory and outside it.
      Indices apart = Rows(7, step, kRun, 0);
      for (uint32_t lane = 2 * kRun; lane < 3 * kRun; ++lane) apart[lane] += 0x20000000;
      access.Check(apart, kMiddle, ~uint64_t{0});
      EXPECT_EQ(access.faulted(), true);
    }
  });
}

// It is known that each 8 lanes have one index.
TEST(IndexedAccesses, OneElementForEachEightLanes) {
  const ir::VgprShape shape{0, 8, 0, {}};
  ForAllForms([&](const Form& form) {
    IndexedAccess access(form, /*other_environment=*/false, {shape});
    for (const uint64_t mask : kMasks) {
      Indices indices;
      for (uint32_t lane = 0; lane < ir::kLanes; ++lane) indices[lane] = 40 - lane / 8 * 3;
      access.Check(indices, kMiddle, mask);
      access.Check(indices, GuestPages::kBegin + GuestPages::kSize - form.access.bytes, mask);
    }
  });
}

// Rows of consecutive lanes, how far apart is a scalar: forwards and backwards, to both ends of
// memory, and where a row or the last one of them wraps around.
TEST(IndexedAccesses, RowsThatAScalarIsBetween) {
  using Shapes = std::vector<ir::VgprShape>;
  const Shapes known = {{9, 1, 0, {}}};  // but nothing of v9
  int within = 0;
  ForAllForms([&](const Form& plain) {
    const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
    const uint32_t limit = plain.access.index_signed ? 0x80000000 : 0;
    const uint32_t bytes = plain.unit();
    if (plain.step() != 1 && !(plain.access.bytes > 4 && plain.access.index_shift == 2)) return;
    for (const auto& [lanes, shapes] : {std::pair(8, known), std::pair(16, known),
                                        std::pair(32, known), std::pair(32, Shapes())}) {
      Form form = plain;
      form.row_lanes = lanes;
      // Slices are of few rows, or of parts of one.
      form.crowded = (lanes == 16 && plain.access.bytes == 4) || (lanes == 32 && !shapes.empty());
      IndexedAccess access(form, /*other_environment=*/lanes == 8, shapes);
      const auto rows = [lanes = lanes](uint32_t first, int32_t step) {
        Indices indices;
        for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
          const uint32_t row = lane / static_cast<uint32_t>(lanes);
          indices[lane] =
              first + row * static_cast<uint32_t>(step) + lane % static_cast<uint32_t>(lanes);
        }
        return indices;
      };
      const int count = ir::kLanes / lanes;
      for (const uint64_t mask : {kMasks[0], kMasks[5]}) {
        for (const int32_t step : {0, lanes + 5, -40}) {
          access.Check(rows(400, step), kMiddle, mask);
          within += access.faulted() ? 0 : 1;
          // The last row's last element is the last of memory, or beyond it; so of the first one.
          const uint64_t last =
              end - form.access.bytes -
              static_cast<uint64_t>(int64_t{(count - 1) * step + lanes - 1}) * bytes;
          access.Check(rows(400, step), last, mask);
          access.Check(rows(400, step), last + 1, mask);
          const uint64_t first = end - form.access.bytes - static_cast<uint64_t>(lanes - 1) * bytes;
          access.Check(rows(400, step), first, mask);
          access.Check(rows(400, step), first + 1, mask);
          // And the first ones of both.
          const auto above = static_cast<uint64_t>(int64_t{(count - 1) * step}) * bytes;
          for (const uint64_t below : {uint64_t{0}, uint64_t{1}}) {
            access.Check(rows(400, step), GuestPages::kBegin - below, mask);
            access.Check(rows(400, step), GuestPages::kBegin - above - below, mask);
          }
          if (::testing::Test::HasFailure()) return;
        }
        // The first row wraps around, or just does not; and so the last one.
        for (const uint32_t inside : {1u, 5u, 31u, 32u}) {
          access.Check(rows(limit - inside, 40), kMiddle, mask);
          access.Check(rows(limit - inside - static_cast<uint32_t>(count - 1) * 40, 40), kMiddle,
                       mask);
          // The last one, and below.
          access.Check(rows(limit + inside, -40), kMiddle, mask);
          access.Check(rows(limit + inside + static_cast<uint32_t>(count - 1) * 40, -40), kMiddle,
                       mask);
        }
      }
    }
  });
  EXPECT_GT(within, 100);
}

// It is known that the wave's lanes are consecutive. Where code in line cannot access them, the
// runtime gets all of them at once.
TEST(IndexedAccesses, RunsOfTheWaveThatAreKnown) {
  ForAllForms([](const Form& form) {
    const uint32_t step = form.step();
    if (step == 0) return;
    ir::VgprShape shape{0, ir::kLanes, 0, {}};
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) shape.offsets[lane] = lane * step;
    const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
    const uint32_t limit = form.access.index_signed ? 0x80000000 : 0;
    constexpr uint32_t kInside = 40;
    constexpr uint64_t kBelow = (uint64_t{1} << kInside) - 1;
    for (const int variant : {0, 1, 2}) {
      const bool other_environment = variant == 1;
      Form moved = form;
      moved.imm = other_environment ? -24 : 0;
      moved.partly_read = other_environment;
      moved.crowded = variant == 2;
      for (const uint64_t mask : kMasks) {
        moved.all_lanes = mask == ~uint64_t{0};
        // Its window has yet to be found.
        IndexedAccess access(moved, other_environment, {shape});
        access.Check(Consecutive(7, step), kMiddle, mask, 0);
        EXPECT_FALSE(access.faulted());
        if (form.access.index_signed) access.Check(Consecutive(~80u, step), kMiddle, mask, 0);
        access.Check(Consecutive(limit - kInside * step, step), kMiddle, mask);
        EXPECT_EQ(access.faulted(), (mask & ~kBelow) != 0);
        access.Check(Consecutive(3, step), end - kInside * form.access.bytes, mask);
        EXPECT_EQ(access.faulted(), (mask & ~kBelow) != 0);
        access.Check(Consecutive(3, step), end - ir::kLanes * form.access.bytes, mask);
        EXPECT_FALSE(access.faulted());
        if (moved.all_lanes) continue;
        access.Check(Consecutive(limit - kInside * step, step), kMiddle, mask & kBelow);
        EXPECT_FALSE(access.faulted());
        access.Check(Consecutive(3, step), end - kInside * form.access.bytes, mask & kBelow);
        EXPECT_FALSE(access.faulted());
        // Without lanes nothing is called.
        access.Check(Consecutive(3, step), end, 0, 0);
      }
    }
  });
}

// Bytes and 16-bit words of structures, of which it is known how far they are apart.
TEST(IndexedAccesses, ElementsWithGapsThatAreKnown) {
  ForAllForms([](const Form& form) {
    const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
    const uint32_t limit = form.access.index_signed ? 0x80000000 : 0;
    if (form.access.bytes > 4) return;
    for (const uint32_t step : {1u, 2u, 3u, 4u, 5u}) {
      const uint32_t bytes = step << form.access.index_shift;
      if (bytes > 8) continue;
      ir::VgprShape shape{0, 16, 0, {}};
      for (uint32_t lane = 0; lane < ir::kLanes; ++lane) shape.offsets[lane] = lane % 16 * step;
      const bool is_in_line = !form.is_store && form.access.bytes <= 2 && bytes <= 4;
      for (const uint64_t mask : kMasks) {
        IndexedAccess access(form, /*other_environment=*/false, {shape});
        access.Check(Consecutive(5, step), kMiddle, mask, is_in_line ? 0 : -1);
        access.Check(Rows(5, step, 16, 7), kMiddle, mask, is_in_line ? 0 : -1);
        EXPECT_FALSE(access.faulted());
        if (form.access.index_signed) access.Check(Consecutive(~80u, step), kMiddle, mask);
        access.Check(Consecutive(limit - 40 * step, step), kMiddle, mask);
        // The last lane's element is the last of memory; it is not there; lane 40's is the last.
        const uint64_t last = end - form.access.bytes;
        for (const uint32_t lane : {63u, 62u, 40u, 15u, 7u}) {
          access.Check(Consecutive(3, step), last - lane * bytes, mask);
          access.Check(Consecutive(3, step), last - lane * bytes + 1, mask);
        }
        access.Check(Consecutive(3, step), GuestPages::kBegin, mask);
        access.Check(Consecutive(3, step), GuestPages::kBegin - 1, mask);
      }
    }
  });
}

// Memory ends, and with it the window, within the run.
TEST(IndexedAccesses, RunsThatEndWithMemory) {
  ForAllForms([](const Form& form) {
    IndexedAccess access(form);
    const uint32_t step = form.step();
    if (step == 0) return;
    const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
    access.Check(Consecutive(3, step), kMiddle, ~uint64_t{0});
    for (const uint32_t lanes : {64u, 63u, 49u, 48u, 33u, 32u, 17u, 16u, 15u, 9u, 8u, 7u, 1u}) {
      const uint64_t at = end - lanes * form.access.bytes;
      const uint64_t inside = lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
      access.Check(Consecutive(3, step), at, inside);
      EXPECT_FALSE(access.faulted());
      access.Check(Consecutive(3, step), at + 1, inside);
      EXPECT_TRUE(access.faulted());
      if (lanes != 64) access.Check(Consecutive(3, step), at, ~uint64_t{0});
      // In front of it.
      const uint64_t front = GuestPages::kBegin - (64 - lanes) * form.access.bytes;
      access.Check(Consecutive(3, step), front,
                   lanes == 64 ? inside : ~uint64_t{0} << (64 - lanes));
      EXPECT_FALSE(access.faulted());
      access.Check(Consecutive(3, step), front - 1, ~uint64_t{0});
      EXPECT_TRUE(access.faulted());
    }
  });
}

// Lanes that do not access may have any address.
TEST(IndexedAccesses, InactiveLanesMayHaveAnyIndex) {
  ForAllForms([](const Form& form) {
    IndexedAccess access(form);
    std::mt19937 random(form.access.Pack());
    Indices garbage;
    for (uint32_t& index : garbage) index = static_cast<uint32_t>(random());
    access.Check(garbage, 0x123456789ABCDEF0, 0);
    access.Check(garbage, ~uint64_t{0}, 0);
    for (const uint64_t mask : {kMasks[2], kMasks[5], kMasks[7]}) {
      Indices indices = garbage;
      const uint32_t step = std::max(1u, form.step());
      for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
        if ((mask >> lane & 1) != 0) indices[lane] = 100 + lane * step;
      }
      if ((mask & 1) == 0) indices[0] = 100;
      access.Check(indices, kMiddle, mask);
      EXPECT_FALSE(access.faulted());
    }
  });
}

// Some lanes fault; the first one counts.
TEST(IndexedAccesses, Faults) {
  ForAllForms([](const Form& form) {
    if (form.access.index_shift == 1 || form.access.index_shift == 5) return;
    for (const bool other_environment : {false, true}) {
      IndexedAccess access(form, other_environment);
      for (const size_t lane : {size_t{0}, size_t{9}, size_t{16}, size_t{40}, size_t{63}}) {
        Indices indices = Consecutive(64, std::max(1u, form.step()));
        // From the first lane on: addresses are given by lane 0's.
        indices[lane] = lane == 0 ? 0 : 0x40000000;
        indices[63] = 0x30000000;
        access.Check(indices, lane == 0 ? 0x1000 : kMiddle, ~uint64_t{0});
        EXPECT_TRUE(access.faulted());
        access.Check(indices, kMiddle,
                     ~uint64_t{0} & ~(uint64_t{1} << lane) & ~(uint64_t{1} << 63));
        access.Check(indices, kMiddle, 0);
        EXPECT_FALSE(access.faulted());
      }
    }
  });
}

TEST(IndexedAccesses, OffsetsConstantBasesAndUniformIndices) {
  for (const int32_t imm : {0, 4, -4, 1, 4095, -4096, 8191, -8191}) {
    ForAllForms([imm](const Form& plain) {
      if (plain.access.index_shift == 1 || plain.access.index_shift > 3) return;
      Form form = plain;
      form.imm = imm;
      const uint32_t step = std::max(1u, form.step());
      for (const bool partly_read : {false, true}) {
        form.partly_read = partly_read;
        IndexedAccess access(form, /*other_environment=*/partly_read);
        access.Check(Consecutive(1000, step), kMiddle, ~uint64_t{0});
        access.Check(Rows(~99u, step, 16, 2), kMiddle, 0xFFFFFFFFFF);
        access.Check(Consecutive(1000, step + 1), kMiddle, kMasks[7]);
      }
      form.partly_read = false;
      Form uniform = form;
      uniform.uniform_index = true;
      IndexedAccess(uniform).Check(Consecutive(1000, 0), kMiddle, kMasks[5]);
      Form constant = form;
      constant.constant_base = true;
      IndexedAccess access(constant);
      access.Check(Consecutive(constant.imm < 0 ? 0x2100 >> form.access.index_shift : 0, step),
                   kMiddle, ~uint64_t{0});
    });
  }
}

// Sums that wrap around at 2^64, and carries from the low dword into the high one.
TEST(IndexedAccesses, SumsThatCarry) {
  ForAllForms([](const Form& plain) {
    Form form = plain;
    for (const uint8_t shift : {uint8_t{0}, uint8_t{2}, uint8_t{16}, uint8_t{31}}) {
      form.access.index_shift = shift;
      IndexedAccess access(form);
      for (const uint32_t first : {0u, 1u, 0x7FFFF000u, 0x80000000u, 0xC0000001u, 0xFFFFF000u}) {
        const uint32_t step = form.step() != 0 ? form.step() : shift > 8 ? 0 : 1;
        access.Check(Consecutive(first, step), kMiddle, ~uint64_t{0});
        EXPECT_FALSE(access.faulted());
      }
    }
  });
}

}  // namespace
}  // namespace gcnjit::backend
