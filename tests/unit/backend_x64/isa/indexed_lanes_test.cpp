// Loads and stores of dwords whose lanes lie near each other.
#include <bit>

#include "tests/unit/backend_x64/isa/indexed_access.h"

namespace gcnjit::backend {
namespace {

constexpr uint8_t kLaneSizes[] = {1, 2, 4, 8, 12, 16};

Form FormOf(bool is_store, bool index_signed) {
  Form form;
  form.access.bytes = 4;
  form.access.indexed = true;
  form.access.index_signed = index_signed;
  form.access.index_shift = 2;
  form.is_store = is_store;
  return form;
}

// Parts of `lanes` lanes, so many dwords apart.
template <typename F>
Indices OfParts(uint32_t lanes, uint32_t first, uint32_t apart, F distance) {
  Indices indices;
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    indices[lane] = first + lane / lanes * apart + distance(lane % lanes);
  }
  return indices;
}

uint32_t EverySecond(uint32_t lane) { return lane * 2; }

// The lanes of a part among the 32 dwords from the first lane's on, or just not.
TEST(IndexedLanes, Loads) {
  const auto mixed = [](uint32_t lane) { return lane * 11 % 32; };
  for (const bool index_signed : {false, true}) {
    IndexedAccess access(FormOf(/*is_store=*/false, index_signed));
    for (const uint64_t mask : kMasks) {
      access.Check(OfParts(16, 9, 32, EverySecond), kMiddle, mask, 0);
      access.Check(OfParts(16, 9, 100, mixed), kMiddle, mask, 0);
      // Lanes after the 32 dwords, and before the first lane: active ones and others.
      for (const uint32_t far : {31u, 32u, 33u, ~0u, 0x200u}) {
        for (const uint32_t odd : {1u, 9u, 15u}) {
          access.Check(
              OfParts(16, 9, 64, [&](uint32_t lane) { return lane == odd ? far : mixed(lane); }),
              kMiddle, mask, 0);
        }
      }
      EXPECT_FALSE(access.faulted());
    }
    // Inactive lanes are anywhere.
    access.Check(
        OfParts(16, 9, 64, [](uint32_t lane) { return lane % 2 == 0 ? lane : lane << 27; }),
        kMiddle, 0x5555555555555555, 0);
    EXPECT_FALSE(access.faulted());
    // Memory ends within the 32 dwords, after the last lane's or before it.
    const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
    for (uint32_t dwords = 1; dwords < 132; dwords += 5) {
      access.Check(OfParts(16, 9, 32, EverySecond), end - uint64_t{dwords} * 4, ~uint64_t{0});
    }
    // The index wraps around within a part.
    const uint32_t limit = index_signed ? 0x80000000 : 0;
    for (uint32_t before = 1; before < 40; ++before) {
      access.Check(OfParts(16, limit - before, 0, EverySecond), kMiddle, ~uint64_t{0});
    }
  }
}

// All lanes have one index, or all but one: whichever, active or not. Where memory ends within the
// element, or the index is the last one, it is the runtime's.
TEST(IndexedLanes, LoadsOfOneElement) {
  for (const uint8_t bytes : kLaneSizes) {
    for (const bool index_signed : {false, true}) {
      Form form = FormOf(/*is_store=*/false, index_signed);
      form.access.bytes = bytes;
      form.access.sign_extend = bytes < 4 && index_signed;
      form.access.index_shift = static_cast<uint8_t>(bytes == 1 ? 0 : bytes == 2 ? 1 : 2);
      IndexedAccess access(form);
      Indices alike;
      alike.fill(9);
      for (const uint64_t mask : kMasks) {
        access.Check(alike, kMiddle, mask, 0);
        for (const size_t odd : {0u, 7u, 8u, 15u, 16u, 40u, 63u}) {
          Indices others = alike;
          others[odd] = 11;
          access.Check(others, kMiddle, mask, 0);
        }
      }
      EXPECT_FALSE(access.faulted());
      const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
      access.Check(alike, end - bytes, ~uint64_t{0});
      EXPECT_FALSE(access.faulted());
      access.Check(alike, end - bytes + 1, ~uint64_t{0});
      EXPECT_TRUE(access.faulted());
      access.Check(alike, end, 0);
      EXPECT_FALSE(access.faulted());
      for (const uint32_t index : {0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
        alike.fill(index);
        access.Check(alike, kMiddle, ~uint64_t{0});
      }
    }
  }
}

// Single dwords and pairs of them, the last of those that several lanes write, and in which order
// parts are. With AVX2 a part has 8 lanes, among 64 dwords.
TEST(IndexedLanes, Stores) {
  const auto pairs = [](uint32_t lane) { return lane / 2 * 4 + lane % 2; };
  const auto far_pairs = [](uint32_t lane) { return lane / 2 * 20 + lane % 2; };
  const auto pairs_that_overlap = [](uint32_t lane) { return lane / 2 + lane % 2; };
  const auto quads = [](uint32_t lane) { return lane / 4 * 8 + lane % 4; };
  const auto shuffled = [](uint32_t lane) { return lane * 5 % 8; };
  const auto backwards = [](uint32_t lane) { return 0u - lane; };
  const auto same = [](uint32_t) { return 0u; };
  for (const bool index_signed : {false, true}) {
    Form form = FormOf(/*is_store=*/true, index_signed);
    form.all_lanes = true;
    IndexedAccess access(form);
    for (const uint32_t apart : {0u, 1u, 16u, 64u, 100u, ~4u}) {
      const auto check = [&](auto distance) {
        access.Check(OfParts(8, 200, apart, distance), kMiddle, ~uint64_t{0}, 0);
        EXPECT_FALSE(access.faulted());
      };
      check(EverySecond);
      check(pairs);
      check(far_pairs);
      check(pairs_that_overlap);
      check(quads);
      check(shuffled);
      check(backwards);
      check(same);
      for (const uint32_t far : {62u, 63u, 64u, 65u, ~0u, 0x300u}) {
        check([&](uint32_t lane) { return lane == 7 ? far : pairs(lane); });
        check([&](uint32_t lane) { return lane == 6 ? far : pairs(lane); });
        check([&](uint32_t lane) { return lane == 3 ? far : EverySecond(lane); });
      }
    }
    // Memory ends within the dwords, after the last lane's or before it.
    const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
    for (uint32_t dwords = 1; dwords < 180; dwords += 3) {
      access.Check(OfParts(8, 9, 16, EverySecond), end - uint64_t{dwords} * 4, ~uint64_t{0});
      access.Check(OfParts(8, 9, 16, pairs), end - uint64_t{dwords} * 4, ~uint64_t{0});
    }
    // The index wraps around within a part.
    const uint32_t limit = index_signed ? 0x80000000 : 0;
    for (uint32_t before = 1; before < 80; before += 3) {
      access.Check(OfParts(8, limit - before, 0, EverySecond), kMiddle, ~uint64_t{0});
      access.Check(OfParts(8, limit - before, 0, pairs), kMiddle, ~uint64_t{0});
    }
  }
}

// How the lanes lie is known when the access is compiled: one address, near ones, far ones.
TEST(IndexedLanes, ThatAreKnown) {
  const auto check = [](uint32_t lanes, auto distance, uint8_t bytes = 4) {
    for (const bool is_store : {false, true}) {
      for (const bool all_lanes : {false, true}) {
        Form form = FormOf(is_store, /*index_signed=*/is_store);
        form.all_lanes = all_lanes;
        form.access.bytes = bytes;
        ir::VgprShape shape{0, static_cast<uint8_t>(lanes), 0, {}};
        for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
          shape.offsets[lane] = distance(lane % lanes);
        }
        IndexedAccess access(form, /*other_environment=*/false, {shape});
        for (const uint64_t mask : kMasks) {
          if (all_lanes && ~mask != 0) continue;
          for (const uint32_t apart : {0u, 16u, 40u}) {
            // Of other sizes, some stores are the runtime's.
            const int calls = bytes == 4 ? 0 : -1;
            access.Check(OfParts(lanes, 200, apart, distance), kMiddle, mask, calls);
            EXPECT_FALSE(access.faulted());
          }
        }
        const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
        for (uint32_t dwords = 1; dwords < 140; dwords += 7) {
          access.Check(OfParts(lanes, 9, 0, distance), end - uint64_t{dwords} * 4, ~uint64_t{0});
        }
        const uint32_t limit = form.access.index_signed ? 0x80000000 : 0;
        for (uint32_t before = 1; before < 80; before += 3) {
          access.Check(OfParts(lanes, limit - before, 0, distance), kMiddle, ~uint64_t{0});
        }
      }
    }
  };
  for (const uint32_t lanes : {8u, 16u, 64u}) {
    const auto same = [](uint32_t) { return 0u; };
    for (const uint8_t bytes : kLaneSizes) check(lanes, same, bytes);
    check(lanes, [](uint32_t lane) { return lane / 8; });
    check(lanes, [](uint32_t lane) { return lane % 8 * 2; });
    check(lanes, [](uint32_t lane) { return lane / 2 * 4 + lane % 2; });
    check(lanes, [](uint32_t lane) { return lane * 5 % 8; });
    check(lanes, [](uint32_t lane) { return lane % 8 == 7 ? 15u : lane % 8; });
    check(lanes, [](uint32_t lane) { return lane % 8 == 7 ? 16u : lane % 8; });
    check(lanes, [](uint32_t lane) { return lane * 9; });
    check(lanes, [](uint32_t lane) { return (7 - lane % 8) * 2; });
  }
}

// Neighbours in rows: each lane's element begins within the one before, at a distance that is known
// when the access is compiled.
TEST(IndexedLanes, ElementsThatOverlap) {
  struct Kind {
    uint8_t bytes, shift;
    uint32_t step;  // of indices
    bool as_quadwords = false;
  };
  constexpr Kind kKinds[] = {{2, 0, 1},        {4, 0, 1},        {4, 0, 2},        {4, 1, 1},
                             {4, 0, 3},        {8, 2, 1},        {8, 0, 4},        {12, 2, 1},
                             {12, 0, 4},       {8, 0, 1},        {2, 1, 1},        {16, 2, 1},
                             {16, 3, 1},       {16, 3, 1, true}, {16, 0, 8, true}, {16, 2, 2, true},
                             {16, 2, 1, true}, {8, 2, 1, true}};
  for (const Kind& kind : kKinds) {
    for (const bool is_signed : {false, true}) {
      if (is_signed && kind.bytes != 2) continue;
      for (const uint32_t lanes : {8u, 16u, 64u}) {
        const auto distance = [&](uint32_t lane) { return lane * kind.step; };
        for (const bool all_lanes : {false, true}) {
          Form form = FormOf(/*is_store=*/false, /*index_signed=*/true);
          form.all_lanes = all_lanes;
          form.access.bytes = kind.bytes;
          form.as_quadwords = kind.as_quadwords;
          SCOPED_TRACE(testing::Message()
                       << "bytes " << int{kind.bytes} << ", shift " << int{kind.shift} << ", step "
                       << kind.step << ", rows of " << lanes << ", all lanes " << all_lanes
                       << ", signed " << is_signed);
          form.access.sign_extend = is_signed;
          form.access.index_shift = kind.shift;
          ir::VgprShape shape{0, static_cast<uint8_t>(lanes), 0, {}};
          for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
            shape.offsets[lane] = distance(lane % lanes);
          }
          IndexedAccess access(form, /*other_environment=*/false, {shape});
          for (const uint64_t mask : kMasks) {
            if (all_lanes && ~mask != 0) continue;
            for (const uint32_t apart : {0u, 16u, kind.bytes == 16 ? 60u : 333u}) {
              access.Check(OfParts(lanes, 201, apart, distance), kMiddle, mask, 0);
              EXPECT_FALSE(access.faulted());
            }
          }
          // Memory ends within the last part, or begins after its first lanes.
          const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
          for (uint32_t bytes = 1; bytes < 300; bytes += 5) {
            access.Check(OfParts(lanes, 0, 0, distance), end - bytes, ~uint64_t{0});
            access.Check(OfParts(lanes, 0, 0, distance), GuestPages::kBegin - bytes, ~uint64_t{0});
          }
        }
      }
    }
  }
}

