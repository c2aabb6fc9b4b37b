// Whole files in and out. Output files appear complete or not at all; one that is there is
// replaced. A symbolic link to it and its permissions stay, another hard link keeps what it was.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gcnjit/error.h"

namespace gcnjit::cli {

// All of a file. Of what has no size, such as a pipe, up to 256 MiB; more is an error.
Result<std::vector<std::byte>> ReadFile(const std::string& path);

// Can `path` be created or replaced? Asked before a long run, so that its result is not lost.
Result<void> CheckWritable(const std::string& path);

// The files of one run: all of them appear, or none. "-" is standard output; it, devices and pipes
// get their bytes at once.
class OutputFiles {
 public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  // Removes what was not published.
  ~OutputFiles();

  // Writes to a temporary file beside `path`, or what it links to.
  Result<void> Add(const std::string& path, std::span<const std::byte> bytes);
  // Gives the files their names. Needs no memory.
  Result<void> Publish();

 private:
  struct File {
    std::string temporary;
    std::string path;
  };
  std::vector<File> files_;
};

// One such file.
Result<void> WriteFile(const std::string& path, std::span<const std::byte> bytes);

}  // namespace gcnjit::cli
