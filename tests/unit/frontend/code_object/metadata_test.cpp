// Metadata documents of both formats: as compilers write them, and as none does.
#include "frontend/code_object/metadata.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gcnjit {
namespace {

using nlohmann::json;

json GoodDocument() {
  return json{
      {"amdhsa.version", {1, 2}},
      {"amdhsa.kernels",
       {{{".name", "k"},
         {".symbol", "k.kd"},
         {".kernarg_segment_size", 8},
         {".kernarg_segment_align", 8},
         {".wavefront_size", 64},
         {".args", {{{".offset", 0}, {".size", 8}, {".value_kind", "hidden_global_offset_x"}}}}}}}};
}

using Kernels = std::vector<frontend::KernelMetadata>;

// What a function that reads metadata gives, all at once.
template <typename Read>
Result<Kernels> Collect(Read&& read) {
  Kernels kernels;
  const auto result = read([&](frontend::KernelMetadata kernel) {
    kernels.push_back(std::move(kernel));
    return Result<void>();
  });
  if (!result) return result.error();
  return kernels;
}

Result<Kernels> ParseMessagePack(const std::vector<uint8_t>& bytes) {
  frontend::LoadBudget budget(bytes.size());
  return Collect([&](const frontend::TakeKernel& take) {
    return frontend::ReadMessagePackMetadata(std::as_bytes(std::span(bytes)), 0x238, budget, take);
  });
}

Result<Kernels> ParseYaml(const std::string& text) {
  frontend::LoadBudget budget(text.size());
  return Collect([&](const frontend::TakeKernel& take) {
    return frontend::ReadYamlMetadata(text, 0, budget, take);
  });
}

Result<Kernels> ParseDocument(const json& document) {
  return ParseMessagePack(json::to_msgpack(document));
}

void ExpectRefused(const json& document, const char* part) {
  const auto result = ParseDocument(document);
  ASSERT_FALSE(result.ok()) << document;
  EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
}

TEST(MetadataTest, GoodDocument) {
  const auto kernels = ParseDocument(GoodDocument());
  ASSERT_TRUE(kernels.ok()) << kernels.error().message;
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ((*kernels)[0].symbol, "k.kd");
  ASSERT_EQ((*kernels)[0].info.arguments.size(), 1u);
  EXPECT_EQ((*kernels)[0].info.arguments[0].kind, ArgumentKind::kHidden);
  EXPECT_FALSE((*kernels)[0].info.uses_dynamic_stack);
}

// They come after the kernels in compilers' files, and all kernels of the document have them.
TEST(MetadataTest, PrintfFormats) {
  json document = GoodDocument();
  document["amdhsa.printf"] = {"1:1:4:%d\\n", "2:0:x"};
  const auto kernels = ParseDocument(document);
  ASSERT_TRUE(kernels.ok()) << kernels.error().message;
  EXPECT_EQ(*(*kernels)[0].printf_formats, (std::vector<std::string>{"1:1:4:%d\\n", "2:0:x"}));
  const auto old = ParseYaml(
      "---\nVersion: [ 1, 0 ]\nPrintf:\n  - '1:1:4:%d\\n'\nKernels:\n  - Name: k\n"
      "    SymbolName: 'k@kd'\n...\n");
  ASSERT_TRUE(old.ok()) << old.error().message;
  EXPECT_EQ(*(*old)[0].printf_formats, (std::vector<std::string>{"1:1:4:%d\\n"}));
  document["amdhsa.printf"] = {1};
  ExpectRefused(document, "'amdhsa.printf' has an item that is not text");
  document["amdhsa.printf"] = "1:0:x";
  ExpectRefused(document, "'amdhsa.printf' that is not a list");
}

TEST(MetadataTest, ProblemsAreNamed) {
  const auto changed = [](auto&& change) {
    json document = GoodDocument();
    change(document["amdhsa.kernels"][0]);
    return document;
  };
  ExpectRefused(changed([](json& k) { k.erase(".name"); }), "kernel 0 has no '.name'");
  ExpectRefused(changed([](json& k) { k.erase(".symbol"); }), "kernel 0 has no '.symbol'");
  ExpectRefused(changed([](json& k) { k[".name"] = 5; }), "'.name' that is not text");
  ExpectRefused(changed([](json& k) { k[".args"] = 5; }), "'.args' that is not a list");
  ExpectRefused(changed([](json& k) { k[".args"][0] = 5; }), "argument 0 of kernel 0 is not a map");
  ExpectRefused(changed([](json& k) { k[".args"][0].erase(".offset"); }), "has no '.offset'");
  ExpectRefused(changed([](json& k) { k[".args"][0].erase(".value_kind"); }), "'.value_kind'");
  ExpectRefused(changed([](json& k) { k[".args"][0][".size"] = -1; }), "not a number below");
  ExpectRefused(changed([](json& k) { k[".args"][0][".size"] = uint64_t{1} << 32; }),
                "not a number below");
  ExpectRefused(changed([](json& k) { k[".wavefront_size"] = 32; }), "waves of 32 lanes");
  ExpectRefused(changed([](json& k) { k[".reqd_workgroup_size"] = {1, 2}; }), "three numbers");
  ExpectRefused(changed([](json& k) { k[".uses_dynamic_stack"] = 1; }), "neither true nor false");
  ExpectRefused(changed([](json& k) { k = json::array(); }), "kernel 0 is not a map");
  ExpectRefused(json{{"amdhsa.version", {2, 0}}}, "version other than 1");
  ExpectRefused(json::array(), "the document is not a map");
  EXPECT_NE(ParseDocument(json(5)).error().message.find("0x238"), std::string::npos);
}

TEST(MetadataTest, DeepNestingIsRefused) {
  for (const uint8_t opener : {uint8_t{0x91}, uint8_t{0x81}}) {  // array, map of one
    std::vector<uint8_t> bytes = {0x81, 0xA1, 'x'};
    for (int i = 0; i < 1'000'000; ++i) {
      bytes.push_back(opener);
      if (opener == 0x81) bytes.push_back(0xA0);  // an empty key
    }
    const auto result = ParseMessagePack(bytes);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find("nested"), std::string::npos) << result.error().message;
  }
}

