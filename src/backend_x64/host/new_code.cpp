#include "backend_x64/host/new_code.h"

#include <new>

namespace gcnjit::backend {

NewCode::NewCode() {
  if (holder_.init(asmjit::Environment::host()) != asmjit::kErrorOk) throw std::bad_alloc();
  holder_.setErrorHandler(this);
}

void NewCode::handleError(asmjit::Error error, const char* message, asmjit::BaseEmitter*) {
  if (error == asmjit::kErrorOutOfMemory) throw std::bad_alloc();
  if (refusal_.empty()) refusal_ = message;
}

void Attach(asmjit::BaseEmitter& emitter, asmjit::CodeHolder& code) {
  // It may not throw there.
  asmjit::ErrorHandler* const handler = code.errorHandler();
  code.setErrorHandler(nullptr);
  const asmjit::Error error = code.attach(&emitter);
  code.setErrorHandler(handler);
  if (error == asmjit::kErrorOk) {
    // Padding in front of loops is executed: few long instructions that do nothing.
    emitter.addEncodingOptions(asmjit::EncodingOptions::kOptimizedAlign);
    return;
  }
  // Half attached, its destructor would detach it from code that does not know it.
  emitter._code = nullptr;
  throw std::bad_alloc();
}

asmjit::Label NewLabel(const asmjit::BaseEmitter& emitter) {
  asmjit::LabelEntry* entry = nullptr;
  if (emitter.code()->newLabelEntry(&entry) != asmjit::kErrorOk) throw std::bad_alloc();
  return asmjit::Label(entry->id());
}

}  // namespace gcnjit::backend
