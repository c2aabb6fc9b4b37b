#include "robustness/hostile_file.h"

#include <fmt/format.h>

namespace gcnjit::robustness {
namespace {

constexpr size_t kSizes[] = {16 << 10, 256 << 10, 2 << 20, 8 << 20};
constexpr std::string_view kTargets[] = {"gfx600", "gfx700", "gfx803", "gfx900", "gfx906"};

std::string KernelName(size_t n) { return n == 0 ? "k" : fmt::format("k{}", n); }

std::string YamlKernels(size_t first, size_t count, size_t arguments) {
  std::string text = "---\nVersion:         [ 1, 0 ]\nKernels:         \n";
  for (size_t n = first; n < first + count; ++n) {
    const std::string name = KernelName(n);
    const size_t own = n == 0 ? 0 : arguments;
    text += fmt::format("  - Name:            {0}\n    SymbolName:      '{0}@kd'\n", name);
    if (own != 0) text += "    Args:            \n";
    for (size_t a = 0; a < own; ++a) {
      text += fmt::format(
          "      - Name:            a{}\n        TypeName:        'int*'\n        Size:            "
          "8\n        Align:           8\n        ValueKind:       GlobalBuffer\n",
          a);
    }
    text += fmt::format(
        "    CodeProps:       \n      KernargSegmentSize: {}\n      KernargSegmentAlign: 8\n"
        "      WavefrontSize:   64\n",
        own * 8);
  }
  return text + "...\n";
}

std::string MessagePackKernels(int version, size_t first, size_t count, size_t arguments) {
  MessagePack document;
  document.Map(2).Text("amdhsa.version").List(2).Number(1).Number(version == 3 ? 0 : 1);
  document.Text("amdhsa.kernels").List(static_cast<uint32_t>(count));
  for (size_t n = first; n < first + count; ++n) {
    const std::string name = KernelName(n);
    const auto own = static_cast<uint32_t>(n == 0 ? 0 : arguments);
    document.Map(6).Text(".name").Text(name).Text(".symbol").Text(name + ".kd");
    document.Text(".kernarg_segment_size").Number(own * 8);
    document.Text(".kernarg_segment_align").Number(8);
    document.Text(".wavefront_size").Number(64);
    document.Text(".args").List(own);
    for (uint32_t a = 0; a < own; ++a) {
      document.Map(5).Text(".name").Text(fmt::format("a{}", a)).Text(".type_name").Text("int*");
      document.Text(".offset").Number(a * 8).Text(".size").Number(8);
      document.Text(".value_kind").Text("global_buffer");
    }
  }
  return document.bytes();
}

}  // namespace

MessagePack& MessagePack::BigEndian(uint32_t value, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
    bytes_.push_back(static_cast<char>(value >> shift));
  }
  return *this;
}

MessagePack& MessagePack::Head(uint32_t size, uint8_t fixed, uint32_t below, uint8_t wide16,
                               uint8_t wide32) {
  if (size < below) {
    bytes_.push_back(static_cast<char>(fixed | size));
    return *this;
  }
  bytes_.push_back(static_cast<char>(size < 0x10000 ? wide16 : wide32));
  return BigEndian(size, size < 0x10000 ? 2 : 4);
}

MessagePack& MessagePack::Text(std::string_view text) {
  Head(static_cast<uint32_t>(text.size()), 0xA0, 32, 0xDA, 0xDB);
  bytes_ += text;
  return *this;
}

MessagePack& MessagePack::Number(uint32_t value) {
  if (value < 0x80) return BigEndian(value, 1);
  bytes_.push_back('\xCE');
  return BigEndian(value, 4);
}

MessagePack& MessagePack::Raw(std::string_view bytes, size_t times) {
  bytes_.reserve(bytes_.size() + bytes.size() * times);
  for (size_t n = 0; n < times; ++n) bytes_ += bytes;
  return *this;
}

std::string KernelMetadata(int version, size_t first, size_t count, size_t arguments) {
  return version == 2 ? YamlKernels(first, count, arguments)
                      : MessagePackKernels(version, first, count, arguments);
}

CodeObjectWriter SmallObject(const HostileShape& shape, uint64_t head) {
  CodeObjectWriter object(shape.target, shape.version, head);
  object.AddKernelSymbol("k");
  object.AddMetadata(KernelMetadata(shape.version, 0, 1, 0));
  return object;
}

std::string HostileCase::Name() const {
  return fmt::format("{}:{}:{}:{}", kind.name, shape.bytes, shape.target, shape.version);
}

std::vector<HostileCase> HostileCases() {
  std::vector<HostileCase> cases;
  for (const auto& kinds : {ElfKinds(), MessagePackKinds(), YamlKinds(), BundleKinds(),
                            CompressedKinds(), RelocatableKinds(), PlatformKinds()}) {
    for (const HostileKind& kind : kinds) {
      for (const size_t bytes : kSizes) {
        for (int version = kind.first_version; version <= kind.last_version; ++version) {
          for (const std::string_view target : kTargets) {
            cases.push_back({kind, {bytes, target, version}});
          }
        }
      }
    }
  }
  return cases;
}

}  // namespace gcnjit::robustness
