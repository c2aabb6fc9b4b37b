// Buffers: flags, host pointers, sub-buffers, transfers, rectangles, mappings.
#include <numeric>

#include "harness.h"

namespace {

const char* const kAddOne =
    "kernel void add(global int* p, int n) { size_t i = get_global_id(0); if (i < n) p[i] += n; }";

std::vector<int> Numbers(size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 100);
  return values;
}

void Flags(Session& s) {
  const Program program = s.Build(kAddOne);
  const Kernel kernel = s.NewKernel(program, "add");
  constexpr size_t kCount = 1000;
  for (const cl_mem_flags access : {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY}) {
    for (const cl_mem_flags place : {0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR,
                                     CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR}) {
      std::vector<int> host = Numbers(kCount);
      const bool copies = (place & CL_MEM_COPY_HOST_PTR) != 0;
      const Buffer buffer = s.NewBuffer(kCount, copies ? host.data() : nullptr, access | place);
      if (!copies)
        OK(clEnqueueWriteBuffer(s.queue, buffer, CL_TRUE, 0, kCount * 4, host.data(), 0, nullptr,
                                nullptr));
      std::fill(host.begin(), host.end(), 0);  // copied when it was made
      s.Set(kernel, buffer, static_cast<int>(kCount));
      s.Launch(kernel, {1024}, {64});
      Each("flags", s.Read<int>(buffer, kCount), [](size_t i) { return 1100 + int(i); });
      cl_mem_flags said = 0;
      OK(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof said, &said, nullptr));
      CHECK(said == (access | place));
    }
  }
}

void UseHostPtr(Session& s) {
  const Program program = s.Build(kAddOne);
  const Kernel kernel = s.NewKernel(program, "add");
  for (const size_t skip : {0, 1, 3}) {  // aligned, and not
    std::vector<int> all = Numbers(5003);
    int* host = all.data() + skip;
    constexpr int kCount = 5000;
    {
      const Buffer buffer = s.NewBuffer(kCount, host, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR);
      s.Set(kernel, buffer, kCount);
      s.Launch(kernel, {5120}, {256});
      cl_int error = CL_SUCCESS;
      void* mapped = clEnqueueMapBuffer(s.queue, buffer, CL_TRUE, CL_MAP_READ, 0, kCount * 4, 0,
                                        nullptr, nullptr, &error);
      OK(error);
      CHECK(mapped == host);
      Each("mapped", host, kCount, [&](size_t i) { return 5100 + int(i + skip); });
      OK(clEnqueueUnmapMemObject(s.queue, buffer, mapped, 0, nullptr, nullptr));
      OK(clFinish(s.queue));
    }
    all.assign(all.size(), 1);  // the memory is the program's again
    CHECK(std::accumulate(all.begin(), all.end(), 0) == 5003);
  }
}

void SubBuffers(Session& s) {
  const Program program = s.Build(kAddOne);
  const Kernel kernel = s.NewKernel(program, "add");
  std::vector<int> host = Numbers(4096);
  const Buffer buffer = s.NewBuffer(host.size(), host.data());
  cl_int error = CL_SUCCESS;
  cl_buffer_region region = {4096, 2048};
  const Buffer part(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
  OK(error);
  s.Set(kernel, part, 512);
  s.Launch(kernel, {512});
  Each("whole", s.Read<int>(buffer, 4096),
       [](size_t i) { return 100 + int(i) + (i >= 1024 && i < 1536 ? 512 : 0); });
  Each("part", s.Read<int>(part, 512), [](size_t i) { return 100 + 1024 + int(i) + 512; });
  size_t offset = 0;
  OK(clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, nullptr));
  CHECK(offset == 4096);
  region = {4, 16};
  CHECK(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error) == nullptr);
  CHECK(error == CL_MISALIGNED_SUB_BUFFER_OFFSET);
  region = {4096 * 4 - 128, 256};
  CHECK(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error) == nullptr);
}

// All lengths of patterns, at offsets that are multiples of them.
void Fills(Session& s) {
  constexpr size_t kBytes = 4096;
  for (size_t pattern = 1; pattern <= 128; pattern *= 2) {
    std::vector<uint8_t> want(kBytes, 0xAA), value(pattern);
    for (size_t i = 0; i < pattern; ++i) value[i] = static_cast<uint8_t>(3 * i + pattern);
    const Buffer buffer = s.NewBuffer(kBytes, want.data());
    const size_t offset = pattern * 3, length = pattern * 17;
    OK(clEnqueueFillBuffer(s.queue, buffer, value.data(), pattern, offset, length, 0, nullptr,
                           nullptr));
    for (size_t i = 0; i < length; ++i) want[offset + i] = value[i % pattern];
    Each("filled", s.Read<uint8_t>(buffer, kBytes), [&](size_t i) { return want[i]; });
  }
  const Buffer buffer = s.NewBuffer<int>(16);
  const int zero = 0;
  FAILS(clEnqueueFillBuffer(s.queue, buffer, &zero, 3, 0, 12, 0, nullptr, nullptr),
        CL_INVALID_VALUE);
  FAILS(clEnqueueFillBuffer(s.queue, buffer, &zero, 4, 2, 8, 0, nullptr, nullptr),
        CL_INVALID_VALUE);
}

