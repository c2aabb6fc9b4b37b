// Runs a fuzz target on files: replay_TARGET FILE|DIRECTORY... Needs no libFuzzer, so that findings
// stay tested everywhere. A finding ends the program.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void Replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::fprintf(stderr, "%s: %zu bytes\n", path.c_str(), bytes.size());
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (int n = 1; n < argc; ++n) {
    if (!fs::is_directory(argv[n])) {
      files.emplace_back(argv[n]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[n])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) Replay(path);
  std::printf("%zu executed, 0 failed\n", files.size());
  return files.empty() ? 1 : 0;
}
