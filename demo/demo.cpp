// What scripts/demo shows: real GPU code objects of five targets, run on the CPU, each result
// checked against plain C++, with the rate; and a picture drawn by the last Mandelbrot run.
//   gcnjit_demo DIRECTORY-OF-CODE-OBJECTS PICTURE.png
#include <fmt/format.h>
#include <png.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <vector>

#include "gcnjit/gcnjit.h"

namespace {

using gcnjit::Arguments;
using gcnjit::Device;
using gcnjit::Dim3;

constexpr uint32_t kWidth = 960;
constexpr uint32_t kHeight = 720;
constexpr uint32_t kLimit = 200;
constexpr float kPixelWidth = 3.2f / kWidth;
constexpr float kPixelHeight = 2.4f / kHeight;

std::vector<std::byte> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes;
  for (char c; file.get(c);) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

template <typename T>
T* DataOf(Device& device, uint64_t address, size_t count) {
  return reinterpret_cast<T*>(device.Data(address, count * sizeof(T)).data());
}

// A kernel to run: its grid, how to set up its buffers, and how to check them.
struct Show {
  const char* kernel;
  Dim3 global;
  Dim3 local;
  // Allocates and fills buffers, gives the arguments.
  std::function<Arguments(Device&, std::vector<uint64_t>& buffers)> prepare;
  // Number of wrong elements.
  std::function<size_t(Device&, const std::vector<uint64_t>& buffers)> check;
};

uint64_t Allocate(Device& device, std::vector<uint64_t>& buffers, size_t bytes) {
  buffers.push_back(device.Allocate(bytes).value());
  return buffers.back();
}

uint16_t MandelbrotAt(uint32_t px, uint32_t py) {
  const float cx = static_cast<float>(px) * kPixelWidth - 2.3f;
  const float cy = static_cast<float>(py) * kPixelHeight - 1.2f;
  float x = 0, y = 0;
  uint16_t n = 0;
  while (n < kLimit && x * x + y * y <= 4.0f) {
    const float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++n;
  }
  return n;
}

Show Mandelbrot() {
  return {"mandelbrot",
          {kWidth, kHeight, 1},
          {16, 16, 1},
          [](Device& device, std::vector<uint64_t>& buffers) {
            const uint64_t out = Allocate(device, buffers, size_t{kWidth} * kHeight * 2);
            return Arguments()
                .Buffer(out)
                .Value(kWidth)
                .Value(kHeight)
                .Value(kLimit)
                .Value(kPixelWidth)
                .Value(kPixelHeight);
          },
          [](Device& device, const std::vector<uint64_t>& buffers) {
            const uint16_t* got = DataOf<uint16_t>(device, buffers[0], size_t{kWidth} * kHeight);
            size_t wrong = 0;
            for (uint32_t y = 0; y < kHeight; ++y) {
              for (uint32_t x = 0; x < kWidth; ++x)
                wrong += got[y * kWidth + x] != MandelbrotAt(x, y);
            }
            return wrong;
          }};
}

Show Sha256() {
  // First digest words of the messages 0, 1, 2 as four big-endian bytes, from coreutils' sha256sum.
  static constexpr uint32_t kExpected[] = {0xdf3f6198, 0xb40711a8, 0x433ebf5b};
  constexpr uint32_t kCount = 65536;
  return {"sha256",
          {kCount, 1, 1},
          {64, 1, 1},
          [](Device& device, std::vector<uint64_t>& buffers) {
            return Arguments().Buffer(Allocate(device, buffers, kCount * 4)).Value(0u);
          },
          [](Device& device, const std::vector<uint64_t>& buffers) {
            const uint32_t* got = DataOf<uint32_t>(device, buffers[0], kCount);
            size_t wrong = 0;
            for (size_t n = 0; n < std::size(kExpected); ++n) wrong += got[n] != kExpected[n];
            return wrong;
          }};
}

Show Sgemm() {
  static constexpr uint32_t kSize = 192;
  static const auto a_at = [](uint32_t n) { return static_cast<float>(n * 7 % 31) - 15.0f; };
  static const auto b_at = [](uint32_t n) { return static_cast<float>(n * 5 % 29) * 0.25f - 3.5f; };
  return {
      "sgemm",
      {kSize, kSize, 1},
      {16, 16, 1},
      [](Device& device, std::vector<uint64_t>& buffers) {
        constexpr size_t kElements = size_t{kSize} * kSize;
        for (int n = 0; n < 3; ++n) Allocate(device, buffers, kElements * 4);
        float* a = DataOf<float>(device, buffers[0], kElements);
        float* b = DataOf<float>(device, buffers[1], kElements);
        for (uint32_t n = 0; n < kElements; ++n) {
          a[n] = a_at(n);
          b[n] = b_at(n);
        }
        return Arguments().Buffer(buffers[0]).Buffer(buffers[1]).Buffer(buffers[2]).Value(kSize);
      },
      [](Device& device, const std::vector<uint64_t>& buffers) {
        const float* c = DataOf<float>(device, buffers[2], size_t{kSize} * kSize);
        size_t wrong = 0;
        for (uint32_t row = 0; row < kSize; ++row) {
          for (uint32_t column = 0; column < kSize; ++column) {
            float sum = 0;
            for (uint32_t k = 0; k < kSize; ++k)
              sum = sum + a_at(row * kSize + k) * b_at(k * kSize + column);
            wrong += c[row * kSize + column] != sum;
          }
        }
        return wrong;
      }};
}

Show Histogram() {
  static constexpr uint32_t kItems = 16384;
  static constexpr uint32_t kPerItem = 64;
  return {"histogram",
          {kItems, 1, 1},
          {256, 1, 1},
          [](Device& device, std::vector<uint64_t>& buffers) {
            const uint64_t data = Allocate(device, buffers, size_t{kItems} * kPerItem);
            const uint64_t bins = Allocate(device, buffers, 256 * 4);
            uint8_t* bytes = DataOf<uint8_t>(device, data, size_t{kItems} * kPerItem);
            uint32_t state = 1;
            for (size_t n = 0; n < size_t{kItems} * kPerItem; ++n) {
              state = state * 1664525 + 1013904223;
              bytes[n] = static_cast<uint8_t>(state >> 24);
            }
            return Arguments().Buffer(data).Buffer(bins).Value(kPerItem);
          },
          [](Device& device, const std::vector<uint64_t>& buffers) {
            const uint8_t* bytes = DataOf<uint8_t>(device, buffers[0], size_t{kItems} * kPerItem);
            const uint32_t* bins = DataOf<uint32_t>(device, buffers[1], 256);
            std::vector<uint32_t> expected(256);
            for (size_t n = 0; n < size_t{kItems} * kPerItem; ++n) ++expected[bytes[n]];
            size_t wrong = 0;
            for (size_t n = 0; n < 256; ++n) wrong += bins[n] != expected[n];
            return wrong;
          }};
}

Show Collatz() {
  static constexpr uint32_t kCount = 32768;
  return {"collatz",
          {kCount, 1, 1},
          {128, 1, 1},
          [](Device& device, std::vector<uint64_t>& buffers) {
            return Arguments().Buffer(Allocate(device, buffers, kCount * 4)).Value(1u);
          },
          [](Device& device, const std::vector<uint64_t>& buffers) {
            const uint32_t* got = DataOf<uint32_t>(device, buffers[0], kCount);
            size_t wrong = 0;
            for (uint32_t id = 0; id < kCount; ++id) {
              uint32_t steps = 0;
              for (uint64_t n = 1 + id; n > 1; ++steps) n = n % 2 != 0 ? 3 * n + 1 : n / 2;
              wrong += got[id] != steps;
            }
            return wrong;
          }};
}

// A smooth palette over the iteration count; points inside the set are black.
bool WritePicture(const std::string& path, const uint16_t* iterations) {
  std::vector<uint8_t> pixels(size_t{kWidth} * kHeight * 3);
  for (size_t n = 0; n < size_t{kWidth} * kHeight; ++n) {
    if (iterations[n] == kLimit) continue;
    const double t = std::min(1.0, iterations[n] / 60.0);
    pixels[n * 3 + 0] = static_cast<uint8_t>(9 * (1 - t) * t * t * t * 255);
    pixels[n * 3 + 1] = static_cast<uint8_t>(15 * (1 - t) * (1 - t) * t * t * 255);
    pixels[n * 3 + 2] =
        static_cast<uint8_t>(std::min(1.0, 8.5 * (1 - t) * (1 - t) * (1 - t) * t + t * 0.25) * 255);
  }
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = kWidth;
  image.height = kHeight;
  image.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr) != 0;
}

