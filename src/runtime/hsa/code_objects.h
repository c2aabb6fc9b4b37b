// Code objects in the oldest form of the API: handles of their own, which can be asked for symbols
// and loaded into executables.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "frontend/code_object/code_object.h"
#include "runtime/hsa/executables.h"

namespace gcnjit::hsa {

// Never changes.
struct SerializedCode {
  std::vector<std::byte> bytes;
  // False: the bytes are no code object, and there are no symbols. Loading them says why.
  bool is_valid = false;
  frontend::CodeObject object;
  std::vector<runtime::LoadedKernel> kernels;  // not loaded: of addresses it has none
  std::vector<Symbol> symbols;

  // Null: none of that name.
  const Symbol* Find(std::string_view name) const;
};

class CodeObjectTable {
 public:
  hsa_code_object_t Add(std::vector<std::byte> bytes);
  bool Remove(hsa_code_object_t handle);
  // Null: there is none.
  std::shared_ptr<const SerializedCode> Find(hsa_code_object_t handle);
  // What a symbol's handle stands for, and what has to live as long; nulls: nothing.
  struct Found {
    std::shared_ptr<const SerializedCode> code;
    const Symbol* symbol = nullptr;
  };
  Found Find(hsa_code_symbol_t handle);

 private:
  std::mutex mutex_;  // guards what follows
  uint64_t last_handle_ = 0;
  std::unordered_map<uint64_t, std::shared_ptr<const SerializedCode>> codes_;
};

}  // namespace gcnjit::hsa
