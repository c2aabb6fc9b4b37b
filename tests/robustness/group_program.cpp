#include "robustness/group_program.h"

#include <fmt/format.h>

#include <random>
#include <string>
#include <tuple>
#include <utility>

#include "robustness/frame.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;

constexpr int kFirstData = 5;  // v5 to v12
constexpr int kDataVgprs = 8;
constexpr uint32_t kBounds = std::tuple_size_v<decltype(GroupProgram::bounds)>;
constexpr uint32_t kFirstBound = 68;  // an SGPR; as many before it are free

class Writer {
 public:
  Writer(Generation generation, uint64_t seed) : generation_(generation), random_(seed) {}

  GroupProgram Write() {
    constexpr Dim3 kShapes[] = {
        {64, 1, 1},  {128, 1, 1}, {192, 1, 1}, {256, 1, 1}, {16, 16, 1}, {32, 4, 1}, {16, 8, 1},
        {8, 8, 1},   {16, 4, 4},  {96, 2, 1},  {64, 4, 1},  {100, 1, 1}, {4, 4, 4},  {64, 2, 1},
        {64, 3, 1},  {128, 2, 1}, {8, 8, 4},   {64, 2, 2},  {64, 1, 3},  {16, 8, 2}, {32, 2, 2},
        {128, 1, 2}, {4, 8, 4},   {2, 2, 64},  {16, 1, 1},  {32, 1, 1},  {1, 1, 1},  {96, 1, 1},
        {200, 1, 1}, {8, 4, 1},   {4, 4, 3},   {8, 2, 9}};
    program_.local = kShapes[Pick(std::size(kShapes))];
    const uint32_t groups = Pick(3) == 0 ? 4 + Pick(12) : 1 + Pick(3);
    program_.global = program_.local;
    program_.global.x *= groups;
    if (Pick(6) == 0 && program_.global.x > 40) program_.global.x -= 1 + Pick(40);
    Begin();
    if (Pick(4) == 0) {
      Guarded();
      return std::move(program_);
    }
    if (Pick(4) == 0) SkipGroup();
    const uint32_t segments = 1 + Pick(6);
    for (uint32_t n = 0; n < segments; ++n) {
      if (Pick(4) == 0) TreeStep();
      for (uint32_t piece = 1 + Pick(3); piece != 0; --piece) Piece(/*depth=*/0);
      if (Pick(8) != 0) Add("s_barrier");
    }
    for (int n = 0; n < kDataVgprs; ++n) {
      Add("buffer_store_dword v{}, v14, s[24:27], 0 offen offset:{}", kFirstData + n, n * 4);
    }
    for (const size_t branch : to_end_) program_.lines[branch].target = program_.lines.size();
    Add("s_endpgm");
    return std::move(program_);
  }

