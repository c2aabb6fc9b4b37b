#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <string>

#include "frontend/code_object/metadata.h"
#include "frontend/code_object/metadata_schema.h"

namespace gcnjit::frontend {
namespace {

using nlohmann::json;

// The YAML parser's speed and memory allow no more; code object v2 files are small and old.
constexpr size_t kMaxYamlBytes = size_t{16} << 20;
constexpr int kMaxDepth = 32;

// Copies the document. Aliases can make a small text stand for a huge tree, which the budget stops:
// without them, nodes and characters cannot outnumber the text's own bytes.
class Converter {
 public:
  explicit Converter(size_t text_bytes) : budget_(2 * text_bytes + 64) {}

  json Convert(const YAML::Node& node, int depth) {
    if (depth > kMaxDepth || !Spend(1)) return Fail();
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null: return nullptr;
      case YAML::NodeType::Scalar:
        if (!Spend(node.Scalar().size())) return Fail();
        return node.Scalar();
      case YAML::NodeType::Sequence: {
        json list = json::array();
        for (const YAML::Node& item : node) {
          list.push_back(Convert(item, depth + 1));
          if (failed_) return nullptr;
        }
        return list;
      }
      case YAML::NodeType::Map: {
        json map = json::object();
        for (const auto& entry : node) {
          if (!entry.first.IsScalar() || !Spend(entry.first.Scalar().size())) return Fail();
          map[entry.first.Scalar()] = Convert(entry.second, depth + 1);
          if (failed_) return nullptr;
        }
        return map;
      }
    }
    return Fail();
  }

  bool failed() const { return failed_; }

 private:
  bool Spend(size_t amount) {
    if (amount > budget_) return false;
    budget_ -= amount;
    return true;
  }
  json Fail() {
    failed_ = true;
    return nullptr;
  }

  size_t budget_;
  bool failed_ = false;
};

}  // namespace

Result<std::vector<KernelMetadata>> ParseYamlMetadata(std::string_view text, uint64_t offset) {
  const auto invalid = [&](const std::string& what) {
    return Error{ErrorCode::kInvalidCodeObject,
                 fmt::format("metadata at offset {:#x}: {}", offset, what)};
  };
  if (text.size() > kMaxYamlBytes) {
    return invalid(
        fmt::format("{} bytes of YAML; at most {} are accepted", text.size(), kMaxYamlBytes));
  }
  // The note's text ends in NUL characters, which YAML does not allow.
  text = text.substr(0, text.find('\0'));
  json document;
  try {
    Converter converter(text.size());
    document = converter.Convert(YAML::Load(std::string(text)), 0);
    if (converter.failed()) {
      return invalid("YAML with aliases, very deep nesting or keys that are not text");
    }
  } catch (const YAML::Exception& exception) {
    return invalid(fmt::format("not YAML at line {} of the metadata: {}", exception.mark.line + 1,
                               exception.msg));
  }
  return KernelsOfMetadata(document, MetadataFormat::kV2, offset);
}

}  // namespace gcnjit::frontend