// Odd offsets and lengths of writes, copies and reads.
void Copies(Session& s) {
  constexpr size_t kBytes = 20000;
  std::vector<uint8_t> host(kBytes);
  for (size_t i = 0; i < kBytes; ++i) host[i] = static_cast<uint8_t>(i * 7 + i / 256);
  const Buffer from = s.NewBuffer<uint8_t>(kBytes), to = s.NewBuffer<uint8_t>(kBytes);
  OK(clEnqueueWriteBuffer(s.queue, from, CL_FALSE, 0, kBytes, host.data(), 0, nullptr, nullptr));
  for (const size_t source : {0, 1, 5, 64, 4097}) {
    for (const size_t target : {0, 3, 4, 8191}) {
      for (const size_t length : {1, 2, 15, 1000, 10007}) {
        OK(clEnqueueFillBuffer(s.queue, to, "\x11", 1, 0, kBytes, 0, nullptr, nullptr));
        OK(clEnqueueCopyBuffer(s.queue, from, to, source, target, length, 0, nullptr, nullptr));
        std::vector<uint8_t> got(kBytes - 1);
        OK(clEnqueueReadBuffer(s.queue, to, CL_TRUE, 1, kBytes - 1, got.data(), 0, nullptr,
                               nullptr));
        Each("copied", got, [&](size_t at) {
          const size_t i = at + 1;
          return i >= target && i < target + length ? host[i - target + source] : 0x11;
        });
      }
    }
  }
  FAILS(clEnqueueCopyBuffer(s.queue, from, from, 0, 10, 20, 0, nullptr, nullptr),
        CL_MEM_COPY_OVERLAP);
}

void Rectangles(Session& s) {
  constexpr size_t kX = 60, kY = 20, kZ = 6, kBytes = kX * kY * kZ;
  std::vector<uint8_t> host(kBytes);
  std::iota(host.begin(), host.end(), uint8_t{1});
  const auto at = [](size_t x, size_t y, size_t z) { return (z * kY + y) * kX + x; };
  const Buffer a = s.NewBuffer<uint8_t>(kBytes), b = s.NewBuffer<uint8_t>(kBytes);
  const size_t from[3] = {3, 2, 1}, to[3] = {11, 5, 2}, box[3] = {31, 9, 3};
  const auto is_in = [&](const size_t* origin, size_t i) {
    const size_t x = i % kX, y = i / kX % kY, z = i / kX / kY;
    return x >= origin[0] && x < origin[0] + box[0] && y >= origin[1] && y < origin[1] + box[1] &&
           z >= origin[2] && z < origin[2] + box[2];
  };
  OK(clEnqueueFillBuffer(s.queue, a, "\xEE", 1, 0, kBytes, 0, nullptr, nullptr));
  OK(clEnqueueWriteBufferRect(s.queue, a, CL_TRUE, to, from, box, kX, kX * kY, kX, kX * kY,
                              host.data(), 0, nullptr, nullptr));
  const size_t shift = at(to[0], to[1], to[2]) - at(from[0], from[1], from[2]);
  Each("written", s.Read<uint8_t>(a, kBytes),
       [&](size_t i) { return is_in(to, i) ? host[i - shift] : 0xEE; });
  OK(clEnqueueFillBuffer(s.queue, b, "\xDD", 1, 0, kBytes, 0, nullptr, nullptr));
  OK(clEnqueueCopyBufferRect(s.queue, a, b, to, from, box, kX, kX * kY, kX, kX * kY, 0, nullptr,
                             nullptr));
  Each("copied", s.Read<uint8_t>(b, kBytes),
       [&](size_t i) { return is_in(from, i) ? host[i] : 0xDD; });
  std::vector<uint8_t> got(kBytes, 0x55);
  const size_t origin[3] = {};
  // Into host memory without gaps.
  OK(clEnqueueReadBufferRect(s.queue, b, CL_TRUE, from, origin, box, kX, kX * kY, 0, 0, got.data(),
                             0, nullptr, nullptr));
  Each("read", got, [&](size_t i) {
    if (i >= box[0] * box[1] * box[2]) return uint8_t{0x55};
    const size_t x = i % box[0], y = i / box[0] % box[1], z = i / box[0] / box[1];
    return host[at(from[0] + x, from[1] + y, from[2] + z)];
  });
}

