#include "runtime/launch/launch_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace gcnjit::runtime {
namespace {

constexpr uint64_t kMostBytes = 64 * 1024;  // of a block that is kept
constexpr size_t kMostBlocks = 32;

}  // namespace

SpareBlocks::SpareBlocks(std::shared_ptr<GuestMemory> memory) : memory_(std::move(memory)) {
  blocks_.reserve(kMostBlocks);
}

SpareBlocks::~SpareBlocks() {
  for (const Block& block : blocks_) (void)memory_->Free(block.address);
}

std::optional<SpareBlocks::Block> SpareBlocks::Take(uint64_t bytes, std::string_view label,
                                                    GuestMemory::Access access, uint64_t room) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(blocks_, [&](const Block& block) {
    return block.bytes == bytes && block.label == label && block.access == access &&
           block.room == room;
  });
  if (found == blocks_.end()) return std::nullopt;
  const Block block = *found;
  blocks_.erase(found);
  std::memset(reinterpret_cast<void*>(block.address), 0, block.bytes);
  return block;
}

bool SpareBlocks::Keep(const Block& block) noexcept {
  const std::scoped_lock lock(mutex_);
  if (block.bytes > kMostBytes || blocks_.size() >= kMostBlocks) return false;
  // Scratch of a launch that has set groups aside.
  if (block.room != 0 && memory_->BytesAt(block.address) != block.bytes) return false;
  blocks_.push_back(block);
  return true;
}

LaunchMemory::LaunchMemory(LoadedProgram& program)
    : memory_(*program.memory()), spare_(program.Derived<SpareBlocks>([&] {
        return std::make_shared<SpareBlocks>(program.memory());
      })) {}

LaunchMemory::~LaunchMemory() {
  for (const SpareBlocks::Block& block : blocks_) {
    if (!runs_ || !spare_.Keep(block)) (void)memory_.Free(block.address);
  }
}

Result<uint64_t> LaunchMemory::Allocate(uint64_t bytes, const char* label,
                                        GuestMemory::Access access, uint64_t room) {
  blocks_.reserve(blocks_.size() + 1);
  if (const auto block = spare_.Take(bytes, label, access, room)) {
    blocks_.push_back(*block);
    return block->address;
  }
  auto address = memory_.Allocate(bytes, label, access, GuestMemory::kPageBytes,
                                  GuestMemory::Pages::kHugeIfLarge, room);
  if (address) blocks_.push_back({*address, bytes, label, access, room});
  return address;
}

}  // namespace gcnjit::runtime