// Rows of lanes with bases of their own: consecutive elements in each, or one element.
TEST(IndexedLanes, Rows) {
  for (const uint8_t bytes : kLaneSizes) {
    for (const uint32_t lanes : {8u, 16u}) {
      for (const uint32_t step : {1u, 0u}) {
        for (const uint32_t kind : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
          Form form = FormOf(/*is_store=*/(kind & 1) != 0, /*index_signed=*/(kind & 2) != 0);
          form.all_lanes = (kind & 4) != 0;
          form.access.bytes = bytes;
          form.access.sign_extend = bytes < 4 && form.access.index_signed;
          form.access.index_shift = bytes == 12 ? 2 : static_cast<uint8_t>(std::countr_zero(bytes));
          form.partly_read = !form.is_store && bytes == 8 && form.access.index_signed;
          form.imm = form.all_lanes ? 8 : 0;
          const uint32_t elements = step * form.step();
          const auto distance = [=](uint32_t lane) { return lane * elements; };
          ir::VgprShape shape{0, static_cast<uint8_t>(lanes), 0, {}};
          for (uint32_t lane = 0; lane < ir::kLanes; ++lane)
            shape.offsets[lane] = distance(lane % lanes);
          SCOPED_TRACE(testing::Message() << "bytes " << int{bytes} << ", rows of " << lanes
                                          << ", step " << step << ", kind " << kind);
          IndexedAccess access(form, /*other_environment=*/false, {shape});
          for (const uint64_t mask : kMasks) {
            if (form.all_lanes && ~mask != 0) continue;
            // The last: rows of a store overlap.
            for (const uint32_t apart : {lanes * elements, 40u, ~19u, elements * 3}) {
              access.Check(OfParts(lanes, 200, apart, distance), kMiddle, mask);
              EXPECT_FALSE(access.faulted());
            }
          }
          // Memory ends within each row, or begins there.
          const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
          for (uint32_t n = 1; n < 70; n += 3) {
            access.Check(OfParts(lanes, 9, 16, distance), end - n * bytes, ~uint64_t{0});
            access.Check(OfParts(lanes, 9, 16, distance), GuestPages::kBegin - n * bytes,
                         ~uint64_t{0});
          }
          // The index wraps around within a row, or between rows.
          const uint32_t limit = form.access.index_signed ? 0x80000000 : 0;
          for (uint32_t before = 1; before < 50; before += 3)
            access.Check(OfParts(lanes, limit - before, 16, distance), kMiddle, ~uint64_t{0});
        }
      }
    }
  }
}