void Mappings(Session& s) {
  const Program program = s.Build(kAddOne);
  const Kernel kernel = s.NewKernel(program, "add");
  constexpr int kCount = 3000;
  for (const cl_mem_flags place : {0, CL_MEM_ALLOC_HOST_PTR}) {
    const Buffer buffer = s.NewBuffer<int>(kCount, nullptr, CL_MEM_READ_WRITE | place);
    const auto map = [&](cl_map_flags flags, size_t first, size_t count) {
      cl_int error = CL_SUCCESS;
      void* at = clEnqueueMapBuffer(s.queue, buffer, CL_TRUE, flags, first * 4, count * 4, 0,
                                    nullptr, nullptr, &error);
      OK(error);
      return static_cast<int*>(at);
    };
    const auto unmap = [&](int* at) {
      OK(clEnqueueUnmapMemObject(s.queue, buffer, at, 0, nullptr, nullptr));
    };
    int* all = map(CL_MAP_WRITE_INVALIDATE_REGION, 0, kCount);
    for (int i = 0; i < kCount; ++i) all[i] = i;
    unmap(all);
    s.Set(kernel, buffer, kCount);
    s.Launch(kernel, {3072}, {64});
    int* read = map(CL_MAP_READ, 7, 100);
    Each("read", read, 100, [](size_t i) { return 3007 + int(i); });
    unmap(read);
    int* both = map(CL_MAP_READ | CL_MAP_WRITE, 1000, 50);
    for (int i = 0; i < 50; ++i) both[i] *= 2;
    int* second = map(CL_MAP_READ, 2000, 10);  // two at a time
    Each("second", second, 10, [](size_t i) { return 5000 + int(i); });
    unmap(second);
    unmap(both);
    int* write = map(CL_MAP_WRITE, 5, 2);
    write[0] = write[1] = -1;
    unmap(write);
    Each("at last", s.Read<int>(buffer, kCount), [](size_t i) {
      if (i == 5 || i == 6) return -1;
      const int value = int(i) + kCount;
      return i >= 1000 && i < 1050 ? 2 * value : value;
    });
  }
}

// More than 2^32 bytes are addressed: only both ends are written.
void Big(Session& s) {
  constexpr size_t kBytes = (size_t{4} << 30) + (64 << 20);
  if (DeviceInfo<cl_ulong>(s.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE) < kBytes) {
    cl_int error = CL_SUCCESS;
    CHECK(clCreateBuffer(s.context, 0, kBytes, nullptr, &error) == nullptr);
    CHECK(error == CL_INVALID_BUFFER_SIZE);
    return;
  }
  const Program program = s.Build(
      "kernel void ends(global long* p, ulong last) { size_t i = get_global_id(0);"
      "  p[i] = i + 1; p[last - i] = -(long)i; }");
  const Kernel kernel = s.NewKernel(program, "ends");
  const Buffer buffer = s.NewBuffer<int64_t>(kBytes / 8);
  s.Set(kernel, buffer, cl_ulong{kBytes / 8 - 1});
  s.Launch(kernel, {256});
  std::vector<int64_t> got(256);
  OK(clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, kBytes - 2048, 2048, got.data(), 0, nullptr,
                         nullptr));
  Each("end", got, [](size_t i) { return -int64_t(255 - i); });
  Each("begin", s.Read<int64_t>(buffer, 256), [](size_t i) { return int64_t(i + 1); });
}

void MigrateAndDestroy(Session& s) {
  std::vector<int> host = Numbers(100);
  static int destroyed;
  destroyed = 0;
  {
    // Written by a command: AMD's library loses what a buffer was made with when it migrates it.
    const Buffer buffer = s.NewBuffer<int>(100);
    OK(clEnqueueWriteBuffer(s.queue, buffer, CL_TRUE, 0, 400, host.data(), 0, nullptr, nullptr));
    OK(clSetMemObjectDestructorCallback(
        buffer, [](cl_mem, void* data) { ++*static_cast<int*>(data); }, &destroyed));
    const cl_mem memory = buffer;
    OK(clEnqueueMigrateMemObjects(s.queue, 1, &memory, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr,
                                  nullptr));
    Each("migrated", s.Read<int>(buffer, 100), [&](size_t i) { return host[i]; });
    CHECK(destroyed == 0);
  }
  OK(clFinish(s.queue));
  CHECK(destroyed == 1);
}

}  // namespace

int main() {
  return Main({{"flags", Flags},
               {"use host ptr", UseHostPtr},
               {"sub-buffers", SubBuffers},
               {"fills", Fills},
               {"copies", Copies},
               {"rectangles", Rectangles},
               {"mappings", Mappings},
               {"big", Big},
               {"migrate and destroy", MigrateAndDestroy}});
}
