// Images in kernels: every format, filter and address mode against the specification's formulas,
// writes, questions, and images that lie in buffers.
#include "host_image.h"

namespace {

constexpr size_t kPoints = 256;
using Point = std::array<double, 3>;

// Reads and writes of a type, by float, int and uint components. CI and CF make coordinates of a
// float4.
std::string SourceOf(const std::string& type, const char* cf, const char* ci, bool is_depth) {
  std::string source;
  for (const char* kind : {"f", "i", "ui"}) {
    const std::string k = kind;
    if (is_depth && k != "f") continue;
    const std::string vector = k == "f" ? "float4" : k == "i" ? "int4" : "uint4";
    const std::string made = is_depth ? "(float4)(" : "";
    const std::string end = is_depth ? ", 0, 0, 1)" : "";
    const auto read = [&](const char* name, const char* sampler, const char* at) {
      source += "kernel void " + std::string(name) + "_" + k + "(read_only " + type +
                " m, sampler_t s, global const float4* at, global uint4* out) {"
                "  size_t i = get_global_id(0); float4 p = at[i];"
                "  out[i] = as_uint4(" +
                made + "read_image" + k + "(m, " + sampler + at + ")" + end + "); }\n";
    };
    read("sample", "s, ", cf);
    read("pick", "s, ", ci);
    read("load", "", ci);
    source += "kernel void store_" + k + "(write_only " + type +
              " m, global const float4* at, global const uint4* in) {"
              "  size_t i = get_global_id(0); float4 p = at[i];"
              "  write_image" +
              k + "(m, " + ci + ", as_" + vector + "(in[i])" + (is_depth ? ".x" : "") + "); }\n";
  }
  return source;
}

struct Kernels {
  Program program;
  Kernel Of(const Session& s, const std::string& name, const ImageKind& kind) const {
    return s.NewKernel(program, (name + (kind.IsSigned()     ? "_i"
                                         : kind.IsUnsigned() ? "_ui"
                                                             : "_f"))
                                    .c_str());
  }
};

Kernels KernelsOf(const Session& s, const ImageShape& shape, bool is_depth = false) {
  const int sizes = shape.axes + (shape.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                                  shape.type == CL_MEM_OBJECT_IMAGE2D_ARRAY);
  const char* const floats[] = {"p.x", "p.xy", "p"};
  const char* const ints[] = {"(int)p.x", "convert_int2(p.xy)", "convert_int4(p)"};
  const std::string source = "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n" +
                             SourceOf(is_depth ? "image2d_depth_t" : shape.name, floats[sizes - 1],
                                      ints[sizes - 1], is_depth);
  return {s.Build(source.c_str())};
}

// Within the image and far beyond it, never where texels meet, at whole 1/256 of a texel: there
// filters of 8 bits are exact.
std::vector<Point> Points(const HostImage& image, bool may_leave) {
  std::vector<Point> points(kPoints);
  uint32_t seed = 11;
  const auto next = [&](uint32_t below) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
  };
  for (Point& p : points) {
    for (int n = 0; n < 3; ++n) {
      const auto size = static_cast<uint32_t>(image.size[n]);
      const bool is_layer = n >= image.axes;
      const bool leaves = may_leave && !is_layer && next(2) == 0;
      p[n] = next(size) + (is_layer ? 0 : next(16) / 16.0 + 1 / 32.0);
      if (leaves) p[n] += (static_cast<double>(next(7)) - 3) * size;
    }
  }
  return points;
}

Buffer PointBuffer(const Session& s, const std::vector<Point>& points) {
  std::vector<float> values;
  for (const Point& p : points) {
    for (const double value : p) values.push_back(static_cast<float>(value));
    values.push_back(0);
  }
  return s.NewBuffer(values.size(), values.data());
}

// Integers are equal; floats to within what rounding a few times does.
void Compare(const ImageKind& kind, const char* what, const std::vector<uint32_t>& got, size_t i,
             const Color& want) {
  for (int n = 0; n < 4; ++n) {
    const uint32_t bits = got[4 * i + n];
    float single = 0;
    std::memcpy(&single, &bits, 4);
    const double value = kind.IsSigned()     ? static_cast<int32_t>(bits)
                         : kind.IsUnsigned() ? bits
                                             : static_cast<double>(single);
    const double allowed = kind.IsInteger() ? 0 : 2e-6 * std::max(1.0, std::fabs(want[n]));
    if (std::fabs(value - want[n]) <= allowed) {
      ++compared;
      continue;
    }
    True(false,
         std::string(what) + " of order " + std::to_string(kind.format.image_channel_order) +
             ", type " + std::to_string(kind.format.image_channel_data_type) + ", point " +
             std::to_string(i) + ", component " + std::to_string(n) + " is " +
             std::to_string(value) + ", not " + std::to_string(want[n]),
         __FILE__, __LINE__);
  }
}

