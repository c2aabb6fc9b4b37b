// Code that asmjit is asked to make. Where the host has no memory left it throws std::bad_alloc,
// and what has been made is to be thrown away: asmjit itself returns an error from each call, and
// goes on with code that lacks something.
#pragma once

#include <asmjit/x86.h>

#include <string>

namespace gcnjit::backend {

class NewCode : private asmjit::ErrorHandler {
 public:
  NewCode();
  NewCode(const NewCode&) = delete;
  NewCode& operator=(const NewCode&) = delete;

  asmjit::CodeHolder& holder() { return holder_; }
  // What asmjit has refused to encode, which is a bug of ours; "": nothing.
  const std::string& refusal() const { return refusal_; }

 private:
  void handleError(asmjit::Error error, const char* message, asmjit::BaseEmitter*) override;

  asmjit::CodeHolder holder_;
  std::string refusal_;
};

// Attaches a new emitter. Its constructors do so too, but do not say if there is no memory for it.
void Attach(asmjit::BaseEmitter& emitter, asmjit::CodeHolder& code);

class NewAssembler : public asmjit::x86::Assembler {
 public:
  explicit NewAssembler(asmjit::CodeHolder& code) { Attach(*this, code); }
};

// For a compiler: its own newLabel asserts that there is memory.
asmjit::Label NewLabel(const asmjit::BaseEmitter& emitter);

}  // namespace gcnjit::backend
