#include "confined/source_lines.h"

#include <algorithm>
#include <utility>

#include "confined/frames.h"
#include "frontend/code_object/elf_file.h"

namespace gcnjit::confined {

bool HasLines(std::span<const std::byte> object) {
  const auto elf = frontend::ElfFile::Parse(object);
  return elf && elf->FindSection(".debug_line") != nullptr;
}

SourceLines::SourceLines(std::span<const std::byte> object, std::string reader)
    : object_(object), reader_(std::move(reader)) {}

bool SourceLines::Start() {
  if (process_) return true;
  if (is_over_) return false;
  is_over_ = true;
  if (!HasLines(object_)) return false;
  auto process = Process::Start(reader_);
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