TEST(MetadataTest, LengthsBeyondTheEndAreRefused) {
  // array 32 with 2^32-1 items; str 32, bin 32 and ext 32 with 2^32-1 bytes.
  for (const uint8_t type : {uint8_t{0xDD}, uint8_t{0xDB}, uint8_t{0xC6}, uint8_t{0xC9}}) {
    const std::vector<uint8_t> bytes = {type, 0xFF, 0xFF, 0xFF, 0xFF, 0x01};
    EXPECT_FALSE(ParseMessagePack(bytes).ok());
  }
}

TEST(YamlMetadataTest, V2DocumentInV3Words) {
  const auto kernels = ParseYaml(R"(---
Version: [ 1, 0 ]
Kernels:
  - Name: k
    SymbolName: 'k@kd'
    Attrs:
      ReqdWorkGroupSize: [ 4, 5, 6 ]
    Args:
      - { TypeName: char, Size: 1, Align: 1, ValueKind: ByValue }
      - { TypeName: 'int*', Size: 8, Align: 8, ValueKind: GlobalBuffer, Name: out }
      - { Size: 4, Align: 4, ValueKind: DynamicSharedPointer, PointeeAlign: 16 }
      - { Size: 8, Align: 8, ValueKind: HiddenGlobalOffsetZ }
      - { Size: 8, Align: 8, ValueKind: HiddenMultiGridSyncArg }
      - { Size: 8, Align: 8, ValueKind: Queue }
    CodeProps: { KernargSegmentSize: 48, KernargSegmentAlign: 8, GroupSegmentFixedSize: 12,
                 PrivateSegmentFixedSize: 16, NumSGPRs: 10, NumVGPRs: 7, WavefrontSize: 64,
                 MaxFlatWorkGroupSize: 256, IsDynamicCallStack: true }
...
)");
  ASSERT_TRUE(kernels.ok()) << kernels.error().message;
  ASSERT_EQ(kernels->size(), 1u);
  const KernelInfo& info = (*kernels)[0].info;
  ASSERT_EQ(info.arguments.size(), 6u);
  const uint32_t offsets[] = {0, 8, 16, 24, 32, 40};
  const char* kinds[] = {"by_value",
                         "global_buffer",
                         "dynamic_shared_pointer",
                         "hidden_global_offset_z",
                         "hidden_multigrid_sync_arg",
                         "queue"};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(info.arguments[i].offset, offsets[i]);
    EXPECT_EQ(info.arguments[i].value_kind, kinds[i]);
  }
  EXPECT_EQ(info.arguments[1].name, "out");
  EXPECT_EQ(info.arguments[2].pointee_align, 16u);
  EXPECT_EQ(info.arguments[5].kind, ArgumentKind::kUnsupported);
  EXPECT_EQ(info.reqd_workgroup_size[2], 6u);
  EXPECT_EQ(info.group_segment_size, 12u);
  EXPECT_EQ(info.private_segment_size, 16u);
  EXPECT_TRUE(info.uses_dynamic_stack);
}

