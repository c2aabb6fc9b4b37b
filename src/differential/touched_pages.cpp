#include "differential/touched_pages.h"

#include <sys/mman.h>

#include <csignal>
#include <cstring>

#include "differential/guest_image.h"

namespace gcnjit::differential {
namespace {

// What the signal handler needs: made before it is installed, of fixed size while it is.
struct Watch {
  std::vector<std::span<std::byte>> memory;
  std::vector<std::vector<uint8_t>> touched;  // by piece of memory and page
  struct sigaction before = {};
};
Watch* watch = nullptr;

void OnFault(int signal, siginfo_t* info, void*) {
  auto* const at = static_cast<std::byte*>(info->si_addr);
  for (size_t n = 0; n < watch->memory.size(); ++n) {
    const std::span<std::byte> piece = watch->memory[n];
    if (at < piece.data() || at >= piece.data() + piece.size()) continue;
    const size_t page = static_cast<size_t>(at - piece.data()) / kPage;
    watch->touched[n][page] = 1;
    mprotect(piece.data() + page * kPage, kPage, PROT_READ | PROT_WRITE);
    return;
  }
  // Not one of these pages: the fault comes again, and goes to the handler that was there before.
  sigaction(signal, &watch->before, nullptr);
}

void Protect(int protection) {
  for (const std::span<std::byte> piece : watch->memory) {
    mprotect(piece.data(), piece.size(), protection);
  }
}

}  // namespace

TouchedPages::TouchedPages(std::span<const std::span<std::byte>> memory) {
  watch = new Watch;
  watch->memory.assign(memory.begin(), memory.end());
  for (const std::span<std::byte> piece : memory) {
    watch->touched.emplace_back((piece.size() + kPage - 1) / kPage);
  }
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &watch->before);
  Protect(PROT_NONE);
}

void TouchedPages::End() {
  Protect(PROT_READ | PROT_WRITE);
  sigaction(SIGSEGV, &watch->before, nullptr);
  is_active_ = false;
}

std::vector<uint64_t> TouchedPages::Take() {
  if (is_active_) End();
  std::vector<uint64_t> pages;
  for (size_t n = 0; n < watch->memory.size(); ++n) {
    for (size_t page = 0; page < watch->touched[n].size(); ++page) {
      if (watch->touched[n][page] == 0) continue;
      pages.push_back(reinterpret_cast<uint64_t>(watch->memory[n].data()) + page * kPage);
    }
  }
  return pages;
}

TouchedPages::~TouchedPages() {
  if (is_active_) End();
  delete watch;
  watch = nullptr;
}

}  // namespace gcnjit::differential
