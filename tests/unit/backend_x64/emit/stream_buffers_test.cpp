// Compiled loops whose lanes each go through a row of memory, element by element.
#include <bit>
#include <cstring>

#include "backend_x64/emit/stream_buffer.h"
#include "tests/unit/backend_x64/emit/loop_function.h"

namespace gcnjit::backend {
namespace {

constexpr uint64_t kBegin64 = GuestPages::kBegin;
constexpr uint64_t kEnd64 = kBegin64 + GuestPages::kSize;

enum class BufferedEnding { kCounted, kUntilNoLane };
// Where a lane's row is: at v4 and v5; at that and s[8:9]; at index v4 from s[8:9] on.
enum class Base { kNone, kSgprs, kSigned, kUnsigned };

struct Stream {
  BufferedEnding ending = BufferedEnding::kCounted;
  Base base = Base::kNone;
  uint8_t bytes = 4;
  bool sign_extend = false;
  int imm = 0;
  int in_the_way = 0;       // VGPRs that change, too
  bool others_keep = true;  // lanes without EXEC: the addresses
};

bool IsIndexed(const Stream& stream) {
  return stream.base == Base::kSigned || stream.base == Base::kUnsigned;
}

// sum = sum * 5 + element
const Function& MakeStream(LoopFunction& loop, const Stream& stream) {
  Builder& b = loop.b;
  Value low = loop.Vgpr(4);
  Value high = loop.Vgpr(5);
  const auto one_if = [&](Value carry) { return b.Select(carry, b.U32(1), b.U32(0)); };
  if (stream.base == Base::kSgprs) {
    const Value base = loop.Pair(8);
    const Value base_low = b.Emit(Op::kLow, Type::kU32, {base});
    const Value base_high = b.Emit(Op::kHigh, Type::kU32, {base});
    low = b.Add(loop.Vgpr(4), base_low);
    high = b.Add(one_if(b.Compare(Op::kLtU, low, base_low)), b.Add(loop.Vgpr(5), base_high));
  }
  MemoryAccess access;
  access.bytes = stream.bytes;
  access.sign_extend = stream.sign_extend;
  access.indexed = IsIndexed(stream);
  access.index_signed = stream.base == Base::kSigned;
  if (access.indexed) {
    high = loop.Pair(8);
    access.index_shift = static_cast<uint8_t>(std::countr_zero(stream.bytes));
  }
  loop.Next();
  const Value element =
      b.Emit(Op::kLoad, Type::kV32, {low, high, loop.Exec()}, stream.imm, access.Pack());
  const Value sum = b.Add(b.Emit(Op::kMul, Type::kV32, {loop.Vgpr(3), b.U32(5)}), element);
  loop.SetActive(3, sum);
  const Value next = b.Add(loop.Vgpr(4), b.U32(access.indexed ? 1 : stream.bytes));
  const Value carry = stream.bytes == 1 ? b.Compare(Op::kEq, loop.Vgpr(4), b.U32(~0u))
                                        : b.Compare(Op::kLtU, next, b.U32(stream.bytes));
  const Value next_high = b.Add(loop.Vgpr(5), one_if(carry));
  if (stream.others_keep) {
    loop.SetActive(4, next);
    loop.SetActive(5, next_high);
  } else {
    loop.SetForActive(4, next);
    loop.SetForActive(5, next_high);
  }
  for (int n = 0; n < stream.in_the_way; ++n) {
    loop.SetActive(8 + n, b.Add(loop.Vgpr(8 + n), element));
  }
  if (stream.ending == BufferedEnding::kCounted) return loop.FinishUniform();
  return loop.FinishUntilNoLane();
}

void SetBegin(Machine& machine, const Stream& stream, int lane, uint64_t address) {
  address -= static_cast<uint64_t>(static_cast<int64_t>(stream.imm));
  if (stream.base != Base::kNone) {
    address -= machine.sgpr[8] | uint64_t{machine.sgpr[9]} << 32;
  }
  if (IsIndexed(stream)) address /= stream.bytes;  // a power of two, as is the alignment of s[8:9]
  machine.vgpr[4][lane] = static_cast<uint32_t>(address);
  machine.vgpr[5][lane] = static_cast<uint32_t>(address >> 32);
}

// The lanes' streams begin anywhere, so that each ends within memory.
Machine StreamMachine(const Stream& stream, uint64_t seed, uint32_t most) {
  std::mt19937_64 random(seed);
  Machine machine = RandomMachine(seed);
  const auto trips = static_cast<uint32_t>(1 + random() % most);
  machine.sgpr[0] = trips;
  SetTrips(machine, [&](int) { return 1 + random() % most; });
  SetPair(machine, 126, ~uint64_t{0});
  // The sum of the low dwords has a carry. Indices go to the end of their range, or to 0.
  const uint64_t far = uint64_t{stream.bytes} << (stream.base == Base::kSigned ? 31 : 32);
  SetPair(machine, 8,
          !IsIndexed(stream) ? 0x1'FFFF'0000 + random() % 0x10000
          : seed % 2 == 0    ? kEnd64 - far
                             : kBegin64 - (stream.base == Base::kSigned ? far / 2 : 0));
  const uint64_t length = uint64_t{most} * stream.bytes;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    SetBegin(machine, stream, lane, kBegin64 + random() % (GuestPages::kSize - length + 1));
  }
  return machine;
}

bool HasStream(const Function& function, HostIsa isa) {
  const CompiledBlock block(function, isa, {}, /*listing=*/true);
  const std::string check = "cmp rax, " + std::to_string(StreamBuffer::kEnd);
  return block.listing().find(check) != std::string::npos;
}

void ExpectTheSameOf(const Stream& stream, const Function& function, const Machine& machine) {
  // No lane has EXEC when a loop is over that lanes leave.
  const bool is_read = stream.others_keep || stream.ending == BufferedEnding::kCounted;
  ExpectTheSame(function, machine, is_read ? std::vector<size_t>{} : std::vector<size_t>{4, 5});
}

std::vector<Stream> AllStreams() {
  std::vector<Stream> all;
  for (const BufferedEnding ending : {BufferedEnding::kCounted, BufferedEnding::kUntilNoLane}) {
    for (const Base base : {Base::kNone, Base::kSgprs, Base::kSigned, Base::kUnsigned}) {
      for (const uint8_t bytes : {uint8_t{1}, uint8_t{2}, uint8_t{4}}) {
        for (const bool sign_extend : {false, true}) {
          if (bytes == 4 && sign_extend) continue;
          all.push_back({ending, base, bytes, sign_extend, 0, 0});
          all.push_back({ending, base, bytes, sign_extend, 0, 1, false});
          all.push_back({ending, base, bytes, sign_extend, bytes * 3, 19});
          all.push_back({ending, base, bytes, sign_extend, -4, 3});
        }
      }
    }
  }
  return all;
}

TEST(StreamBuffers, EveryKind) {
  for (const Stream& stream : AllStreams()) {
    LoopFunction loop;
    const Function& function = MakeStream(loop, stream);
    for (const HostIsa isa : HostIsas()) EXPECT_TRUE(HasStream(function, isa)) << NameOf(isa);
    for (uint64_t seed = 0; seed < 4; ++seed) {
      std::mt19937_64 random(seed);
      for (const uint32_t most : {1u, 7u, 8u, 9u, 40u}) {
        Machine machine = StreamMachine(stream, seed, most);
        if (seed % 2 == 1) SetPair(machine, 126, random() & random());
        ExpectTheSameOf(stream, function, machine);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

// Streams that end where memory ends, or go on beyond it.
TEST(StreamBuffers, EndWithMemory) {
  for (const Stream& stream : AllStreams()) {
    LoopFunction loop;
    const Function& function = MakeStream(loop, stream);
    std::mt19937_64 random(stream.bytes);
    for (uint64_t seed = 0; seed < 6; ++seed) {
      constexpr uint32_t kMost = 20;
      Machine machine = StreamMachine(stream, seed, kMost);
      for (int n = 0; n < 4; ++n) {
        const auto lane = static_cast<int>(random() % ir::kLanes);
        const uint32_t trips =
            stream.ending == BufferedEnding::kCounted ? machine.sgpr[0] : machine.vgpr[2][lane];
        const uint64_t beyond = seed < 3 ? 0 : random() % 3;
        SetBegin(machine, stream, lane,
                 kEnd64 - uint64_t{trips} * stream.bytes + beyond * stream.bytes);
      }
      ExpectTheSameOf(stream, function, machine);
      if (testing::Test::HasFailure()) return;
    }
  }
}

// Lanes that are together, in one place, or in rows of one length.
TEST(StreamBuffers, LanesNearEachOther) {
  for (const Stream& stream : AllStreams()) {
    LoopFunction loop;
    const Function& function = MakeStream(loop, stream);
    for (const uint64_t distance : {0, 1, 2, 3, 64}) {
      Machine machine = StreamMachine(stream, distance, 24);
      for (int lane = 0; lane < ir::kLanes; ++lane) {
        SetBegin(machine, stream, lane,
                 kBegin64 + 64 + static_cast<uint64_t>(lane) * distance * stream.bytes);
      }
      ExpectTheSameOf(stream, function, machine);
    }
  }
}

// What is no stream: another step, other lanes, addresses from memory.
TEST(StreamBuffers, OtherLoopsHaveNone) {
  enum class Other { kStep, kLanes, kLoaded };
  for (const Other other : {Other::kStep, Other::kLanes, Other::kLoaded}) {
    LoopFunction loop;
    Builder& b = loop.b;
    const Value mask = other == Other::kLanes ? b.And(loop.Exec(), loop.Pair(10)) : loop.Exec();
    const Value element =
        b.Emit(Op::kLoad, Type::kV32, {loop.Vgpr(4), loop.Vgpr(5), mask}, 0, MemoryAccess{}.Pack());
    loop.SetActive(3, b.Add(loop.Vgpr(3), element));
    const Value step =
        other == Other::kLoaded ? b.And(element, b.U32(4)) : b.U32(other == Other::kStep ? 8 : 4);
    const Value next = b.Add(loop.Vgpr(4), step);
    loop.SetActive(4, next);
    const Function& function = loop.FinishUntilNoLane();
    for (const HostIsa isa : HostIsas()) EXPECT_FALSE(HasStream(function, isa)) << NameOf(isa);
    const Stream stream;
    Machine machine = StreamMachine(stream, 1, 20);
    for (int lane = 0; lane < ir::kLanes; ++lane) {
      SetBegin(machine, stream, lane, kBegin64 + 160 * static_cast<uint64_t>(lane));
    }
    ExpectTheSame(function, machine);
  }
}

// A high dword that goes its own way: a lane leaves memory in the middle of what was read ahead,
// and leaves the loop before more is read.
TEST(StreamBuffers, HighDwordsChange) {
  LoopFunction loop;
  Builder& b = loop.b;
  loop.Next();
  const Value element = b.Emit(Op::kLoad, Type::kV32, {loop.Vgpr(4), loop.Vgpr(5), loop.Exec()}, 0,
                               MemoryAccess{}.Pack());
  loop.SetActive(3, b.Add(loop.Vgpr(3), element));
  loop.SetActive(4, b.Add(loop.Vgpr(4), b.U32(4)));
  // By bit 3 of what counts up by v7.
  const Value bit = b.And(b.Lshr(loop.Vgpr(6), b.U32(3)), b.U32(1));
  loop.SetActive(6, b.Add(loop.Vgpr(6), loop.Vgpr(7)));
  loop.SetActive(5, b.Add(loop.Vgpr(5), bit));
  const Function& function = loop.FinishUntilNoLane();
  for (const HostIsa isa : HostIsas()) EXPECT_TRUE(HasStream(function, isa)) << NameOf(isa);
  for (uint32_t first = 2; first < StreamBuffer::kIterations; ++first) {
    Machine machine = StreamMachine({}, first, 20);
    const auto lane = static_cast<size_t>(first * 5);
    machine.vgpr[2][lane] = StreamBuffer::kIterations;
    machine.vgpr[6].fill(0);
    machine.vgpr[6][lane] = first;
    machine.vgpr[7].fill(0);
    machine.vgpr[7][lane] = 1;
    EXPECT_TRUE(RunEvaluatorLoop(function, machine).fault);
    ExpectTheSame(function, machine);
  }
}

}  // namespace
}  // namespace gcnjit::backend
