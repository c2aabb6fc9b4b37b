#include "runtime/memory/host_mappings.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace gcnjit::runtime {
namespace {

// Takes a hexadecimal number and the character after it.
bool TakeNumber(std::string_view& text, char terminator, uint64_t* number) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, *number, 16);
  if (error != std::errc() || at == end || *at != terminator) return false;
  text.remove_prefix(static_cast<size_t>(at - text.data()) + 1);
  return true;
}

// Takes a field and the spaces after it.
void SkipField(std::string_view& text) {
  text.remove_prefix(std::min(text.find(' '), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

}  // namespace

// begin-end rwxp offset major:minor inode   name
bool ParseHostMapping(std::string_view line, HostMapping* mapping) {
  if (!TakeNumber(line, '-', &mapping->begin)) return false;
  if (!TakeNumber(line, ' ', &mapping->end)) return false;
  if (mapping->begin >= mapping->end || line.size() < 4) return false;
  mapping->readable = line[0] == 'r';
  mapping->writable = line[1] == 'w';
  mapping->shared = line[3] == 's';
  constexpr int kFieldsBeforeName = 4;
  for (int n = 0; n < kFieldsBeforeName; ++n) SkipField(line);
  mapping->name = line;
  return true;
}

bool ForEachHostMapping(const std::function<void(const HostMapping&)>& visit) {
  const int file = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char buffer[16 * 1024];
  size_t held = 0;
  bool in_cut_line = false;  // the rest of a line that did not fit is skipped
  bool is_good = true;
  while (is_good) {
    const ssize_t got = ::read(file, buffer + held, sizeof buffer - held);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      is_good = got == 0;
      break;
    }
    held += static_cast<size_t>(got);
    size_t begin = 0;
    while (is_good && begin < held) {
      const void* const newline = std::memchr(buffer + begin, '\n', held - begin);
      size_t end = held;
      if (newline != nullptr) {
        end = static_cast<size_t>(static_cast<const char*>(newline) - buffer);
      } else if (begin != 0 || held < sizeof buffer) {
        break;  // the rest is yet to come
      }
      HostMapping mapping;
      if (!in_cut_line) {
        is_good = ParseHostMapping({buffer + begin, end - begin}, &mapping);
        if (is_good) visit(mapping);
      }
      in_cut_line = newline == nullptr;
      begin = std::min(end + 1, held);
    }
    held -= begin;
    std::memmove(buffer, buffer + begin, held);
  }
  ::close(file);
  return is_good;
}

}  // namespace gcnjit::runtime