 private:
  static uint32_t Items(const Dim3& size) { return size.x * size.y * size.z; }
  uint32_t Pick(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  template <typename... A>
  void Add(fmt::format_string<A...> format, A&&... arguments) {
    program_.lines.push_back({fmt::format(format, std::forward<A>(arguments)...)});
  }
  void AddText(std::string text) { program_.lines.push_back({std::move(text)}); }
  int Data() { return kFirstData + static_cast<int>(Pick(kDataVgprs)); }

  // v0: the id along x; v23: that along y; v15: the number in the group; v1: four times one of
  // them; v2, v3: what follows from them; v4: a number of the work-item; v13: four times that; v14:
  // where its part of the buffer is.
  void Begin() {
    Add("s_load_dwordx4 s[24:27], s[6:7], 0x{:x}",
        frontend::IsGfx8Plus(generation_) ? kArgumentsOfBuffer * 8 : kArgumentsOfBuffer * 2);
    Add("s_waitcnt lgkmcnt(0)");
    Add("s_mov_b32 m0, -1");
    Add("s_mul_i32 s40, s10, {:#x}", Items(program_.local));
    Add("v_mov_b32_e32 v23, v1");
    Add("v_mul_u32_u24_e32 v15, {:#x}, v1", program_.local.x);
    AddText(AddLine(generation_, "v15", "v0", "v15"));
    Add("v_mul_u32_u24_e32 v16, {:#x}, v2", program_.local.x * program_.local.y);
    AddText(AddLine(generation_, "v15", "v16", "v15"));
    AddText(AddLine(generation_, "v4", "s40", "v15"));
    Add("s_lshl_b32 s41, s40, 2");
    Add("v_lshlrev_b32_e32 v13, 2, v15");
    AddText(AddLine(generation_, "v13", "s41", "v13"));
    Add("v_lshlrev_b32_e32 v1, 2, v{}", Pick(2) == 0 ? 0 : 15);
    Add("v_and_b32_e32 v2, {}, v{}", 1 + Pick(63), Pick(2) == 0 ? 0 : 15);
    Add("v_mul_u32_u24_e32 v3, {}, v0", 1 + Pick(9));
    Add("v_and_b32_e32 v14, {:#x}, v4", kMostItems - 1);
    Add("v_lshlrev_b32_e32 v14, 6, v14");
    for (int n = 0; n < kDataVgprs; ++n) {
      Add("v_mul_u32_u24_e32 v{}, {:#x}, v4", kFirstData + n, 3 + Pick(5000));
    }
  }

  // `if (id < n)` around the rest of the kernel, which has no barrier: of one number, of two, of a
  // moved one that may wrap around; the bounds are those of groups, of the grid, and of numbers.
  void Guarded() {
    std::string id = fmt::format("v{}", Pick(4) == 0 ? 15 : 4);
    for (uint32_t& bound : program_.bounds) bound = Bound();
    LoadBounds();
    if (Pick(3) == 0) {
      AddText(AddLine(generation_, "v20", BoundIn("s45"), id));
      id = "v20";
    }
    constexpr const char* kCompares[] = {"lt", "gt", "le", "ge"};
    const auto type = [this] { return Pick(2) == 0 ? "u32" : "i32"; };
    const std::string first = BoundIn("s44");
    Add("v_cmp_{}_{}_e32 vcc, {}, {}", kCompares[Pick(4)], type(), first, id);
    if (Pick(2) == 0) {
      const std::string second = BoundIn("s48");
      Add("v_cmp_{}_{}_e64 s[46:47], {}, {}", kCompares[Pick(4)], type(), id, second);
      constexpr const char* kJoins[] = {"s_and_b64", "s_and_b64",   "s_and_b64",
                                        "s_or_b64",  "s_andn2_b64", "s_nor_b64"};
      Add("{} vcc, vcc, s[46:47]", kJoins[Pick(std::size(kJoins))]);
    }
    Add("s_and_saveexec_b64 s[50:51], vcc");
    const size_t branch = program_.lines.size();
    Add("s_cbranch_execz");
    if (Pick(2) == 0) {
      Add("s_load_dwordx2 s[28:29], s[6:7], 0x{:x}", frontend::IsGfx8Plus(generation_) ? 8 : 2);
      Add("s_waitcnt lgkmcnt(0)");
      Add("v_xor_b32_e32 v{}, s28, v{}", Data(), Data());
    }
    for (uint32_t n = 1 + Pick(4); n != 0; --n) Clamp(id);
    for (uint32_t n = frontend::IsGfx9(generation_) ? Pick(4) : 0; n != 0; --n) Row();
    // Now and then with such branches inside.
    const uint32_t branches = Pick(2) == 0 ? Pick(8) : 0;
    for (uint32_t n = Pick(40); n != 0; --n) Pick(40) < branches ? Lanes(/*depth=*/1) : Operation();
    for (uint32_t n = Pick(3); n != 0; --n) {
      Add("v_xor_b32_e32 v{}, s{}, v{}", Data(), kFirstBound + Pick(kBounds), Data());
    }
    for (int n = 0; n < kDataVgprs; ++n) {
      Add("buffer_store_dword v{}, v14, s[24:27], 0 offen offset:{}", kFirstData + n, n * 4);
    }
    program_.lines[branch].target = program_.lines.size();
    Add("s_endpgm");
  }

  // A neighbour's number that is kept between bounds, or within one, as data and as an offset.
  void Clamp(const std::string& id) {
    constexpr const char* kNeighbours[] = {"-1", "-1", "1", "0", "-17", "64"};
    AddText(AddLine(generation_, "v20", kNeighbours[Pick(std::size(kNeighbours))], id));
    const uint32_t first = Pick(2);
    const char* const type = Pick(2) == 0 ? "u32" : "i32";
    for (uint32_t n = 0; n <= Pick(2); ++n) {
      const std::string bound = Pick(3) == 0 ? std::to_string(Pick(3)) : BoundIn("s48");
      Add("v_{}_{}_e32 v20, {}, v20", first == n ? "min" : "max", type, bound);
    }
    if (Pick(2) == 0) AddText(AddLine(generation_, "v20", BoundIn("s48"), "v20"));
    Add("v_xor_b32_e32 v{}, v20, v{}", Data(), Data());
    if (Pick(2) == 0) return;
    Add("v_and_b32_e32 v20, {:#x}, v20", kMostItems - 1);
    Add("v_lshlrev_b32_e32 v20, 2, v20");
    Add("buffer_load_dword v{}, v20, s[24:27], 0 offen offset:{}", Data(), 4 * Pick(8));
    Add("s_waitcnt vmcnt(0)");
  }

  // An element of a plane, of a pitch that is not known, as compilers address it.
  void Row() {
    if (Pick(6) == 0) {
      Add("s_mov_b32 s60, {}", BoundIn("s48"));
    } else {
      Add("s_and_b32 s60, {}, s{}", 1 + Pick(63), kFirstBound + Pick(kBounds));
    }
    Add("s_and_b32 s61, {}, s{}", Pick(64), kFirstBound + Pick(kBounds));
    Add("v_mul_lo_u32 v24, v23, s60");
    AddText(AddLine(generation_, "v24", Pick(2) == 0 ? "v0" : "s40", "v24"));
    AddText(AddLine(generation_, "v24", std::to_string(Pick(64)), "v24"));
    const uint32_t shift = Pick(3);
    if (Pick(2) == 0) {
      // The sum of row and column in 64 bits.
      AddText(AddLine(generation_, "v26", Pick(2) == 0 ? "-1" : "s61", "v0"));
      Add("v_ashrrev_i32_e32 v25, 31, v24");
      AddText(Pick(2) == 0 ? "v_mov_b32_e32 v27, 0" : "v_ashrrev_i32_e32 v27, 31, v26");
      Add("v_add_co_u32_e32 v24, vcc, v26, v24");
      Add("v_addc_co_u32_e32 v25, vcc, v27, v25, vcc");
    } else {
      if (Pick(2) == 0) AddText(AddLine(generation_, "v24", "v0", "v24"));
      Add("v_ashrrev_i32_e32 v25, 31, v24");
    }
    Add("v_lshlrev_b64 v[24:25], {}, v[24:25]", shift);
    Add("v_mov_b32_e32 v26, s25");
    Add("v_add_co_u32_e32 v24, vcc, s24, v24");
    Add("v_addc_co_u32_e32 v25, vcc, v26, v25, vcc");
    constexpr const char* kSuffixes[] = {"ubyte", "ushort", "dword"};
    const uint32_t offset = (1u << shift) * Pick(64);
    if (Pick(3) == 0) {
      constexpr const char* kStored[] = {"byte", "short", "dword"};
      return Add("global_store_{} v[24:25], v{}, off offset:{}", kStored[shift], Data(), offset);
    }
    if (Pick(3) == 0) {
      Add("global_load_dwordx3 v[26:28], v[24:25], off offset:{}", offset);
      Add("s_waitcnt vmcnt(0)");
      Add("v_xor_b32_e32 v26, v26, v28");
    } else {
      Add("global_load_{} v26, v[24:25], off offset:{}", kSuffixes[shift], offset);
      Add("s_waitcnt vmcnt(0)");
    }
    Add("v_xor_b32_e32 v{}, v26, v{}", Data(), Data());
  }

  // program_.bounds, to s[kFirstBound] and on: alone, or with what the arguments have before them.
  void LoadBounds() {
    constexpr uint32_t kBytes = kArgumentsOfBounds * 8;
    const bool has_all = Pick(2) == 0;
    const uint32_t from = has_all ? 0 : kBytes;
    Add("s_load_dwordx{} s[{}:{}], s[6:7], 0x{:x}", has_all ? 2 * kBounds : kBounds,
        has_all ? kFirstBound - kBounds : kFirstBound, kFirstBound + kBounds - 1,
        frontend::IsGfx8Plus(generation_) ? from : from / 4);
    Add("s_waitcnt lgkmcnt(0)");
  }

  // An SGPR with a bound: `sgpr`, after a constant has been moved to it, or one of those loaded.
  std::string BoundIn(const char* sgpr) {
    if (Pick(2) == 0) return fmt::format("s{}", kFirstBound + Pick(kBounds));
    Add("s_mov_b32 {}, {:#x}", sgpr, Bound());
    return sgpr;
  }

  uint32_t Bound() {
    const uint32_t group = Items(program_.local);
    const uint32_t all = program_.global.x * program_.local.y * program_.local.z;
    const uint32_t bounds[] = {0,        1,         group,      all,        all - group, 64,
                               1u << 31, INT32_MAX, UINT32_MAX, Pick(1024), Pick(all)};
    return bounds[Pick(std::size(bounds))] + Pick(3) - 1;
  }

  // A comparison to VCC: of what the id says, or, one time in four, of data.
  void Compare() {
    constexpr const char* kCompares[] = {"lt", "gt", "le", "ge", "eq", "ne"};
    const uint32_t source = Pick(4);
    const std::string vgpr = source == 3 ? fmt::format("v{}", Data())
                                         : fmt::format("v{}", source == 0 ? 0 : 1 + Pick(3));
    constexpr uint32_t kConstants[] = {0,  1,  4,   16,  31,  32,  48, 63,
                                       64, 65, 100, 128, 160, 192, 255};
    const uint32_t constant = Pick(3) == 0 ? Pick(1024) : kConstants[Pick(std::size(kConstants))];
    Add("v_cmp_{}_u32_e32 vcc, {:#x}, {}", kCompares[Pick(6)], constant, vgpr);
    if (Pick(6) == 0) {
      Add("s_mov_b64 s[42:43], vcc");
      Add("v_cmp_{}_u32_e32 vcc, {:#x}, v{}", kCompares[Pick(6)], Pick(256), Pick(4));
      constexpr const char* kBits[] = {"s_and_b64", "s_or_b64", "s_xor_b64", "s_andn2_b64"};
      Add("{} vcc, s[42:43], vcc", kBits[Pick(4)]);
    }
  }

  void Piece(uint32_t depth) {
    switch (depth < 3 ? Pick(8) : 7) {
      case 0:
      case 1:
      case 2: return Lanes(depth);
      case 3: return LanesOrOthers(depth);
      case 4: return WaveBranch(depth);
      case 5:
        if (depth == 0 && Pick(3) == 0) return LeaveEarly();
        if (depth == 0 && Pick(2) == 0) return SkipGroup();
        [[fallthrough]];
      default:
        for (uint32_t n = 1 + Pick(4); n != 0; --n) Operation();
    }
  }

  // Of a tree in LDS, a block by itself; some of it may lie beyond LDS.
  void TreeStep() {
    const int data = Data();
    Add("ds_write_b32 v1, v{}", data);
    Add("s_barrier");
    Add("v_cmp_gt_u32_e32 vcc, {:#x}, v0", 1u << Pick(8));
    Add("s_and_saveexec_b64 s[50:51], vcc");
    Add("ds_read2st64_b32 v[20:21], v1 offset1:{}", 1 + Pick(4));
    Add("v_xor_b32_e32 v{}, v20, v21", data);
    Add("ds_write_b32 v1, v{}", data);
    Add("s_or_b64 exec, exec, s[50:51]");
    Add("s_barrier");
  }

  // if (..) { .. }
  void Lanes(uint32_t depth) {
    const uint32_t saved = 50 + depth * 4;
    Compare();
    Add("s_and_saveexec_b64 s[{}:{}], vcc", saved, saved + 1);
    const bool skips = Pick(4) != 0;
    const size_t branch = program_.lines.size();
    if (skips) Add("s_cbranch_execz");
    for (uint32_t n = 1 + Pick(3); n != 0; --n) Piece(depth + 1);
    if (Pick(10) == 0) {
      for (int n = 0; n < 25; ++n) Operation();  // too long to be run without lanes
    }
    if (skips) program_.lines[branch].target = program_.lines.size();
    Add("s_or_b64 exec, exec, s[{}:{}]", saved, saved + 1);
  }

  // if (..) { .. } else { .. }
  void LanesOrOthers(uint32_t depth) {
    const uint32_t saved = 50 + depth * 4;
    Compare();
    Add("s_and_saveexec_b64 s[{}:{}], vcc", saved, saved + 1);
    Add("s_xor_b64 s[{}:{}], exec, s[{}:{}]", saved, saved + 1, saved, saved + 1);
    const size_t branch = program_.lines.size();
    Add("s_cbranch_execz");
    Piece(depth + 1);
    program_.lines[branch].target = program_.lines.size();
    Add("s_or_saveexec_b64 s[{}:{}], s[{}:{}]", saved + 2, saved + 3, saved, saved + 1);
    Add("s_xor_b64 exec, exec, s[{}:{}]", saved + 2, saved + 3);
    const size_t second = program_.lines.size();
    Add("s_cbranch_execz");
    Piece(depth + 1);
    program_.lines[second].target = program_.lines.size();
    Add("s_or_b64 exec, exec, s[{}:{}]", saved + 2, saved + 3);
  }

  // On the wave's number, or on one of its work-items' data.
  void WaveBranch(uint32_t depth) {
    Add("v_readfirstlane_b32 s41, v{}", Pick(3) == 0 ? Data() : 0);
    constexpr const char* kCompares[] = {"lt", "gt", "eq", "lg"};
    Add("s_cmp_{}_u32 s41, {:#x}", kCompares[Pick(4)], Pick(2) == 0 ? 64 * Pick(4) : Pick(256));
    const size_t branch = program_.lines.size();
    Add("s_cbranch_scc{}", Pick(2));
    Piece(depth + 1);
    program_.lines[branch].target = program_.lines.size();
  }

  // Some waves, as their numbers say or, seldom, as data do.
  void LeaveEarly() {
    Add("v_readfirstlane_b32 s41, v{}", Pick(6) == 0 ? Data() : 0);
    Add("s_cmp_lt_u32 s41, {:#x}", 64 * Pick(4) + 1);
    const size_t branch = program_.lines.size();
    Add("s_cbranch_scc1");
    Add("buffer_store_dword v{}, v14, s[24:27], 0 offen offset:{}", Data(), 4 * Pick(8));
    Add("s_endpgm");
    program_.lines[branch].target = program_.lines.size();
  }

  // `if (group >= n) return;`: on to the end of the kernel, over all barriers.
  void SkipGroup() {
    Add("s_cmp_{}_u32 s10, {}", Pick(2) == 0 ? "ge" : "lg", Pick(5));
    to_end_.push_back(program_.lines.size());
    Add("s_cbranch_scc1");
  }

  void Operation() {
    const int to = Data();
    const int from = Data();
    // Beyond LDS, where there is little of it.
    const uint32_t offset = 4 * Pick(2) * Pick(200);
    switch (Pick(24)) {
      case 0:
        return AddText(AddLine(generation_, fmt::format("v{}", to), fmt::format("v{}", from),
                               fmt::format("v{}", Data())));
      case 1: return Add("v_xor_b32_e32 v{}, {:#x}, v{}", to, Pick(0x10000), from);
      case 2: return Add("v_mul_u32_u24_e32 v{}, {}, v{}", to, Pick(60), from);
      case 3: return Add("v_lshrrev_b32_e32 v{}, {}, v{}", to, Pick(8), from);
      case 4: return Add("v_mov_b32_e32 v{}, v{}", to, Pick(4));
      case 5: return Add("v_cndmask_b32_e32 v{}, v{}, v{}, vcc", to, from, Data());
      case 6:
      case 7:
      case 8: return Add("ds_write_b32 v1, v{} offset:{}", from, offset);
      case 9:
      case 10:
      case 11: return Add("ds_read_b32 v{}, v1 offset:{}", to, offset);
      case 12:
        return Add("ds_read2_b32 v[20:21], v1 offset1:{}", Pick(128)),
               Add("v_xor_b32_e32 v{}, v20, v21", to);
      case 13:
        return Add("ds_write2st64_b32 v1, v{}, v{} offset0:{} offset1:{}", from, Data(), Pick(3),
                   Pick(4));
      case 14: return Add("ds_read_b32 v{}, v3 offset:{}", to, 4 * Pick(16));
      case 15: return Add("ds_write_b8 v3, v{} offset:{}", from, Pick(64));
      case 16: return Add("ds_add_u32 v1, v{} offset:{}", from, offset);
      case 17: return Add("ds_read_u16 v{}, v1 offset:{}", to, 2 * Pick(64));
      case 18:
        return Add("buffer_load_dword v{}, v14, s[24:27], 0 offen offset:{}", to, 4 * Pick(8));
      // Lanes, and waves, next to each other.
      case 19:
      case 20:
        return Add("buffer_load_dword v{}, v13, s[24:27], 0 offen offset:{}", to, 4 * Pick(300));
      case 21:
        return Add("buffer_store_dword v{}, v13, s[24:27], 0 offen offset:{}", from, 4 * Pick(300));
      default: return Access(from);
    }
  }

  // To the work-item's part of the buffer; seldom far beyond the buffer, which is a fault.
  void Access(int from) {
    if (Pick(30) == 0) {
      Add("v_mov_b32_e32 v20, {:#x}", 0x4000000 + 0x1000 * Pick(8));
      return Add("buffer_store_dword v{}, v20, s[24:27], 0 offen", from);
    }
    Add("buffer_store_dword v{}, v14, s[24:27], 0 offen offset:{}", from, 32 + 4 * Pick(8));
  }

  const Generation generation_;
  std::mt19937_64 random_;
  GroupProgram program_;
  std::vector<size_t> to_end_;  // lines: branches to the end
};

}  // namespace

GroupProgram MakeGroupProgram(Generation generation, uint64_t seed) {
  return Writer(generation, seed).Write();
}

}  // namespace gcnjit::robustness
