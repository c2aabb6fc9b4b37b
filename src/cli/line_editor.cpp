#include "cli/line_editor.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace gcnjit::cli {
namespace {

// Keys come one by one, and are not shown, while one of these lives.
class RawTerminal {
 public:
  RawTerminal() {
    is_terminal_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
    if (!is_terminal_) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  }
  ~RawTerminal() {
    if (is_terminal_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  termios before_ = {};
  bool is_terminal_ = false;
};

constexpr int Control(char letter) { return letter & 0x1F; }
constexpr int kEscape = 27;
constexpr int kBackspace = 127;

// Of UTF-8: a character's bytes after its first.
bool IsContinuation(char byte) { return (byte & 0xC0) == 0x80; }

size_t CharactersIn(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char byte) { return !IsContinuation(byte); }));
}

// Of a character's bytes some may not have come yet.
bool EndsWhole(std::string_view text) {
  size_t more = 0;
  while (more < text.size() && IsContinuation(text[text.size() - 1 - more])) ++more;
  if (more == text.size()) return true;
  const auto first = static_cast<unsigned char>(text[text.size() - 1 - more]);
  const size_t wanted = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  return more >= wanted;
}

size_t ColumnsOfTerminal() {
  winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

// A byte; -1: there is none.
int ReadByte() {
  unsigned char byte = 0;
  ssize_t got = 0;
  do got = ::read(STDIN_FILENO, &byte, 1);
  while (got < 0 && errno == EINTR);
  return got == 1 ? byte : -1;
}

}  // namespace

LineEditor::Key LineEditor::ReadKey() {
  const int byte = ReadByte();
  return byte == kEscape ? ReadEscape() : static_cast<Key>(byte);
}

// "ESC [ A" and so on (ECMA-48, and what xterm sends).
LineEditor::Key LineEditor::ReadEscape() {
  const int kind = ReadByte();
  if (kind != '[' && kind != 'O') return Key::kNone;
  const int letter = ReadByte();
  switch (letter) {
    case 'A': return Key::kUp;
    case 'B': return Key::kDown;
    case 'C': return Key::kRight;
    case 'D': return Key::kLeft;
    case 'H': return Key::kHome;
    case 'F': return Key::kLineEnd;
    default: break;
  }
  int last = letter;
  while (last >= 0x20 && last < 0x40) last = ReadByte();  // the rest of "ESC [ 3 ~"
  if (last != '~') return Key::kNone;
  if (letter == '1' || letter == '7') return Key::kHome;
  if (letter == '4' || letter == '8') return Key::kLineEnd;
  return letter == '3' ? Key::kDelete : Key::kNone;
}

void LineEditor::Insert(char byte) { line_.insert(cursor_++, 1, byte); }

void LineEditor::Erase(size_t begin, size_t end) {
  line_.erase(begin, end - begin);
  cursor_ = begin;
}

void LineEditor::Move(int characters) {
  const int by = characters < 0 ? -1 : 1;
  for (; characters != 0; characters -= by) {
    do {
      if (by < 0 ? cursor_ == 0 : cursor_ == line_.size()) return;
      cursor_ += static_cast<size_t>(by);
    } while (cursor_ < line_.size() && IsContinuation(line_[cursor_]));
  }
}

void LineEditor::Recall(int by) {
  const size_t to = recalled_ + static_cast<size_t>(by);
  if (to > history_.size()) return;  // before the first, too
  if (recalled_ == history_.size()) typed_ = line_;
  recalled_ = to;
  line_ = to == history_.size() ? typed_ : history_[to];
  cursor_ = line_.size();
}

// As far as all that it may become agree.
void LineEditor::CompleteWord() {
  const std::string begin = line_.substr(0, cursor_);
  std::vector<std::string> endings = complete_(begin);
  if (endings.empty()) return;
  std::string common = endings.front();
  for (const std::string& ending : endings) {
    const auto differs = std::ranges::mismatch(common, ending).in1;
    common.erase(differs, common.end());
  }
  if (endings.size() == 1) common += " ";
  for (const char byte : common) Insert(byte);
}

// False: the line is complete.
bool LineEditor::Edit(Key key) {
  switch (static_cast<int>(key)) {
    case '\r':
    case '\n': return false;
    case Control('A'):
    case static_cast<int>(Key::kHome): cursor_ = 0; break;
    case Control('E'):
    case static_cast<int>(Key::kLineEnd): cursor_ = line_.size(); break;
    case Control('B'):
    case static_cast<int>(Key::kLeft): Move(-1); break;
    case Control('F'):
    case static_cast<int>(Key::kRight): Move(1); break;
    case Control('P'):
    case static_cast<int>(Key::kUp): Recall(-1); break;
    case Control('N'):
    case static_cast<int>(Key::kDown): Recall(1); break;
    case Control('K'): Erase(cursor_, line_.size()); break;
    case Control('U'): Erase(0, cursor_); break;
    case Control('C'): Erase(0, line_.size()); break;
    case Control('H'):
    case kBackspace: {
      const size_t end = cursor_;
      Move(-1);
      Erase(cursor_, end);
      break;
    }
    case Control('D'):
    case static_cast<int>(Key::kDelete): {
      const size_t begin = cursor_;
      Move(1);
      Erase(begin, cursor_);
      break;
    }
    case '\t': CompleteWord(); break;
    default: {
      const int byte = static_cast<int>(key);
      if (byte >= ' ' && byte < 256) Insert(static_cast<char>(byte));
    }
  }
  return true;
}

// A line that is too long is shown around the cursor.
void LineEditor::Draw(const std::string& prompt) const {
  const size_t room = ColumnsOfTerminal() - CharactersIn(prompt) - 1;
  size_t begin = 0;
  while (CharactersIn(std::string_view(line_).substr(begin, cursor_ - begin)) > room) ++begin;
  std::string shown = line_.substr(begin);
  while (CharactersIn(shown) > room) shown.pop_back();
  const size_t column =
      CharactersIn(prompt) + CharactersIn(std::string_view(line_).substr(begin, cursor_ - begin));
  fmt::print("\r{}{}\033[K\r\033[{}C", prompt, shown, column);
  std::fflush(stdout);
}

std::optional<std::string> LineEditor::Read(const std::string& prompt) {
  const RawTerminal raw;
  line_.clear();
  cursor_ = 0;
  recalled_ = history_.size();
  while (true) {
    if (EndsWhole(std::string_view(line_).substr(0, cursor_))) Draw(prompt);
    const Key key = ReadKey();
    const bool is_over = key == Key::kEnd || (key == Key{Control('D')} && line_.empty());
    if (is_over || !Edit(key)) {
      fmt::print("\n");
      std::fflush(stdout);
      if (is_over) return std::nullopt;
      break;
    }
  }
  if (!line_.empty() && (history_.empty() || history_.back() != line_)) history_.push_back(line_);
  return line_;
}

}  // namespace gcnjit::cli
