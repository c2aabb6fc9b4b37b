#include "confined/source_lines.h"

#include <elf.h>

#include <algorithm>

#include "confined/frames.h"
#include "frontend/code_object/elf_file.h"

namespace gcnjit::confined {
namespace {

// Only in what a linker has made do the addresses of lines be those of code.
bool HasLines(std::span<const std::byte> object) {
  const auto elf = frontend::ElfFile::Parse(object);
  return elf && elf->header().e_type == ET_DYN && elf->FindSection(".debug_line") != nullptr;
}

}  // namespace

SourceLines::SourceLines(std::span<const std::byte> object) : object_(object) {}

bool SourceLines::Start() {
  if (process_) return true;
  if (is_over_) return false;
  is_over_ = true;
  if (!HasLines(object_)) return false;
  auto process = Process::Start();
  if (!process) {
    failure_ = process.error().message;
    return false;
  }
  const auto answer = process->Ask(RequestKind::kObject, object_);
  if (!answer) {
    failure_ = answer.error().message;
    return false;
  }
  process_.emplace(std::move(*process));
  return true;
}

std::vector<SourceFrames> SourceLines::At(std::span<const uint64_t> addresses) {
  std::vector<SourceFrames> all;
  all.reserve(addresses.size());
  while (!addresses.empty()) {
    const auto some = addresses.first(std::min<size_t>(addresses.size(), kMostAddresses));
    addresses = addresses.subspan(some.size());
    std::vector<SourceFrames> frames(some.size());
    if (Start()) {
      const auto answer = process_->Ask(RequestKind::kAddresses, std::as_bytes(some));
      if (answer) {
        frames = ReadFrames(*answer, some.size());
      } else {
        failure_ = answer.error().message;
        process_.reset();
      }
    }
    std::ranges::move(frames, std::back_inserter(all));
  }
  return all;
}

}  // namespace gcnjit::confined
