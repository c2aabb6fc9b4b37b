// Makes workloads of the rows of the wide benchmark, and of the obstacles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "obstacles/obstacles.h"
#include "wide/kinds.h"
#include "wide/wide.h"

namespace gcnjit::bench {
namespace {

using wide::Argument;
using wide::Role;
using wide::Row;
using wide::Type;

constexpr std::string_view kClasses[] = {"small", "cache", "memory"};
constexpr size_t kSeedStep = size_t{1} << 40;  // between arrays
constexpr int kSpoiled = 0xcd;

size_t SizeOf(Type type) {
  switch (type) {
    case Type::kI8:
    case Type::kU8: return 1;
    case Type::kI16:
    case Type::kU16:
    case Type::kF16: return 2;
    case Type::kI32:
    case Type::kU32:
    case Type::kF32: return 4;
    case Type::kI64:
    case Type::kU64:
    case Type::kF64: return 8;
  }
  return 0;
}

bool IsReal(Type type) { return type == Type::kF16 || type == Type::kF32 || type == Type::kF64; }

template <typename T>
double Read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<double>(value);
}

// For messages, and for comparisons with a tolerance.
double ValueAt(Type type, const std::byte* from) {
  switch (type) {
    case Type::kI8: return Read<int8_t>(from);
    case Type::kU8: return Read<uint8_t>(from);
    case Type::kI16: return Read<int16_t>(from);
    case Type::kU16: return Read<uint16_t>(from);
    case Type::kI32: return Read<int32_t>(from);
    case Type::kU32: return Read<uint32_t>(from);
    case Type::kI64: return Read<int64_t>(from);
    case Type::kU64: return Read<uint64_t>(from);
    case Type::kF16: return Read<wide::Half>(from);
    case Type::kF32: return Read<float>(from);
    case Type::kF64: return Read<double>(from);
  }
  return 0;
}

template <typename T>
wide::Value ValueOf(const T& number) {
  wide::Value value;
  std::memcpy(value.bytes, &number, sizeof number);
  return value;
}

class RowWorkload : public Workload {
 public:
  RowWorkload(Device& device, const Row& row, size_t n) : row_(row), n_(n) {
    for (const Argument& argument : row.arguments) {
      if (argument.role == Role::kNone) break;
      AddArgument(device, argument);
    }
    for (size_t i = 0; i < arrays_.size(); ++i) FillArray(i);
    row_.native(values_.data());
    for (const Array& array : arrays_) {
      std::vector<std::byte> right;
      if (array.argument->role != Role::kIn) {
        right.assign(array.buffer->values().begin(), array.buffer->values().end());
      }
      expected_.push_back(std::move(right));
    }
  }

