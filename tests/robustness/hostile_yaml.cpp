// R22: YAML metadata, of code object v2.
#include <fmt/format.h>

#include <string>

#include "robustness/hostile_file.h"

namespace gcnjit::robustness {
namespace yaml_kinds {
namespace {

constexpr const char* kKernel =
    "---\nVersion: [ 1, 0 ]\nKernels:\n  - Name: k\n    SymbolName: 'k@kd'\n";

HostileFile WithMetadata(const HostileShape& shape, const std::string& text, Ends ends) {
  CodeObjectWriter object(shape.target, shape.version);
  object.AddKernelSymbol("k");
  object.AddMetadata(text);
  return {object.Build(), ends, 1};
}

std::string Repeat(std::string_view text, size_t bytes) {
  std::string all;
  all.reserve(bytes + text.size());
  while (all.size() < bytes) all += text;
  return all;
}

// Ten aliases of ten aliases of ...
HostileFile Aliases(const HostileShape& shape) {
  std::string text = "---\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (size_t n = 1; text.size() < shape.bytes; ++n) {
    text += fmt::format("a{0}: &a{0} [*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1}]\n", n,
                        n - 1);
  }
  return WithMetadata(shape, text, Ends::kRefused);
}

HostileFile DeepFlow(const HostileShape& shape) {
  return WithMetadata(shape, std::string(shape.bytes, '['), Ends::kRefused);
}

HostileFile DeepFlowMaps(const HostileShape& shape) {
  return WithMetadata(shape, Repeat("{a: ", shape.bytes), Ends::kRefused);
}

HostileFile DeepBlock(const HostileShape& shape) {
  return WithMetadata(shape, "x:\n" + Repeat("- ", shape.bytes), Ends::kRefused);
}

// Each line further in than the one before.
HostileFile DeeperLines(const HostileShape& shape) {
  std::string text;
  for (size_t depth = 0; text.size() < shape.bytes; ++depth)
    text += std::string(depth, ' ') + "a:\n";
  return WithMetadata(shape, text, Ends::kRefused);
}

HostileFile WideFlow(const HostileShape& shape) {
  return WithMetadata(shape, std::string(kKernel) + "x: [" + Repeat("a,", shape.bytes) + "a]\n",
                      Ends::kLoaded);
}

HostileFile WideFlowMaps(const HostileShape& shape) {
  return WithMetadata(shape, std::string(kKernel) + "x: [" + Repeat("{},", shape.bytes) + "a]\n",
                      Ends::kLoaded);
}

HostileFile WideFlowOverLines(const HostileShape& shape) {
  return WithMetadata(shape, std::string(kKernel) + "x: [" + Repeat("a,\n  ", shape.bytes) + "a]\n",
                      Ends::kLoaded);
}

HostileFile WideBlock(const HostileShape& shape) {
  return WithMetadata(shape, std::string(kKernel) + "x:\n" + Repeat("  - a\n", shape.bytes),
                      Ends::kLoaded);
}

HostileFile UnreadKeys(const HostileShape& shape) {
  std::string text = kKernel;
  for (size_t n = 0; text.size() < shape.bytes; ++n) text += fmt::format("x{}:\n", n);
  return WithMetadata(shape, text, Ends::kLoaded);
}

HostileFile LongText(const HostileShape& shape) {
  return WithMetadata(shape, kKernel + ("x: " + std::string(shape.bytes, 't')) + "\n",
                      Ends::kLoaded);
}

HostileFile LongQuotedText(const HostileShape& shape) {
  return WithMetadata(shape, kKernel + ("x: \"" + Repeat("\\u00e9", shape.bytes)) + "\"\n",
                      Ends::kLoaded);
}

HostileFile TextWithoutEnd(const HostileShape& shape) {
  return WithMetadata(shape, kKernel + ("x: '" + Repeat("''", shape.bytes)) + "\n", Ends::kRefused);
}

HostileFile Comments(const HostileShape& shape) {
  return WithMetadata(shape, kKernel + Repeat("# ...\n", shape.bytes), Ends::kLoaded);
}

HostileFile EmptyLines(const HostileShape& shape) {
  return WithMetadata(shape, kKernel + std::string(shape.bytes, '\n'), Ends::kLoaded);
}

HostileFile Spaces(const HostileShape& shape) {
  return WithMetadata(shape, kKernel + std::string(shape.bytes, ' ') + "\n", Ends::kLoaded);
}

HostileFile ManyArguments(const HostileShape& shape) {
  return WithMetadata(shape,
                      std::string(kKernel) + "    Args:\n" +
                          Repeat("    - {Size: 0, Align: 1, ValueKind: a}\n", shape.bytes),
                      Ends::kEither);
}

HostileFile ManyKernels(const HostileShape& shape) {
  std::string text = kKernel;
  for (size_t n = 0; text.size() < shape.bytes; ++n) {
    text += fmt::format("  - {{Name: {}, SymbolName: a}}\n", n);
  }
  return WithMetadata(shape, text, Ends::kRefused);  // only k has a descriptor
}

HostileFile ManyDocuments(const HostileShape& shape) {
  return WithMetadata(shape, kKernel + Repeat("---\na: b\n", shape.bytes), Ends::kEither);
}

constexpr HostileKind kKinds[] = {
    {"yaml-aliases", 2, 2, Aliases},
    {"yaml-deep-flow", 2, 2, DeepFlow},
    {"yaml-deep-flow-maps", 2, 2, DeepFlowMaps},
    {"yaml-deep-block", 2, 2, DeepBlock},
    {"yaml-deeper-lines", 2, 2, DeeperLines},
    {"yaml-wide-flow", 2, 2, WideFlow},
    {"yaml-wide-flow-maps", 2, 2, WideFlowMaps},
    {"yaml-wide-flow-over-lines", 2, 2, WideFlowOverLines},
    {"yaml-wide-block", 2, 2, WideBlock},
    {"yaml-unread-keys", 2, 2, UnreadKeys},
    {"yaml-long-text", 2, 2, LongText},
    {"yaml-long-quoted-text", 2, 2, LongQuotedText},
    {"yaml-text-without-end", 2, 2, TextWithoutEnd},
    {"yaml-comments", 2, 2, Comments},
    {"yaml-empty-lines", 2, 2, EmptyLines},
    {"yaml-spaces", 2, 2, Spaces},
    {"yaml-many-arguments", 2, 2, ManyArguments},
    {"yaml-many-kernels", 2, 2, ManyKernels},
    {"yaml-many-documents", 2, 2, ManyDocuments},
};

}  // namespace
}  // namespace yaml_kinds

std::span<const HostileKind> YamlKinds() { return yaml_kinds::kKinds; }

}  // namespace gcnjit::robustness