// Lanes in two runs, one after the other, of which nothing is known when the access is compiled.
TEST(IndexedLanes, TwoRuns) {
  for (const uint8_t bytes : {uint8_t{1}, uint8_t{2}, uint8_t{4}, uint8_t{12}}) {
    for (const uint32_t kind : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
      Form form = FormOf(/*is_store=*/(kind & 1) != 0, /*index_signed=*/(kind & 2) != 0);
      form.all_lanes = (kind & 4) != 0;
      form.access.bytes = bytes;
      form.access.sign_extend = bytes < 4 && form.access.index_signed;
      form.access.index_shift = bytes == 12 ? 2 : static_cast<uint8_t>(std::countr_zero(bytes));
      form.partly_read = bytes == 12 && form.access.index_signed;
      form.imm = form.all_lanes ? 8 : 0;
      SCOPED_TRACE(testing::Message() << "bytes " << int{bytes} << ", kind " << kind);
      IndexedAccess access(form);
      const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
      const uint32_t limit = form.access.index_signed ? 0x80000000 : 0;
      for (const uint32_t lanes : {8u, 16u, 64u}) {
        for (const uint32_t begin : {1u, 5u, 8u, 15u}) {
          // The second run is far off, overlaps the first one (the last lane of a store counts), or
          // would be the first one's end.
          for (const uint32_t jump : {100u, 1u, ~0u, ~20u}) {
            const auto distance = [=](uint32_t lane) {
              return lane + (lane % 16 < begin ? 0 : jump);
            };
            for (const uint64_t mask : kMasks) {
              if (form.all_lanes && ~mask != 0) continue;
              access.Check(OfParts(lanes, 200, 40, distance), kMiddle, mask);
              EXPECT_FALSE(access.faulted());
            }
            if (begin != 5) continue;
            for (uint32_t n = 1; n < 40; n += 3) {
              const Indices indices = OfParts(lanes, 30, 16, distance);
              access.Check(indices, end - n * bytes, ~uint64_t{0});
              access.Check(indices, GuestPages::kBegin - n * bytes, ~uint64_t{0});
              access.Check(OfParts(lanes, limit - n, 16, distance), kMiddle, ~uint64_t{0});
            }
          }
          // One lane is in neither, or in the first run after the second one has begun.
          for (const uint32_t odd : {0u, 3u, 9u, 15u}) {
            for (const uint32_t place : {50u, odd}) {
              const auto distance = [=](uint32_t lane) {
                return lane % 16 == odd ? place : lane + (lane % 16 < begin ? 0 : 8);
              };
              access.Check(OfParts(16, 200, 40, distance), kMiddle, ~uint64_t{0});
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