struct Sampler {
  cl_sampler it = nullptr;
  Sampler(const Session& s, const HostSampler& of) {
    cl_int error = CL_SUCCESS;
    it = clCreateSampler(s.context, of.normalized, of.address,
                         of.linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &error);
    OK(error);
  }
  Sampler(const Sampler&) = delete;
  ~Sampler() { OK(clReleaseSampler(it)); }
};

void Read(const Session& s, const Kernels& kernels, const char* name, const HostImage& host,
          const Buffer& image, const HostSampler& sampler) {
  const Kernel kernel = kernels.Of(s, name, host.kind);
  const bool may_leave = sampler.address != CL_ADDRESS_NONE;
  std::vector<Point> points = Points(host, may_leave);
  std::vector<Point> asked = points;
  for (int axis = 0; sampler.normalized && axis < host.axes; ++axis)
    for (Point& p : asked) p[axis] /= static_cast<double>(host.size[axis]);
  const bool is_float = name == std::string("sample");
  const Buffer at = PointBuffer(s, asked), out = s.NewBuffer<uint32_t>(4 * kPoints);
  const Sampler made(s, sampler);
  s.Set(kernel, image, made.it, at, out);
  s.Launch(kernel, {kPoints});
  const std::vector<uint32_t> got = s.Read<uint32_t>(out, 4 * kPoints);
  for (size_t i = 0; i < kPoints; ++i) {
    Point p = asked[i];
    // Converted to int, which truncates.
    for (int n = 0; n < 3 && !is_float; ++n) p[n] = std::trunc(p[n]) + (n < host.axes ? 0.5 : 0);
    Compare(host.kind, name, got, i, host.Sample(sampler, p));
  }
}

void ReadAllWays(const Session& s, const Kernels& kernels, const ImageShape& shape,
                 const ImageKind& kind) {
  HostImage host = Noise(shape, kind, 17);
  const Buffer image = NewImage(s, shape, host, CL_MEM_READ_ONLY);
  for (const bool linear : {false, true}) {
    if (linear && kind.IsInteger()) continue;
    for (const bool normalized : {false, true}) {
      for (const cl_addressing_mode mode :
           {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
            CL_ADDRESS_MIRRORED_REPEAT}) {
        const bool repeats = mode == CL_ADDRESS_REPEAT || mode == CL_ADDRESS_MIRRORED_REPEAT;
        // A linear filter at an edge without an address mode reads beyond.
        if ((repeats && !normalized) || (linear && mode == CL_ADDRESS_NONE)) continue;
        Read(s, kernels, "sample", host, image, {normalized, mode, linear});
        if (!normalized && !linear) Read(s, kernels, "pick", host, image, {false, mode, false});
      }
    }
  }
  Read(s, kernels, "load", host, image, {false, CL_ADDRESS_NONE, false});
}

void EveryFormatIsRead(Session& s) {
  const Kernels kernels = KernelsOf(s, k2d), depth = KernelsOf(s, k2d, true);
  for (const ImageKind& kind : Formats(s, CL_MEM_OBJECT_IMAGE2D, CL_MEM_READ_ONLY))
    ReadAllWays(s, kind.IsDepth() ? depth : kernels, k2d, kind);
}

void EveryShapeIsRead(Session& s) {
  for (const ImageShape& shape : kShapes) {
    const Kernels kernels = KernelsOf(s, shape);
    for (const ImageKind& kind : {kRgba8, kR32f, kRg16i}) ReadAllWays(s, kernels, shape, kind);
  }
}

