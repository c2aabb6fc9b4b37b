// Small files that would make a trusting loader allocate or compute out of proportion, and well
// formed ones of the same make (R22). A file is a kind x a size x a target x a version.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "robustness/code_object_writer.h"

namespace gcnjit::robustness {

enum class Ends {
  kLoaded,   // a kernel 'k' without arguments is in the file, and `kernels` in all
  kRefused,  // with an error
  kEither,   // what is in the file may be meant; the host's memory may decide
  kAnyhow,   // likewise, and kernels may have lost their names
  kShown,    // gcnjit info lists what is in it, and nothing runs it
};

struct HostileFile {
  FileBytes bytes;
  Ends ends = Ends::kLoaded;
  size_t kernels = 1;
};

struct HostileShape {
  size_t bytes = 0;  // about so many
  std::string_view target;
  int version = 0;
};

struct HostileKind {
  std::string_view name;
  int first_version;  // of code objects: 2 has YAML, 3 on have MessagePack
  int last_version;
  HostileFile (*make)(const HostileShape& shape);
};

// By what they are about.
std::span<const HostileKind> ElfKinds();
std::span<const HostileKind> MessagePackKinds();
std::span<const HostileKind> YamlKinds();
std::span<const HostileKind> BundleKinds();
std::span<const HostileKind> CompressedKinds();
std::span<const HostileKind> RelocatableKinds();
std::span<const HostileKind> PlatformKinds();

struct HostileCase {
  HostileKind kind;
  HostileShape shape;
  std::string Name() const;  // "notes-shown-often:2097152:gfx900:4"
};

// The whole family, the same in each run.
std::vector<HostileCase> HostileCases();

// --- For the kinds ---

// Metadata of kernels k, k1, k2, ..., in the format of the version: k has no arguments, the others
// have `arguments` buffers each.
std::string KernelMetadata(int version, size_t first, size_t count, size_t arguments);

// A file whose only kernel is k, with metadata.
CodeObjectWriter SmallObject(const HostileShape& shape,
                             uint64_t head = CodeObjectWriter::kSmallHead);

// MessagePack, its lengths and numbers in the shortest forms.
class MessagePack {
 public:
  MessagePack& Map(uint32_t entries) { return Head(entries, 0x80, 16, 0xDE, 0xDF); }
  MessagePack& List(uint32_t items) { return Head(items, 0x90, 16, 0xDC, 0xDD); }
  MessagePack& Text(std::string_view text);
  MessagePack& Number(uint32_t value);
  // As it is, so many times.
  MessagePack& Raw(std::string_view bytes, size_t times = 1);
  const std::string& bytes() const { return bytes_; }

 private:
  MessagePack& Head(uint32_t size, uint8_t fixed, uint32_t below, uint8_t wide16, uint8_t wide32);
  MessagePack& BigEndian(uint32_t value, int bytes);

  std::string bytes_;
};

}  // namespace gcnjit::robustness
