// R22: MessagePack metadata. https://github.com/msgpack/msgpack/blob/master/spec.md
#include <string>
#include <string_view>

#include "robustness/hostile_file.h"

namespace gcnjit::robustness {
namespace message_pack_kinds {
namespace {

using namespace std::string_view_literals;

HostileFile WithMetadata(const HostileShape& shape, const MessagePack& document, Ends ends) {
  CodeObjectWriter object(shape.target, shape.version);
  object.AddKernelSymbol("k");
  object.AddMetadata(document.bytes());
  return {object.Build(), ends, 1};
}

void AddVersion(MessagePack& document) {
  document.Text("amdhsa.version").List(2).Number(1).Number(1);
}

void AddSmallKernel(MessagePack& document) {
  document.Text("amdhsa.kernels")
      .List(1)
      .Map(2)
      .Text(".name")
      .Text("k")
      .Text(".symbol")
      .Text("k.kd");
}

// The usual document, and under a key that no reader knows a list of so many of these values.
HostileFile UnreadList(const HostileShape& shape, std::string_view value, Ends ends) {
  const size_t count = shape.bytes / value.size();
  MessagePack document;
  AddVersion(document.Map(3));
  AddSmallKernel(document);
  document.Text("x").List(static_cast<uint32_t>(count)).Raw(value, count);
  return WithMetadata(shape, document, ends);
}

HostileFile EmptyMaps(const HostileShape& shape) {
  return UnreadList(shape, "\x80", Ends::kLoaded);
}
HostileFile EmptyLists(const HostileShape& shape) {
  return UnreadList(shape, "\x90", Ends::kLoaded);
}
HostileFile EmptyTexts(const HostileShape& shape) {
  return UnreadList(shape, "\xA0", Ends::kLoaded);
}
HostileFile Nothings(const HostileShape& shape) { return UnreadList(shape, "\xC0", Ends::kLoaded); }
HostileFile Extensions(const HostileShape& shape) {
  return UnreadList(shape, "\xC7\0\1\xD4\2\3\xC4\0"sv, Ends::kLoaded);
}
HostileFile Fractions(const HostileShape& shape) {
  return UnreadList(shape, "\xCA\x3F\x80\0\0\xCB\x3F\xF0\0\0\0\0\0\0"sv, Ends::kLoaded);
}
HostileFile MapsOfMaps(const HostileShape& shape) {
  return UnreadList(shape, "\x81\xA0\x81\xA0\x80"sv, Ends::kLoaded);
}
HostileFile UnknownTypes(const HostileShape& shape) {
  return UnreadList(shape, "\xC1"sv, Ends::kRefused);
}

HostileFile UnreadKeys(const HostileShape& shape) {
  const auto count = static_cast<uint32_t>(shape.bytes / 6);
  MessagePack document;
  AddVersion(document.Map(3));
  AddSmallKernel(document);
  document.Text("x").Map(count);
  for (uint32_t n = 0; n < count; ++n) {
    const char key[] = {static_cast<char>(n), static_cast<char>(n >> 8), static_cast<char>(n >> 16),
                        '.'};
    document.Text({key, sizeof key}).Number(0);
  }
  return WithMetadata(shape, document, Ends::kLoaded);
}

HostileFile OneKeyAgainAndAgain(const HostileShape& shape) {
  const auto count = static_cast<uint32_t>(shape.bytes / 3);
  MessagePack document;
  AddVersion(document.Map(2 + count));
  AddSmallKernel(document);
  document.Raw("\xA1x\x90", count);
  return WithMetadata(shape, document, Ends::kLoaded);
}

HostileFile KernelListsAgainAndAgain(const HostileShape& shape) {
  MessagePack one;
  AddSmallKernel(one);
  const size_t count = shape.bytes / one.bytes().size();
  MessagePack document;
  document.Map(static_cast<uint32_t>(count)).Raw(one.bytes(), count);
  return WithMetadata(shape, document, Ends::kEither);
}

HostileFile DeepLists(const HostileShape& shape) {
  return WithMetadata(shape, MessagePack().Map(1).Text("x").Raw("\x91", shape.bytes),
                      Ends::kRefused);
}

HostileFile DeepMaps(const HostileShape& shape) {
  return WithMetadata(shape, MessagePack().Map(1).Text("x").Raw("\x81\xA0", shape.bytes / 2),
                      Ends::kRefused);
}

HostileFile DeepKernels(const HostileShape& shape) {
  MessagePack document;
  document.Map(1).Text("amdhsa.kernels").List(1).Map(1).Text(".args").Raw("\x91", shape.bytes);
  return WithMetadata(shape, document, Ends::kRefused);
}

HostileFile LongText(const HostileShape& shape) {
  MessagePack document;
  AddVersion(document.Map(3));
  AddSmallKernel(document);
  document.Text("x").Text(std::string(shape.bytes, 't'));
  return WithMetadata(shape, document, Ends::kLoaded);
}

HostileFile LengthsOutOfNothing(const HostileShape& shape) {
  MessagePack document;
  document.Map(2).Text("x").Text(std::string(shape.bytes, 't'));
  document.Text("amdhsa.kernels").List(0xFFFFFFFF).Map(0xFFFFFFFF);
  return WithMetadata(shape, document, Ends::kRefused);
}

// A kernel whose arguments are these, if it has any.
void AddKernel(MessagePack& document, std::string_view name, const MessagePack& argument,
               size_t count) {
  document.Map(3).Text(".name").Text(name).Text(".symbol").Text("k.kd").Text(".args");
  document.List(static_cast<uint32_t>(count)).Raw(argument.bytes(), count);
}

MessagePack SmallestArgument() {
  MessagePack argument;
  argument.Map(3).Text(".offset").Number(0).Text(".size").Number(0).Text(".value_kind").Text("");
  return argument;
}

HostileFile ManyArguments(const HostileShape& shape) {
  const MessagePack argument = SmallestArgument();
  MessagePack document;
  AddKernel(document.Map(1).Text("amdhsa.kernels").List(1), "k", argument,
            shape.bytes / argument.bytes().size());
  return WithMetadata(shape, document, Ends::kEither);
}

// As many as a kernel may have.
HostileFile KernelsOfManyArguments(const HostileShape& shape) {
  const MessagePack argument = SmallestArgument();
  constexpr size_t kMost = 4096;
  const auto kernels = static_cast<uint32_t>(1 + shape.bytes / (kMost * argument.bytes().size()));
  MessagePack document;
  document.Map(1).Text("amdhsa.kernels").List(kernels);
  AddKernel(document, "k", argument, 0);
  for (uint32_t n = 1; n < kernels; ++n) {
    AddKernel(document, "k" + std::to_string(n), argument, kMost);
  }
  return WithMetadata(shape, document, Ends::kEither);
}

// Texts a little too long to be kept without memory of their own.
HostileFile ArgumentsOfTexts(const HostileShape& shape) {
  MessagePack argument;
  argument.Map(5).Text(".offset").Number(0).Text(".size").Number(0);
  for (const char* key : {".value_kind", ".name", ".type_name"}) {
    argument.Text(key).Text("sixteen letters_");
  }
  const auto kernels = static_cast<uint32_t>(1 + shape.bytes / (8 * argument.bytes().size()));
  MessagePack document;
  document.Map(1).Text("amdhsa.kernels").List(kernels);
  AddKernel(document, "k", argument, 0);
  for (uint32_t n = 1; n < kernels; ++n) {
    AddKernel(document, "k" + std::to_string(n), argument, 8);
  }
  return WithMetadata(shape, document, Ends::kEither);
}

// Kernels of one symbol, which has their descriptor.
HostileFile ManyKernels(const HostileShape& shape) {
  MessagePack document;
  const auto count = static_cast<uint32_t>(shape.bytes / 27);
  document.Map(1).Text("amdhsa.kernels").List(count);
  for (uint32_t n = 0; n < count; ++n) {
    std::string name = n == 0 ? "k" : "";
    for (uint32_t rest = n; rest != 0; rest /= 64)
      name.push_back(static_cast<char>('0' + rest % 64));
    document.Map(2).Text(".name").Text(name).Text(".symbol").Text("k.kd");
  }
  return WithMetadata(shape, document, Ends::kEither);
}

HostileFile KernelsWithoutNames(const HostileShape& shape) {
  MessagePack document;
  document.Map(1).Text("amdhsa.kernels").List(static_cast<uint32_t>(shape.bytes));
  document.Raw("\x80", shape.bytes);
  return WithMetadata(shape, document, Ends::kRefused);
}

HostileFile LongListsOfNumbers(const HostileShape& shape) {
  const auto count = static_cast<uint32_t>(shape.bytes / 2);
  MessagePack document;
  document.Map(2).Text("amdhsa.version").List(count).Raw("\1", count);
  document.Text("amdhsa.kernels")
      .List(1)
      .Map(3)
      .Text(".name")
      .Text("k")
      .Text(".symbol")
      .Text("k.kd");
  document.Text(".reqd_workgroup_size").List(count).Raw("\1", count);
  return WithMetadata(shape, document, Ends::kRefused);
}

HostileFile LargeKernargSegment(const HostileShape& shape) {
  MessagePack document;
  AddVersion(document.Map(3));
  document.Text("x").Text(std::string(shape.bytes, 't'));
  document.Text("amdhsa.kernels")
      .List(1)
      .Map(3)
      .Text(".name")
      .Text("k")
      .Text(".symbol")
      .Text("k.kd");
  document.Text(".kernarg_segment_size").Number(0xFFFFFFFF);
  return WithMetadata(shape, document, Ends::kRefused);
}

HostileFile ManySmallDocuments(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  for (size_t n = 0; n < shape.bytes / 24; ++n) object.AddMetadata("\x80");
  return {object.Build(), Ends::kLoaded, 1};
}

constexpr HostileKind kKinds[] = {
    {"msgpack-empty-maps", 3, 6, EmptyMaps},
    {"msgpack-empty-lists", 3, 6, EmptyLists},
    {"msgpack-empty-texts", 3, 6, EmptyTexts},
    {"msgpack-nothings", 3, 6, Nothings},
    {"msgpack-extensions", 3, 6, Extensions},
    {"msgpack-fractions", 3, 6, Fractions},
    {"msgpack-maps-of-maps", 3, 6, MapsOfMaps},
    {"msgpack-unknown-types", 3, 6, UnknownTypes},
    {"msgpack-unread-keys", 3, 6, UnreadKeys},
    {"msgpack-one-key-again", 3, 6, OneKeyAgainAndAgain},
    {"msgpack-kernel-lists-again", 3, 6, KernelListsAgainAndAgain},
    {"msgpack-deep-lists", 3, 6, DeepLists},
    {"msgpack-deep-maps", 3, 6, DeepMaps},
    {"msgpack-deep-kernels", 3, 6, DeepKernels},
    {"msgpack-long-text", 3, 6, LongText},
    {"msgpack-lengths-out-of-nothing", 3, 6, LengthsOutOfNothing},
    {"msgpack-many-arguments", 3, 6, ManyArguments},
    {"msgpack-kernels-of-many-arguments", 3, 6, KernelsOfManyArguments},
    {"msgpack-arguments-of-texts", 3, 6, ArgumentsOfTexts},
    {"msgpack-many-kernels", 3, 6, ManyKernels},
    {"msgpack-kernels-without-names", 3, 6, KernelsWithoutNames},
    {"msgpack-long-lists-of-numbers", 3, 6, LongListsOfNumbers},
    {"msgpack-large-kernarg-segment", 3, 6, LargeKernargSegment},
    {"msgpack-many-small-documents", 3, 6, ManySmallDocuments},
};

}  // namespace
}  // namespace message_pack_kinds

std::span<const HostileKind> MessagePackKinds() { return message_pack_kinds::kKinds; }

}  // namespace gcnjit::robustness