// Each texel once, in another order than memory's.
void WriteOne(const Session& s, const Kernels& kernels, const ImageShape& shape,
              const ImageKind& kind) {
  HostImage want = Noise(shape, kind, 23);
  const Buffer image = NewImage(s, shape, want, CL_MEM_WRITE_ONLY);
  std::vector<Point> points;
  std::vector<uint32_t> values;
  for (size_t n = 0; n < want.Texels(); n += 3) {
    const size_t x = n % want.size[0], y = n / want.size[0] % want.size[1];
    const size_t z = n / want.size[0] / want.size[1];
    points.push_back({static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
    Color color;
    for (int c = 0; c < 4; ++c) {
      // Some integers do not fit: the nearest that does is stored.
      const int32_t factor = kind.IsInteger() && n % 7 == 0 ? 100003 : 1;
      const int32_t number =
          factor * (static_cast<int32_t>((n * 37 + c * 11) % 100) + (kind.IsSigned() ? -50 : 0));
      const float single = static_cast<float>(number) / 64 - 0.25f;
      color[c] = kind.IsInteger() ? number : static_cast<double>(single);
      uint32_t bits = static_cast<uint32_t>(number);
      if (!kind.IsInteger()) std::memcpy(&bits, &single, 4);
      values.push_back(bits);
    }
    PutColor(kind, color, want.At(x, y, z));
  }
  const Kernel kernel = kernels.Of(s, "store", kind);
  const Buffer at = PointBuffer(s, points), in = s.NewBuffer(values.size(), values.data());
  s.Set(kernel, image, at, in);
  s.Launch(kernel, {points.size()});
  std::vector<uint8_t> got(want.bytes.size());
  const size_t origin[3] = {};
  OK(clEnqueueReadImage(s.queue, image, CL_TRUE, origin, want.size.data(), 0, 0, got.data(), 0,
                        nullptr, nullptr));
  Each("stored", got, [&](size_t i) { return want.bytes[i]; });
}

void EveryFormatIsWritten(Session& s) {
  const Kernels kernels = KernelsOf(s, k2d), depth = KernelsOf(s, k2d, true);
  for (const ImageKind& kind : Formats(s, CL_MEM_OBJECT_IMAGE2D, CL_MEM_WRITE_ONLY))
    WriteOne(s, kind.IsDepth() ? depth : kernels, k2d, kind);
  for (const ImageShape& shape : kShapes) WriteOne(s, KernelsOf(s, shape), shape, kRg16i);
}

// Components that are 0 at the end, which compilers leave out, and integers that do not fit; to
// images and to lines of buffers, for which the instructions are others.
void WriteWithoutTheRest(const Session& s, const Program& program, const ImageKind& kind,
                         bool is_line) {
  constexpr size_t kCount = 64;
  const std::string name = std::string(kind.IsSigned()     ? "i"
                                       : kind.IsUnsigned() ? "u"
                                                           : "f") +
                           (is_line ? "_line" : "_image");
  HostImage want(kind, {kCount, 1, 1}, 1);
  want.FillWithNoise(29);
  const Buffer buffer = s.NewBuffer(want.bytes.size(), want.bytes.data());
  cl_image_desc shape{};
  shape.image_type = is_line ? CL_MEM_OBJECT_IMAGE1D_BUFFER : CL_MEM_OBJECT_IMAGE1D;
  shape.image_width = kCount;
  if (is_line) shape.buffer = buffer;
  const Buffer image = NewImage(s, shape, kind, nullptr, CL_MEM_WRITE_ONLY);
  const Kernel kernel = s.NewKernel(program, name.c_str());
  s.Set(kernel, image);
  s.Launch(kernel, {kCount});
  for (size_t n = 0; n < kCount; ++n) {
    const double value = kind.IsInteger() ? 1027.0 * (double(n) - 20) : (double(n) - 20) / 32;
    Color color = {kind.IsUnsigned() ? 1027.0 * double(n) : value, 0, 0, 0};
    if (n % 2 == 1) color[1] = color[0];
    PutColor(kind, color, want.At(n));
  }
  std::vector<uint8_t> got(want.bytes.size());
  const size_t origin[3] = {}, size[3] = {kCount, 1, 1};
  OK(clEnqueueReadImage(s.queue, image, CL_TRUE, origin, size, 0, 0, got.data(), 0, nullptr,
                        nullptr));
  Each(is_line ? "line of zeros" : "zeros", got, [&](size_t i) { return want.bytes[i]; });
}

void FewComponentsAreWritten(Session& s) {
  std::string source;
  for (const auto& [shape, type] :
       {std::pair{"line", "image1d_buffer_t"}, {"image", "image1d_t"}}) {
    for (const auto& [letter, vector, number] : {std::tuple{"f", "float4", "(i - 20) / 32.0f"},
                                                 {"i", "int4", "(i - 20) * 1027"},
                                                 {"ui", "uint4", "i * 1027u"}}) {
      const std::string n = number, v = vector;
      source += std::string("kernel void ") + letter[0] + "_" + shape + "(write_only " + type +
                " m) { int i = get_global_id(0); if (i % 2) write_image" + letter + "(m, i, (" + v +
                ")(" + n + ", " + n + ", 0, 0)); else write_image" + letter + "(m, i, (" + v +
                ")(" + n + ", 0, 0, 0)); }\n";
    }
  }
  const Program program = s.Build(source.c_str());
  for (const bool is_line : {false, true}) {
    const cl_mem_object_type type = is_line ? CL_MEM_OBJECT_IMAGE1D_BUFFER : CL_MEM_OBJECT_IMAGE1D;
    for (const ImageKind& kind : Formats(s, type, CL_MEM_WRITE_ONLY))
      if (!kind.IsDepth()) WriteWithoutTheRest(s, program, kind, is_line);
  }
}

void SamplersInKernels(Session& s) {
  const Program program = s.Build(R"(
    constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    kernel void k(read_only image2d_t m, global const float4* at, global float4* out) {
      const sampler_t linear =
          CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
      size_t i = get_global_id(0);
      out[2 * i] = read_imagef(m, nearest, at[i].xy);
      out[2 * i + 1] = read_imagef(m, linear, at[i].xy);
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  HostImage host = Noise(k2d, kRgba8);
  const Buffer image = NewImage(s, k2d, host, CL_MEM_READ_ONLY);
  const std::vector<Point> points = Points(host, true);
  const Buffer at = PointBuffer(s, points), out = s.NewBuffer<uint32_t>(8 * kPoints);
  s.Set(kernel, image, at, out);
  s.Launch(kernel, {kPoints});
  const std::vector<uint32_t> got = s.Read<uint32_t>(out, 8 * kPoints);
  for (size_t i = 0; i < 2 * kPoints; ++i) {
    const HostSampler sampler = {
        false, cl_uint(i % 2 ? CL_ADDRESS_CLAMP_TO_EDGE : CL_ADDRESS_CLAMP), i % 2 != 0};
    Compare(kRgba8, "sampled", got, i, host.Sample(sampler, points[i / 2]));
  }
}

// Coordinates that the compiler knows to fit in 16 bits, which gfx9 has instructions for.
void SmallCoordinates(Session& s) {
  const Program program = s.Build(R"(
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    kernel void k(read_only image2d_t m, write_only image2d_t w, sampler_t s,
                  global const ushort2* whole, global const half* halves, global float4* out) {
      size_t i = get_global_id(0);
      out[3 * i] = read_imagef(m, convert_int2(whole[i]));
      out[3 * i + 1] = read_imagef(m, s, vload_half2(i, halves));
      out[3 * i + 2] = read_imagef(m, (int2)(7, 3));
      write_imagef(w, (int2)(2, 5), (float4)(0.2f, 0.4f, 0.6f, 0.8f));
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  HostImage host = Noise(k2d, kRgba8), target = host;
  const Buffer image = NewImage(s, k2d, host), written = NewImage(s, k2d, target);
  const HostSampler linear = {false, CL_ADDRESS_CLAMP_TO_EDGE, true};
  const Sampler sampler(s, linear);
  const std::vector<Point> points = Points(host, false);
  std::vector<uint16_t> whole, halves;
  for (const Point& p : points) {
    for (int n = 0; n < 2; ++n) {
      whole.push_back(static_cast<uint16_t>(p[n]));
      halves.push_back(static_cast<uint16_t>(HalfBits(p[n])));
    }
  }
  const Buffer at = s.NewBuffer(whole.size(), whole.data());
  const Buffer half_at = s.NewBuffer(halves.size(), halves.data());
  const Buffer out = s.NewBuffer<uint32_t>(12 * kPoints);
  s.Set(kernel, image, written, sampler.it, at, half_at, out);
  s.Launch(kernel, {kPoints});
  const std::vector<uint32_t> got = s.Read<uint32_t>(out, 12 * kPoints);
  for (size_t i = 0; i < kPoints; ++i) {
    const size_t x = whole[2 * i], y = whole[2 * i + 1];
    const Point half = {HalfValue(halves[2 * i]), HalfValue(halves[2 * i + 1]), 0};
    Compare(kRgba8, "whole", got, 3 * i, ColorOf(kRgba8, host.At(x, y)));
    Compare(kRgba8, "half", got, 3 * i + 1, host.Sample(linear, half));
    Compare(kRgba8, "constant", got, 3 * i + 2, ColorOf(kRgba8, host.At(7, 3)));
  }
  PutColor(kRgba8, {0.2, 0.4, 0.6, 0.8}, target.At(2, 5));
  std::vector<uint8_t> bytes(target.bytes.size());
  const size_t origin[3] = {};
  OK(clEnqueueReadImage(s.queue, written, CL_TRUE, origin, k2d.size.data(), 0, 0, bytes.data(), 0,
                        nullptr, nullptr));
  Each("written", bytes, [&](size_t i) { return target.bytes[i]; });
}

// What a kernel asks of its images, and one that it reads and writes.
void QuestionsAndReadWrite(Session& s) {
  const Program program = s.Build(R"(
    kernel void k(read_only image1d_t a, read_only image1d_array_t b, read_only image2d_t c,
                  read_only image2d_array_t d, read_only image3d_t e, global int* o) {
      o[0] = get_image_width(a); o[1] = get_image_width(b); o[2] = get_image_array_size(b);
      o[3] = get_image_dim(c).x; o[4] = get_image_dim(c).y; o[5] = get_image_height(c);
      o[6] = get_image_dim(d).x; o[7] = get_image_dim(d).y; o[8] = get_image_array_size(d);
      o[9] = get_image_dim(e).x; o[10] = get_image_dim(e).y; o[11] = get_image_dim(e).z;
      o[12] = get_image_channel_data_type(c) - CLK_UNSIGNED_INT16;
      o[13] = get_image_channel_order(c) - CLK_RGBA;
      o[14] = get_image_depth(e);
    }
    kernel void twice(read_write image2d_t m) {
      int2 at = (int2)(get_global_id(0), get_global_id(1));
      write_imageui(m, at, read_imageui(m, at) * 2u);
    })");
  std::vector<HostImage> hosts;
  for (const ImageShape& shape : kShapes) hosts.push_back(Noise(shape, kRgba16u));
  std::vector<Buffer> images;
  for (size_t n = 0; n < hosts.size(); ++n) images.push_back(NewImage(s, kShapes[n], hosts[n]));
  const Buffer out = s.NewBuffer<int>(15);
  const Kernel kernel = s.NewKernel(program, "k");
  s.Set(kernel, images[0], images[1], images[2], images[3], images[4], out);
  s.Launch(kernel, {1});
  const int want[] = {37, 21, 5, 19, 11, 11, 13, 7, 4, 9, 6, 5, 0, 0, 5};
  Each("answer", s.Read<int>(out, 15), [&](size_t i) { return want[i]; });

  const Kernel twice = s.NewKernel(program, "twice");
  const Buffer image = NewImage(s, k2d, hosts[2], CL_MEM_KERNEL_READ_AND_WRITE);
  s.Set(twice, image);
  s.Launch(twice, {19, 11});
  std::vector<uint16_t> got(hosts[2].Texels() * 4), before(got.size());
  std::memcpy(before.data(), hosts[2].bytes.data(), hosts[2].bytes.size());
  const size_t origin[3] = {};
  OK(clEnqueueReadImage(s.queue, image, CL_TRUE, origin, k2d.size.data(), 0, 0, got.data(), 0,
                        nullptr, nullptr));
  Each("twice", got, [&](size_t i) { return std::min(before[i] * 2, 65535); });
}

void LineOfBuffer(Session& s) {
  const Program program = s.Build(R"(
    kernel void f(read_only image1d_buffer_t m, global float4* o) {
      int i = get_global_id(0); o[i] = read_imagef(m, i); }
    kernel void i(read_only image1d_buffer_t m, global int4* o) {
      int i = get_global_id(0); o[i] = read_imagei(m, i); }
    kernel void u(read_only image1d_buffer_t m, global uint4* o) {
      int i = get_global_id(0); o[i] = read_imageui(m, i); }
    kernel void set(write_only image1d_buffer_t m, global int* width) {
      int i = get_global_id(0); write_imageui(m, i, (uint4)(i, 2 * i, 3 * i, 7));
      if (i == 0) *width = get_image_width(m); })");
  constexpr size_t kCount = 100;
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  shape.image_width = kCount;
  for (const ImageKind& kind : Formats(s, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_READ_ONLY)) {
    HostImage host(kind, {kCount, 1, 1}, 1);
    host.FillWithNoise(9);
    const Buffer buffer = s.NewBuffer(host.bytes.size(), host.bytes.data());
    shape.buffer = buffer;
    const Buffer image = NewImage(s, shape, kind, nullptr, CL_MEM_READ_ONLY);
    const Buffer out = s.NewBuffer<uint32_t>(4 * kCount);
    const Kernel kernel = s.NewKernel(program, kind.IsSigned()     ? "i"
                                               : kind.IsUnsigned() ? "u"
                                                                   : "f");
    s.Set(kernel, image, out);
    s.Launch(kernel, {kCount});
    const std::vector<uint32_t> got = s.Read<uint32_t>(out, 4 * kCount);
    for (size_t n = 0; n < kCount; ++n)
      Compare(kind, "of buffer", got, n, ColorOf(kind, host.At(n)));
  }
  const Buffer buffer = s.NewBuffer<uint16_t>(4 * kCount), width = s.NewBuffer<int>(1);
  shape.buffer = buffer;
  const Buffer image = NewImage(s, shape, kRgba16u, nullptr, CL_MEM_WRITE_ONLY);
  const Kernel set = s.NewKernel(program, "set");
  s.Set(set, image, width);
  s.Launch(set, {kCount});
  Each("buffer", s.Read<uint16_t>(buffer, 4 * kCount),
       [](size_t i) { return i % 4 == 3 ? 7 : i / 4 * (i % 4 + 1); });
  CHECK(s.Read<int>(width, 1)[0] == int(kCount));
}

// An image and a buffer that are the same memory.
void PlaneOfBuffer(Session& s) {
  constexpr size_t kPitch = 1024, kHeight = 9, kWidth = 20;
  std::vector<uint8_t> memory(kPitch * kHeight);
  for (size_t n = 0; n < memory.size(); ++n) memory[n] = static_cast<uint8_t>(n * 5 + n / 1024);
  const Buffer buffer = s.NewBuffer(memory.size(), memory.data());
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = kWidth;
  shape.image_height = kHeight;
  shape.image_row_pitch = kPitch;
  shape.buffer = buffer;
  const Buffer image = NewImage(s, shape, kRgba8, nullptr, CL_MEM_READ_WRITE);
  const Program program = s.Build(R"(
    kernel void k(read_only image2d_t m, global float4* o) {
      int x = get_global_id(0), y = get_global_id(1);
      o[y * 20 + x] = read_imagef(m, (int2)(x, y)); }
    kernel void set(write_only image2d_t m) {
      int x = get_global_id(0), y = get_global_id(1);
      write_imagef(m, (int2)(x, y), (float4)(x, y, 0, 255) / 255.0f); })");
  const Kernel kernel = s.NewKernel(program, "k"), set = s.NewKernel(program, "set");
  const Buffer out = s.NewBuffer<uint32_t>(4 * kWidth * kHeight);
  s.Set(kernel, image, out);
  s.Launch(kernel, {kWidth, kHeight});
  const std::vector<uint32_t> got = s.Read<uint32_t>(out, 4 * kWidth * kHeight);
  for (size_t n = 0; n < kWidth * kHeight; ++n) {
    const uint8_t* const texel = &memory[n / kWidth * kPitch + n % kWidth * 4];
    Compare(kRgba8, "plane", got, n, ColorOf(kRgba8, texel));
  }
  s.Set(set, image);
  s.Launch(set, {kWidth, kHeight});
  Each("buffer", s.Read<uint8_t>(buffer, memory.size()), [&](size_t i) -> uint8_t {
    const size_t x = i % kPitch / 4, y = i / kPitch;
    if (x >= kWidth) return memory[i];
    const size_t values[] = {x, y, 0, 255};
    return static_cast<uint8_t>(values[i % 4]);
  });
}

}  // namespace

int main() {
  return Main({{"every format is read", EveryFormatIsRead},
               {"every shape is read", EveryShapeIsRead},
               {"every format is written", EveryFormatIsWritten},
               {"samplers in kernels", SamplersInKernels},
               {"small coordinates", SmallCoordinates},
               {"questions, read and write", QuestionsAndReadWrite},
               {"few components", FewComponentsAreWritten},
               {"line of a buffer", LineOfBuffer},
               {"plane of a buffer", PlaneOfBuffer}});
}
