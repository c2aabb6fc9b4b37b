#include "backend_x64/host/constant_pool.h"

namespace gcnjit::backend {

asmjit::x86::Mem ConstantPool::Whole(const Vector& value) {
  auto [it, is_new] = vectors_.try_emplace(value);
  if (is_new) it->second = a_.newLabel();
  return asmjit::x86::ptr(it->second);
}

asmjit::Label ConstantPool::Bytes(const void* begin, size_t bytes) {
  const auto* const first = static_cast<const uint8_t*>(begin);
  bytes_.emplace_back(a_.newLabel(), std::vector<uint8_t>(first, first + bytes));
  return bytes_.back().first;
}

void ConstantPool::Emit() {
  if (!vectors_.empty()) a_.align(asmjit::AlignMode::kZero, 64);
  for (const auto& [value, label] : vectors_) {
    a_.bind(label);
    a_.embed(value.data(), sizeof value);
  }
  if (!quads_.empty()) a_.align(asmjit::AlignMode::kZero, 8);
  for (const auto& [value, label] : quads_) {
    a_.bind(label);
    a_.embedUInt64(value);
  }
  for (const auto& [label, bytes] : bytes_) {
    a_.align(asmjit::AlignMode::kZero, 8);
    a_.bind(label);
    a_.embed(bytes.data(), bytes.size());
  }
  if (!dwords_.empty()) a_.align(asmjit::AlignMode::kZero, 4);
  for (const auto& [value, label] : dwords_) {
    a_.bind(label);
    a_.embedUInt32(value);
  }
  dwords_.clear();
  quads_.clear();
  vectors_.clear();
  bytes_.clear();
}

}  // namespace gcnjit::backend