TEST(YamlMetadataTest, HostileDocumentsAreRefused) {
  const std::string deep(1'000'000, '[');
  EXPECT_FALSE(ParseYaml(deep).ok());
  // Nine levels of nine aliases: 387 million nodes from 400 bytes.
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += fmt::format("a{0}: &a{0} [*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1}]\n", i,
                        i - 1);
  }
  const auto result = ParseYaml(bomb);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("aliases"), std::string::npos) << result.error().message;
  const auto align = ParseYaml(
      "Kernels: [{Name: k, SymbolName: s, Args: [{Size: 4, Align: 3, ValueKind: ByValue}]}]");
  ASSERT_FALSE(align.ok());
  EXPECT_NE(align.error().message.find("power of two"), std::string::npos);
  for (const char* text : {"Kernels: [", "Kernels: 5", "[1, 2]", "{[a]: b}", "\x80", "%", "*x"}) {
    EXPECT_FALSE(ParseYaml(text).ok()) << text;
  }
}

// What yaml::Output of LLVM 14 writes, with the quotes that it needs for such names.
TEST(YamlMetadataTest, AsLlvmWritesIt) {
  const auto kernels = ParseYaml(R"(---
Version:         [ 1, 0 ]
Printf:          
  - '1:1:4:it''s %d\n: # no comment'
Kernels:         
  - Name:            "caf\xC3\xA9 \u00e9\""
    SymbolName:      'it''s@kd'
    Language:        OpenCL C
    LanguageVersion: [ 2, 0 ]
    Attrs:           
      ReqdWorkGroupSize: [ 64, 1, 1 ]
      VecTypeHint:     float4
    Args:            
      - Name:            in
        TypeName:        'float*'
        Size:            8
        Align:           8
        ValueKind:       GlobalBuffer
        IsConst:         true
      - Size:            4
        Align:           4
        ValueKind:       ByValue
        TypeName:        unsigned int
    CodeProps:       
      KernargSegmentSize: 12
      KernargSegmentAlign: 8
      WavefrontSize:   64
  - Name:            second
    SymbolName:      'second@kd'
...
)");
  ASSERT_TRUE(kernels.ok()) << kernels.error().message;
  ASSERT_EQ(kernels->size(), 2u);
  const KernelInfo& info = (*kernels)[0].info;
  EXPECT_EQ(info.name, "caf\u00c3\u00a9 \u00e9\"");
  EXPECT_EQ((*kernels)[0].symbol, "it's@kd");
  EXPECT_EQ(info.reqd_workgroup_size[0], 64u);
  ASSERT_EQ(info.arguments.size(), 2u);
  EXPECT_EQ(info.arguments[0].type_name, "float*");
  EXPECT_EQ(info.arguments[1].type_name, "unsigned int");
  EXPECT_EQ(info.arguments[1].offset, 8u);
  EXPECT_EQ(info.kernarg_segment_size, 12u);
  EXPECT_EQ((*kernels)[1].info.name, "second");
}

