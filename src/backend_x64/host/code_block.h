// Pages for code that are mapped twice: written through one mapping, executed through the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gcnjit::backend {

class CodeBlock {
 public:
  // Whole pages, at least so many bytes. Nothing, with errno: the host does not give them.
  static std::optional<CodeBlock> Map(size_t bytes);
  CodeBlock(CodeBlock&& other) noexcept;
  CodeBlock& operator=(CodeBlock&&) = delete;
  ~CodeBlock();

  size_t bytes() const { return granules_.size() * kGranule; }
  bool is_empty() const { return used_ == 0; }
  // Of the executable mapping.
  bool Holds(const std::byte* code) const { return OffsetOf(code) < bytes(); }
  // Of either mapping.
  bool Covers(uint64_t address) const;

  // Room for so many bytes, in the executable mapping, at a multiple of kGranule; nullptr: there is
  // none.
  const std::byte* Take(size_t bytes);
  std::byte* WritableAt(const std::byte* code) { return writable_ + OffsetOf(code); }
  // What was taken there is no code any more, and traps. Allocates nothing.
  void Release(const std::byte* code);
  // From now on nothing is written: Take() has no room, and what is released stays as it is.
  void Seal();
  bool is_sealed() const { return is_sealed_; }

 private:
  // A cache line of the host's.
  static constexpr size_t kGranule = 64;
  enum class Granule : uint8_t { kFree, kUsed, kLast };  // kLast: ends what was taken together

  CodeBlock(std::byte* writable, const std::byte* executable, std::vector<Granule> granules);
  size_t OffsetOf(const std::byte* code) const {
    return reinterpret_cast<uint64_t>(code) - reinterpret_cast<uint64_t>(executable_);
  }

  std::byte* writable_;
  const std::byte* executable_;
  std::vector<Granule> granules_;
  size_t used_ = 0;
  size_t largest_ = 0;  // no hole has more granules
  bool is_sealed_ = false;
};

}  // namespace gcnjit::backend
