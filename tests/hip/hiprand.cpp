// hipRAND: what it passes on to rocRAND (rocrand.cpp has the generators) comes back right, from its
// host functions, from a stream of its own and from an offset on.
#include <hiprand/hiprand.h>

#include "check.h"
#include "philox.h"

#define RAND(call) Succeed((call), #call, __LINE__)

static void Succeed(hiprandStatus_t status, const char* text, int line) {
  if (status == HIPRAND_STATUS_SUCCESS) return;
  std::fprintf(stderr, "line %d: %s: hipRAND status %d\n", line, text, static_cast<int>(status));
  std::exit(1);
}

int main() {
  constexpr uint64_t kSeed = 314159;
  constexpr size_t kCount = 300003;
  const auto word = [](size_t i) { return Philox(kSeed, i / 4)[i % 4]; };
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  hiprandGenerator_t generator = nullptr;
  RAND(hiprandCreateGenerator(&generator, HIPRAND_RNG_PSEUDO_PHILOX4_32_10));
  RAND(hiprandSetPseudoRandomGeneratorSeed(generator, kSeed));
  RAND(hiprandSetStream(generator, stream));
  check::Buffer<uint32_t> words(kCount);
  RAND(hiprandGenerate(generator, words, kCount));
  HIP(hipStreamSynchronize(stream));
  check::Each("Philox", words.Get(), word);

  constexpr size_t kOffset = 4000;
  RAND(hiprandSetGeneratorOffset(generator, kOffset));
  check::Buffer<float> floats(kCount);
  RAND(hiprandGenerateUniform(generator, floats, kCount));
  HIP(hipStreamSynchronize(stream));
  check::Each("Philox uniform", floats.Get(), [&](size_t i) {
    return 0x1p-32f + static_cast<float>(word(kOffset + i)) * 0x1p-32f;
  });
  RAND(hiprandDestroyGenerator(generator));
  HIP(hipStreamDestroy(stream));
  return check::Finish();
}