// The same document in the other ways that YAML has for it (YAML 1.2.2: 6.1, 6.6, 7.1, 7.4, 8.2).
TEST(YamlMetadataTest, OtherWaysToWriteIt) {
  for (const char* text : {
           "Kernels:\n  - Name: k\n    SymbolName: s\n",
           "Kernels:\n- Name: k\n  SymbolName: s\n",
           "Kernels:\n  -\n    Name: k\n    SymbolName: s",
           "Kernels:\n  -   Name:   k   # a comment\n      SymbolName: s\nx:\n",
           "# a comment\n\n--- # another\nKernels: # and\n\n  # more\n  - Name: k\n"
           "    SymbolName: s\n...\nanything: [",
           "{Kernels: [{Name: k, SymbolName: s}]}",
           "Kernels: [ { Name: k,\n   SymbolName: s, x, y: , }, ]\n",
           "\"Kernels\":\n  - 'Name': k\n    SymbolName: \"s\"\n",
           "x:\n  - - a\n    - b: c\n  -\n  - ~\nKernels:\r\n  - Name: k\r\n    SymbolName: s\r\n",
       }) {
    const auto kernels = ParseYaml(text);
    ASSERT_TRUE(kernels.ok()) << text << kernels.error().message;
    ASSERT_EQ(kernels->size(), 1u) << text;
    EXPECT_EQ((*kernels)[0].info.name, "k") << text;
    EXPECT_EQ((*kernels)[0].symbol, "s") << text;
  }
}

TEST(YamlMetadataTest, WhatIsNotReadIsRefused) {
  for (const char* text : {
           "",
           "---\n",
           "a: b\n  c\n",
           "a: b: c\n",
           "a: - b\n",
           "a: 'b",
           "a: 'b' c\n",
           "a: \"\\q\"\n",
           "a: \"\\x1\"\n",
           "a: |\n  b\n",
           "a: !t b\n",
           "a: &b c\n",
           "%YAML 1.2\n---\na: b\n",
           "a: b\n- c\n",
           "a\nb: c\n",
           "- a\nb: c\n",
           "? a\n: b\n",
           "{a: b}: c\n",
           "[a, b\n",
           "{a: b\n",
           "{a: b]\n",
           "[a b: c]]\n",
           "a: [b] c\n",
           "a: @b\n",
           "a: [,]\n",
       }) {
    const auto kernels = ParseYaml(text);
    ASSERT_FALSE(kernels.ok()) << text;
    EXPECT_FALSE(kernels.error().message.empty());
  }
}

TEST(MetadataTest, NumbersOfEveryWidth) {
  // 8 as a fixed, an unsigned and a signed number of 1, 2, 4 and 8 bytes.
  for (const char type : {'\x08', '\xCC', '\xCD', '\xCE', '\xCF', '\xD0', '\xD1', '\xD2', '\xD3'}) {
    std::string number(1, type);
    const auto kind = static_cast<unsigned char>(type);
    if (kind >= 0xCC) {
      number.append(size_t{1} << ((kind - 0xCC) % 4), '\0');
      number.back() = 8;
    }
    const std::string text =
        "\x81\xAE"
        "amdhsa.kernels\x91\x83\xA5.name\xA1k\xA7.symbol\xA1s\xB5"
        ".kernarg_segment_size" +
        number;
    const auto kernels = ParseMessagePack({text.begin(), text.end()});
    ASSERT_TRUE(kernels.ok()) << kind << kernels.error().message;
    EXPECT_EQ(kernels->at(0).info.kernarg_segment_size, 8u) << kind;
  }
}