  double Work() const override { return static_cast<double>(Global(0)) * Global(1) * Global(2); }
  void Reset() override {
    for (size_t i = 0; i < arrays_.size(); ++i) {
      if (arrays_[i].argument->role != Role::kIn) FillArray(i);
    }
  }
  void Run(Runner& runner) override {
    runner.Launch(row_.name, {Global(0), Global(1), Global(2)},
                  {row_.grid.local[0], row_.grid.local[1], row_.grid.local[2]}, arguments_);
  }
  void RunNative() override { row_.native(values_.data()); }
  std::string Check() const override {
    for (size_t i = 0; i < arrays_.size(); ++i) {
      std::string wrong = CheckArray(arrays_[i], expected_[i]);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  struct Array {
    const Argument* argument;
    size_t index;  // of the argument
    std::unique_ptr<Buffer<std::byte>> buffer;
  };

  void AddArgument(Device& device, const Argument& argument) {
    const size_t extent = argument.extent(n_);
    if (argument.role == Role::kInteger) {
      values_.push_back(ValueOf<uint64_t>(extent));
      arguments_.Bytes(std::as_bytes(std::span(values_.back().bytes, SizeOf(argument.type))));
    } else if (argument.role == Role::kReal) {
      values_.push_back(argument.type == Type::kF64 ? ValueOf(argument.real)
                        : argument.type == Type::kF16
                            ? ValueOf(static_cast<wide::Half>(argument.real))
                            : ValueOf(static_cast<float>(argument.real)));
      arguments_.Bytes(std::as_bytes(std::span(values_.back().bytes, SizeOf(argument.type))));
    } else {
      auto buffer = std::make_unique<Buffer<std::byte>>(device, extent * SizeOf(argument.type));
      values_.push_back(ValueOf(buffer->data()));
      arguments_.Buffer(buffer->address());
      arrays_.push_back({&argument, values_.size() - 1, std::move(buffer)});
    }
  }

  uint32_t Global(int axis) const {
    const size_t items = row_.grid.items[axis](n_), local = row_.grid.local[axis];
    return static_cast<uint32_t>((items + local - 1) / local * local);
  }

  void FillArray(size_t index) {
    const Array& array = arrays_[index];
    if (array.argument->role == Role::kOut) {
      std::memset(array.buffer->data(), kSpoiled, array.buffer->size());
    } else {
      array.argument->fill(array.buffer->data(), array.argument->extent(n_), n_,
                           array.index * kSeedStep);
    }
  }

  bool Same(Type type, const std::byte* got, const std::byte* expected) const {
    if (std::memcmp(got, expected, SizeOf(type)) == 0) return true;
    if (!IsReal(type)) return false;
    const double a = ValueAt(type, got), b = ValueAt(type, expected);
    return std::fabs(a - b) <= row_.tolerance * std::max(1.0, std::fabs(b));  // false for a NaN
  }

  std::string CheckArray(const Array& array, const std::vector<std::byte>& expected) const {
    const std::byte* const got = array.buffer->data();
    if (expected.empty() || std::memcmp(got, expected.data(), expected.size()) == 0) return {};
    const Type type = array.argument->type;
    const size_t bytes = SizeOf(type), count = expected.size() / bytes;
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < count; ++i) {
      if (Same(type, got + i * bytes, &expected[i * bytes])) continue;
      if (wrong++ == 0) first = i;
    }
    if (wrong == 0) return {};
    return fmt::format("argument {}: {} of {} elements are wrong, first [{}]: {}, expected {}",
                       array.index, wrong, count, first, ValueAt(type, got + first * bytes),
                       ValueAt(type, &expected[first * bytes]));
  }

  const Row& row_;
  const size_t n_;
  std::vector<Array> arrays_;
  std::vector<std::vector<std::byte>> expected_;  // by array; of inputs: empty
  std::vector<wide::Value> values_;
  Arguments arguments_;
};

std::vector<Entry> EntriesOf(std::span<const wide::Rows* const> tables,
                             const std::vector<std::string>& classes) {
  std::vector<Entry> entries;
  for (const std::string& name : classes) {
    const size_t at = std::ranges::find(kClasses, name) - std::begin(kClasses);
    if (at == std::size(kClasses)) {
      throw std::runtime_error(fmt::format("--sizes: '{}' is none of small, cache, memory", name));
    }
    for (const wide::Rows* table : tables) {
      for (const Row& row : std::span(table->rows, table->count)) {
        Entry entry;
        entry.name = row.name;
        entry.unit = "Mitem/s";
        entry.unit_scale = 1e6;
        entry.size = static_cast<uint64_t>(row.sizes[at]);
        entry.size_class = name;
        entry.make = [&row](Device& device, uint64_t n) -> std::unique_ptr<Workload> {
          return std::make_unique<RowWorkload>(device, row, n);
        };
        entries.push_back(std::move(entry));
      }
    }
  }
  return entries;
}

}  // namespace

std::vector<Entry> WideEntries(const std::vector<std::string>& classes) {
  return EntriesOf(wide::kKinds, classes);
}

std::vector<Entry> ObstacleEntries(const std::vector<std::string>& classes) {
  static constexpr const wide::Rows* kTables[] = {&wide::kObstacles};
  return EntriesOf(kTables, classes);
}

}  // namespace gcnjit::bench
