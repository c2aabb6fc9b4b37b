#include "runtime/memory/memory_reader.h"

namespace gcnjit::runtime {

GuestMemory::Reader::Reader(GuestMemory& memory) : memory_(memory) {
  const std::lock_guard lock(memory_.mutex_);
  seen_ = memory_.epoch();
  memory_.readers_.push_back(this);
}

GuestMemory::Reader::~Reader() {
  const std::lock_guard lock(memory_.mutex_);
  std::erase(memory_.readers_, this);
  memory_.Reclaim();
}

void GuestMemory::Reader::CatchUp() {
  const std::lock_guard lock(memory_.mutex_);
  seen_ = memory_.epoch();
  memory_.Reclaim();
}

}  // namespace gcnjit::runtime