// What the loader does not read may be anything; MessagePack's specification, "Formats".
TEST(MetadataTest, UnreadValuesOfEveryType) {
  json document = GoodDocument();
  document[".unread"] = {nullptr,
                         -1,
                         0.5,
                         1e300,
                         true,
                         std::string(40, 't'),
                         std::string(300, 't'),
                         std::string(70000, 't'),
                         json::binary(std::vector<uint8_t>(20)),
                         json::binary(std::vector<uint8_t>(300), 5),
                         json::binary(std::vector<uint8_t>(70000)),
                         json::binary(std::vector<uint8_t>(4), 5),
                         std::vector<int>(20, -200),
                         std::vector<int>(70000, 1),
                         json::object({{"a", {{"b", {1, 2}}}}})};
  document["amdhsa.kernels"][0][".unread"] = document[".unread"];
  document["amdhsa.kernels"][0][".args"][0][".unread"] = document[".unread"];
  const auto kernels = ParseDocument(document);
  ASSERT_TRUE(kernels.ok()) << kernels.error().message;
  EXPECT_EQ(kernels->at(0).info.arguments.size(), 1u);
}

// Keys that are no text: Tensile's `custom.config` has numbers (rocBLAS 6.4's f64 kernels for
// gfx90a).
TEST(MetadataTest, UnreadKeysOfEveryType) {
  const auto with_key = [](auto place, const std::string& key) {
    constexpr const char* kText = "\xA3key";
    json document = GoodDocument();
    place(document)["key"] = 5;
    const std::vector<uint8_t> bytes = json::to_msgpack(document);
    std::string text(bytes.begin(), bytes.end());
    text.replace(text.find(kText), 4, key);
    return ParseMessagePack({text.begin(), text.end()});
  };
  const auto in_all_places = [&](const std::string& key, const auto& check) {
    check(with_key([](json& d) -> json& { return d; }, key));
    check(with_key([](json& d) -> json& { return d["amdhsa.kernels"][0]; }, key));
    check(with_key([](json& d) -> json& { return d["amdhsa.kernels"][0][".args"][0]; }, key));
    check(with_key([](json& d) -> json& { return d["amdhsa.kernels"][0]["custom.config"]; }, key));
  };
  const std::string keys[] = {"\x03",
                              "\xFF",
                              "\xC3",
                              "\xCD\x12\x34",
                              "\xD1\xFF\x34",
                              std::string("\xC0"),
                              "\xCA\x3F\x80\x12\x34",
                              "\xC4\x01\x42"};
  for (const std::string& key : keys) {
    in_all_places(key, [&](const Result<Kernels>& kernels) {
      ASSERT_TRUE(kernels.ok()) << kernels.error().message;
      ASSERT_EQ(kernels->size(), 1u);
      EXPECT_EQ(kernels->at(0).symbol, "k.kd");
      EXPECT_EQ(kernels->at(0).info.arguments.size(), 1u);
    });
  }
  for (const char* key : {"\x80", "\x90"}) {
    in_all_places(key, [](const Result<Kernels>& kernels) {
      ASSERT_FALSE(kernels.ok());
      EXPECT_NE(kernels.error().message.find("a key that is a map or a list"), std::string::npos);
    });
  }
}

TEST(MetadataTest, MoreArgumentsThanAnyKernelHas) {
  json document = GoodDocument();
  json& arguments = document["amdhsa.kernels"][0][".args"];
  const json argument = arguments[0];
  for (int n = 1; n < 4096; ++n) arguments.push_back(argument);
  EXPECT_TRUE(ParseDocument(document).ok());
  arguments.push_back(argument);
  ExpectRefused(document, "more than 4096 arguments");
}

}  // namespace
}  // namespace gcnjit
