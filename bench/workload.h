// What a benchmark is: buffers of a size, a way to run the kernels, the native rival on the same
// buffers, and a check of whatever ran last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gcnjit/gcnjit.h"

namespace gcnjit::bench {

// An array in guest memory.
template <typename T>
class Buffer {
 public:
  Buffer(Device& device, size_t count) : device_(device) {
    auto address = device.Allocate(count * sizeof(T));
    if (!address) throw std::runtime_error(address.error().message);
    address_ = *address;
    const auto bytes = device.Data(address_, count * sizeof(T));
    values_ = {reinterpret_cast<T*>(bytes.data()), count};
  }
  ~Buffer() { (void)device_.Free(address_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  uint64_t address() const { return address_; }
  T* data() const { return values_.data(); }
  size_t size() const { return values_.size(); }
  T& operator[](size_t index) const { return values_[index]; }
  std::span<T> values() const { return values_; }

 private:
  Device& device_;
  uint64_t address_ = 0;
  std::span<T> values_;
};

// Launches kernels on some implementation of them.
class Runner {
 public:
  virtual ~Runner() = default;

  // After an error nothing is launched any more. Launches follow one another.
  virtual void Launch(const std::string& kernel, Dim3 global, Dim3 local,
                      const Arguments& arguments) = 0;
  // Waits until all launches are done and what they wrote is in memory.
  virtual void Finish() {}

  const std::string& error() const { return error_; }  // empty: none
  // 0 for engines that do not count them.
  uint64_t wave_instructions() const { return wave_instructions_; }

 protected:
  std::string error_;
  uint64_t wave_instructions_ = 0;
};

// Launches on one engine of gcnjit with a number of threads, and adds up what the launches did.
class GuestRunner : public Runner {
 public:
  GuestRunner(Device& device, const Program& program, Engine engine, unsigned threads)
      : device_(device), program_(program), engine_(engine), threads_(threads) {}

  void Launch(const std::string& kernel, Dim3 global, Dim3 local,
              const Arguments& arguments) override;

  // What compiling took and left to the interpreter, of all kernels of the program so far.
  double compile_seconds() const { return compile_seconds_; }
  uint64_t not_compiled() const { return not_compiled_; }

 private:
  Device& device_;
  const Program& program_;
  Engine engine_;
  unsigned threads_;
  double compile_seconds_ = 0;
  uint64_t not_compiled_ = 0;
};

class Workload {
 public:
  virtual ~Workload() = default;

  // What one run does, in the base unit of the entry's rate (flops, bytes, ...).
  virtual double Work() const = 0;
  // Restores inputs that runs change and spoils outputs, so that a check sees this run only.
  virtual void Reset() = 0;
  // Whether a run needs a Reset before it to do the same work again.
  virtual bool ResetsEachRun() const { return false; }
  virtual void Run(Runner& runner) = 0;
  virtual void RunNative() = 0;
  // Compares the results of one run after a Reset. Empty: right; else what is wrong.
  virtual std::string Check() const = 0;
  // Whether what Check compares with is right itself, by plain C++ on a sample. Called once.
  virtual std::string CheckReference() const { return {}; }
};

// A line of the table of benchmarks.
struct Entry {
  std::string name;
  std::string unit;      // of the rate, e.g. "GFLOP/s"
  double unit_scale;     // Work() per second over this is the rate
  uint64_t size;         // as the kernel's comment in kernels.cl counts: elements, or one edge
  uint64_t interp_size;  // for the interpreter; smaller where `size` would take seconds
  uint64_t quick_size;   // for everything under --quick
  uint64_t granule;      // sizes are multiples of this: the kernels and rivals do whole blocks only
  bool has_native = true;
  std::function<std::unique_ptr<Workload>(Device&, uint64_t size)> make;
  bool is_memory_bound = false;  // even the rival mostly waits for memory
  std::string size_class = {};   // of the wide benchmark; empty: the entry has one size
};

// The tables of the files in workloads/.
std::vector<Entry> StreamingEntries();
std::vector<Entry> DenseEntries();
std::vector<Entry> IntegerEntries();
std::vector<Entry> MathEntries();
std::vector<Entry> AllEntries();

// The code object <name>-<target>.co in a folder; throws if there is none.
Program LoadKernels(Device& device, const std::string& folder, const std::string& target,
                    const std::string& name = "kernels");
Device CreateDevice();

// Random numbers that are the same everywhere and fast to make: a hash of the index.
inline uint32_t RandomAt(uint64_t index) {
  uint64_t x = (index + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return static_cast<uint32_t>(x >> 32);
}
// Uniform in [low, high).
float RandomFloat(uint64_t index, float low, float high);
// Small integers in [-8, 7]: sums and products of many are exact in float, in any order.
inline float RandomSmall(uint64_t index) {
  return static_cast<float>(static_cast<int32_t>(RandomAt(index) & 15) - 8);
}

// Comparisons; the text says where the first difference is and how many there are.
std::string CompareExact(std::span<const float> got, std::span<const float> expected);
std::string CompareExact(std::span<const uint32_t> got, std::span<const uint32_t> expected);
std::string CompareNear(std::span<const float> got, std::span<const float> expected,
                        float absolute_tolerance);

}  // namespace gcnjit::bench
