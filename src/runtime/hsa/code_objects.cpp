#include "runtime/hsa/code_objects.h"

#include <algorithm>
#include <utility>

namespace gcnjit::hsa {
namespace {

std::shared_ptr<const SerializedCode> Parse(std::vector<std::byte> bytes) {
  auto code = std::make_shared<SerializedCode>();
  code->bytes = std::move(bytes);
  auto object = frontend::ParseCodeObject(code->bytes);
  if (!object) return code;
  code->is_valid = true;
  code->object = std::move(*object);
  code->kernels.reserve(code->object.kernels.size());  // symbols point to them
  for (const frontend::Kernel& kernel : code->object.kernels) {
    code->kernels.push_back({&kernel.info, kernel.descriptor, 0, 0});
    code->symbols.push_back({kernel.info.name + ".kd", nullptr, &code->kernels.back(), 0, 0});
  }
  for (const frontend::Symbol& symbol : code->object.symbols) {
    if (symbol.kind != frontend::SymbolKind::kVariable) continue;
    code->symbols.push_back(
        {std::string(symbol.name), nullptr, nullptr, symbol.address, symbol.size});
  }
  return code;
}

}  // namespace

const Symbol* SerializedCode::Find(std::string_view name) const {
  const auto found = std::ranges::find(symbols, name, &Symbol::name);
  return found == symbols.end() ? nullptr : &*found;
}

hsa_code_object_t CodeObjectTable::Add(std::vector<std::byte> bytes) {
  auto code = Parse(std::move(bytes));
  const std::scoped_lock lock(mutex_);
  codes_.emplace(++last_handle_, std::move(code));
  return {last_handle_};
}

bool CodeObjectTable::Remove(hsa_code_object_t handle) {
  const std::scoped_lock lock(mutex_);
  return codes_.erase(handle.handle) != 0;
}

std::shared_ptr<const SerializedCode> CodeObjectTable::Find(hsa_code_object_t handle) {
  const std::scoped_lock lock(mutex_);
  const auto found = codes_.find(handle.handle);
  return found == codes_.end() ? nullptr : found->second;
}

CodeObjectTable::Found CodeObjectTable::Find(hsa_code_symbol_t handle) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [number, code] : codes_) {
    for (const Symbol& symbol : code->symbols) {
      if (reinterpret_cast<uint64_t>(&symbol) == handle.handle) return {code, &symbol};
    }
  }
  return {};
}

}  // namespace gcnjit::hsa