// Runs one kernel on one target; false if anything was wrong.
bool RunShow(const Show& show, const std::string& target, const std::vector<std::byte>& file,
             const std::string& picture) {
  auto device = Device::Create();
  if (!device) {
    fmt::print(stderr, "{}\n", device.error().message);
    return false;
  }
  const auto program = gcnjit::Program::Load(*device, file);
  if (!program) {
    fmt::print(stderr, "{}: {}\n", target, program.error().message);
    return false;
  }
  std::vector<uint64_t> buffers;
  const Arguments arguments = show.prepare(*device, buffers);
  gcnjit::LaunchConfig config;
  config.global = show.global;
  config.local = show.local;
  const auto result = gcnjit::Launch(*device, *program, show.kernel, config, arguments);
  if (!result) {
    fmt::print(stderr, "{}: {}\n", show.kernel, result.error().message);
    return false;
  }
  if (result->status != gcnjit::LaunchStatus::kDone) {
    fmt::print(stderr, "{}", result->fault ? result->fault->Describe() : "stopped\n");
    return false;
  }
  const size_t wrong = show.check(*device, buffers);
  const gcnjit::Statistics& s = result->statistics;
  fmt::print("{:<10} {:<8} {:>9} {:>13} {:>10.3f} {:>10.1f}   {}\n", show.kernel, target, s.waves,
             s.wave_instructions, s.seconds,
             static_cast<double>(s.wave_instructions) / s.seconds / 1e6,
             wrong == 0 ? "ok" : fmt::format("{} WRONG", wrong));
  if (!picture.empty() && std::strcmp(show.kernel, "mandelbrot") == 0 &&
      !WritePicture(picture, DataOf<uint16_t>(*device, buffers[0], size_t{kWidth} * kHeight))) {
    fmt::print(stderr, "cannot write {}\n", picture);
    return false;
  }
  return wrong == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: gcnjit_demo DIRECTORY-OF-CODE-OBJECTS PICTURE.png\n");
    return 2;
  }
  fmt::print("{:<10} {:<8} {:>9} {:>13} {:>10} {:>10}   {}\n", "kernel", "target", "waves",
             "wave-instr.", "seconds", "M/s", "check");
  bool good = true;
  for (const Show& show : {Mandelbrot(), Sha256(), Sgemm(), Histogram(), Collatz()}) {
    for (const char* target : {"gfx600", "gfx700", "gfx803", "gfx900", "gfx906"}) {
      const auto file = ReadFile(fmt::format("{}/kernels-{}.co", argv[1], target));
      good = RunShow(show, target, file, argv[2]) && good;
    }
  }
  fmt::print("picture: {}\n", argv[2]);
  return good ? 0 : 4;
}
