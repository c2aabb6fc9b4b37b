// Lines that a person types on a terminal: with a history, and completed by the Tab key.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gcnjit::cli {

class LineEditor {
 public:
  // What words may go on from the begin of a line to its last character.
  using Complete = std::function<std::vector<std::string>(const std::string& begin)>;
  explicit LineEditor(Complete complete) : complete_(std::move(complete)) {}

  // Nothing: the input has ended, or Ctrl-D was typed. Ctrl-C begins the line anew.
  std::optional<std::string> Read(const std::string& prompt);

 private:
  enum class Key : int {
    kEnd = -1,
    kUp = 256,
    kDown,
    kRight,
    kLeft,
    kHome,
    kLineEnd,
    kDelete,
    kNone
  };

  Key ReadKey();
  Key ReadEscape();
  bool Edit(Key key);
  void Insert(char byte);
  void Move(int characters);
  void Erase(size_t begin, size_t end);
  void Recall(int by);
  void CompleteWord();
  void Draw(const std::string& prompt) const;

  Complete complete_;
  std::vector<std::string> history_;
  std::string line_;
  size_t cursor_ = 0;  // bytes before it
  size_t recalled_ = 0;
  std::string typed_;  // before older lines were recalled
};

}  // namespace gcnjit::cli
