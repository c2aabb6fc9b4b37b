// Constants that compiled code reads from memory, placed after the code.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace gcnjit::backend {

class ConstantPool {
 public:
  explicit ConstantPool(asmjit::x86::Assembler& a) : a_(a) {}

  // One dword or quadword, to be broadcast by the instruction that reads it.
  asmjit::x86::Mem Broadcast32(uint32_t value) { return Place(dwords_, value, 4); }
  asmjit::x86::Mem Broadcast64(uint64_t value) { return Place(quads_, value, 8); }
  // A whole register's worth of dwords.
  using Vector = std::array<uint32_t, 16>;
  asmjit::x86::Mem Whole(const Vector& value);
  asmjit::x86::Mem Whole(uint32_t dword) {
    Vector v;
    v.fill(dword);
    return Whole(v);
  }
  static Vector Multiples(uint32_t step) {
    Vector v;
    for (uint32_t n = 0; n < v.size(); ++n) v[n] = n * step;
    return v;
  }

  // Data that code hands to the runtime.
  asmjit::Label Bytes(const void* begin, size_t bytes);

  void Emit();

 private:
  template <typename Map, typename T>
  asmjit::x86::Mem Place(Map& map, T value, uint32_t size) {
    auto [it, is_new] = map.try_emplace(value);
    if (is_new) it->second = a_.newLabel();
    return asmjit::x86::ptr(it->second, 0, size);
  }

  asmjit::x86::Assembler& a_;
  std::map<uint32_t, asmjit::Label> dwords_;
  std::map<uint64_t, asmjit::Label> quads_;
  std::map<Vector, asmjit::Label> vectors_;
  std::vector<std::pair<asmjit::Label, std::vector<uint8_t>>> bytes_;
};

}  // namespace gcnjit::backend
