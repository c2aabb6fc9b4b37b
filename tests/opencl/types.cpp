// Types and integer builtins: vectors, conversions, half, bits, relational functions.
#include <cmath>

#include "harness.h"

namespace {

template <typename In, typename Out, typename Want>
void Map(const Session& s, const char* what, const std::string& source, std::vector<In> in,
         size_t outs, Want want) {
  const Program program = s.Build(source.c_str());
  const Kernel kernel = s.NewKernel(program, "k");
  const Buffer from = s.NewBuffer(in.size(), in.data()), to = s.NewBuffer<Out>(outs * in.size());
  s.Set(kernel, from, to);
  s.Launch(kernel, {in.size()});
  Each(what, s.Read<Out>(to, outs * in.size()),
       [&](size_t i) { return want(in[i / outs], i % outs); });
}

// Widths 2, 3, 4, 8, 16: loads and stores that are not aligned, and swizzles.
void Vectors(Session& s) {
  for (const int width : {2, 3, 4, 8, 16}) {
    const std::string n = std::to_string(width);
    const Program program = s.Build(("kernel void k(global const short* in, global short* out) {"
                                     "  size_t i = get_global_id(0); short" +
                                     n + " v = vload" + n +
                                     "(i, in + 1);"
                                     "  v = v * (short" +
                                     n + ")3 + (short" + n +
                                     ")(v.s0); short first = v.s0; v.s0 = v.s1;"
                                     "  v.s1 = first; vstore" +
                                     n + "(v, i, out + 1); }")
                                        .c_str());
    const Kernel kernel = s.NewKernel(program, "k");
    const size_t count = static_cast<size_t>(width) * 100 + 1;
    std::vector<int16_t> in(count);
    for (size_t i = 0; i < count; ++i) in[i] = static_cast<int16_t>(i * 77);
    const Buffer from = s.NewBuffer(count, in.data()), to = s.NewBuffer(count, in.data());
    s.Set(kernel, from, to);
    s.Launch(kernel, {100});
    Each("vector", s.Read<int16_t>(to, count), [&](size_t i) -> int16_t {
      if (i == 0) return in[0];
      const size_t base = (i - 1) / width * width + 1, at = i - base;
      return static_cast<int16_t>(in[base + (at < 2 ? 1 - at : at)] * 3 + in[base]);
    });
  }
}

void Shuffles(Session& s) {
  Map<uint32_t, uint32_t>(s, "shuffled", R"(kernel void k(global const uint* in, global uint* out) {
      size_t i = get_global_id(0);
      uint4 a = (uint4)(in[i], in[i] + 1, in[i] + 2, in[i] + 3), b = a * 10;
      uint8 r = shuffle2(a, b, (uint8)(7, 0, 5, 2, in[i] & 7, 4, 3, 1));
      vstore8(r, i, out); })",
                          {0, 5, 6, 100, 1u << 30}, 8, [](uint32_t x, size_t at) {
                            const uint32_t lanes[] = {7, 0, 5, 2, x & 7, 4, 3, 1};
                            const uint32_t lane = lanes[at];
                            return lane < 4 ? x + lane : (x + lane - 4) * 10;
                          });
}

void Integers(Session& s) {
  const std::vector<int32_t> in = {0,     1,      -1,         2147483647, -2147483647 - 1,
                                   12345, -98765, 0x00FF00FF, 65536};
  Map<int32_t, int32_t>(
      s, "int", R"(kernel void k(global const int* in, global int* out) {
      size_t i = get_global_id(0); int x = in[i], y = 1000003; global int* o = out + 14 * i;
      o[0] = mul_hi(x, y); o[1] = mad_hi(x, y, 5); o[2] = add_sat(x, y); o[3] = sub_sat(x, y);
      o[4] = hadd(x, y); o[5] = rhadd(x, y); o[6] = abs(x); o[7] = abs_diff(x, y); o[8] = clz(x);
      o[9] = popcount(x); o[10] = rotate(x, 13); o[11] = mul24(x, 3); o[12] = clamp(x, -5, 700);
      o[13] = ctz(x | 16); })",
      in, 14, [](int32_t x, size_t at) -> int32_t {
        const int64_t y = 1000003, w = x;
        const auto saturated = [](int64_t v) {
          return static_cast<int32_t>(
              std::min<int64_t>(INT32_MAX, std::max<int64_t>(INT32_MIN, v)));
        };
        const uint32_t u = static_cast<uint32_t>(x);
        switch (at) {
          case 0: return static_cast<int32_t>(w * y >> 32);
          case 1: return static_cast<int32_t>((w * y >> 32) + 5);
          case 2: return saturated(w + y);
          case 3: return saturated(w - y);
          case 4: return static_cast<int32_t>((w + y) >> 1);
          case 5: return static_cast<int32_t>((w + y + 1) >> 1);
          case 6: return static_cast<int32_t>(std::llabs(w));
          case 7: return static_cast<int32_t>(std::llabs(w - y));
          case 8: return u == 0 ? 32 : __builtin_clz(u);
          case 9: return __builtin_popcount(u);
          case 10: return static_cast<int32_t>(u << 13 | u >> 19);
          case 11: return (static_cast<int32_t>(u << 8) >> 8) * 3;
          case 12: return static_cast<int32_t>(std::min<int64_t>(700, std::max<int64_t>(-5, w)));
          default: return __builtin_ctz(u | 16);
        }
      });
}

void LongIntegers(Session& s) {
  const std::vector<int64_t> in = {1,           -1, 7, INT64_MAX, INT64_MIN + 1, 123456789012345,
                                   -99999999999};
  Map<int64_t, int64_t>(s, "long", R"(kernel void k(global const long* in, global long* out) {
      size_t i = get_global_id(0); long x = in[i], y = 1000000007; global long* o = out + 9 * i;
      o[0] = mul_hi(x, y); o[1] = x / y; o[2] = x % y; o[3] = (ulong)x / (ulong)y;
      o[4] = (ulong)x % 12345678901UL; o[5] = x * y; o[6] = x >> (y & 31); o[7] = clz(x);
      o[8] = y / x; })",
                        in, 9, [](int64_t x, size_t at) -> int64_t {
                          const int64_t y = 1000000007;
                          const uint64_t u = static_cast<uint64_t>(x);
                          switch (at) {
                            case 0: return static_cast<int64_t>(static_cast<__int128>(x) * y >> 64);
                            case 1: return x / y;
                            case 2: return x % y;
                            case 3: return static_cast<int64_t>(u / y);
                            case 4: return static_cast<int64_t>(u % 12345678901u);
                            case 5: return static_cast<int64_t>(u * static_cast<uint64_t>(y));
                            case 6: return x >> (y & 31);
                            case 7: return __builtin_clzll(u);
                            default: return y / x;
                          }
                        });
}

void Conversions(Session& s) {
  const std::vector<float> in = {0.5f,   1.5f,   2.5f,  -0.5f,   -1.5f,
                                 255.6f, -1e10f, 1e10f, 3.4999f, -127.5f};
  Map<float, int32_t>(s, "converted", R"(kernel void k(global const float* in, global int* out) {
      size_t i = get_global_id(0); float x = in[i]; global int* o = out + 8 * i;
      o[0] = convert_int_sat_rte(x); o[1] = convert_int_sat_rtz(x); o[2] = convert_int_sat_rtp(x);
      o[3] = convert_int_sat_rtn(x); o[4] = convert_uchar_sat(x); o[5] = convert_short_sat_rte(x);
      o[6] = as_int(x); o[7] = convert_int_sat(convert_double(x) * 2.0); })",
                      in, 8, [](float x, size_t at) -> int32_t {
                        const auto sat = [](double v, double low, double high) {
                          return static_cast<int32_t>(std::min(high, std::max(low, v)));
                        };
                        const double low = INT32_MIN, high = INT32_MAX, w = x;
                        int32_t bits;
                        std::memcpy(&bits, &x, 4);
                        switch (at) {
                          case 0: return sat(std::nearbyint(w), low, high);
                          case 1: return sat(std::trunc(w), low, high);
                          case 2: return sat(std::ceil(w), low, high);
                          case 3: return sat(std::floor(w), low, high);
                          case 4: return sat(std::trunc(w), 0, 255);
                          case 5: return sat(std::nearbyint(w), -32768, 32767);
                          case 6: return bits;
                          default: return sat(std::trunc(2 * w), low, high);
                        }
                      });
  // Long integers to floats, which round.
  Map<int64_t, float>(
      s, "to float", R"(kernel void k(global const long* in, global float* out) {
      size_t i = get_global_id(0); out[2 * i] = in[i]; out[2 * i + 1] = (ulong)in[i]; })",
      std::vector<int64_t>{1, 16777217, 16777219, -16777217, INT64_MAX, (1ll << 60) + 1, -1}, 2,
      [](int64_t x, size_t at) { return at == 0 ? float(x) : float(uint64_t(x)); });
}

// Every finite half through float and back, and arithmetic of halves, which rounds once.
void Halves(Session& s) {
  CHECK(s.HasExtension("cl_khr_fp16"));
  const Program program = s.Build(R"(
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    kernel void k(global const half* in, global ushort* out, global float* wide) {
      size_t i = get_global_id(0);
      half x = in[i], y = in[i * 40503 & 0x7FFF];
      wide[i] = vload_half(i, in);
      vstore_half(wide[i], i, (global half*)out);
      out[65536 + i] = as_ushort(x + y);
      out[131072 + i] = as_ushort(x * y);
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  std::vector<uint16_t> in(65536);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint16_t>(i);
  const auto value = [](uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
  };
  const auto is_finite = [](uint16_t bits) { return (bits >> 10 & 31) != 31; };
  // The nearest half of an exact double, ties to even.
  const auto rounded = [](double exact) {
    const uint16_t sign = std::signbit(exact) ? 0x8000 : 0;
    const double size = std::fabs(exact);
    if (size >= 65520) return static_cast<uint16_t>(sign | 0x7C00);
    const int exponent = std::max(size == 0 ? -14 : std::ilogb(size), -14);
    const int steps = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
    return static_cast<uint16_t>(sign | ((exponent + 14) * 1024 + steps));
  };
  const Buffer from = s.NewBuffer(in.size(), in.data()), to = s.NewBuffer<uint16_t>(3 * in.size()),
               wide = s.NewBuffer<float>(in.size());
  s.Set(kernel, from, to, wide);
  s.Launch(kernel, {in.size()});
  const auto got = s.Read<uint16_t>(to, 3 * in.size());
  const auto floats = s.Read<float>(wide, in.size());
  uint64_t wrong = 0;
  for (uint32_t i = 0; i < 65536; ++i) {
    const uint16_t x = in[i], y = in[i * 40503u & 0x7FFF];
    if (!is_finite(x)) continue;
    wrong += floats[i] != value(x) || got[i] != x;
    if (!is_finite(y)) continue;
    wrong += got[65536 + i] !=
             rounded(value(x) + value(y) == 0 && x >> 15 && y >> 15 ? -0.0 : value(x) + value(y));
    wrong += got[131072 + i] != rounded(value(x) * value(y));
  }
  CHECK(wrong == 0);
}

void Selections(Session& s) {
  Map<float, int32_t>(s, "relations", R"(kernel void k(global const float* in, global int* out) {
      size_t i = get_global_id(0); float x = in[i]; global int* o = out + 8 * i;
      o[0] = isnan(x); o[1] = isinf(x); o[2] = isfinite(x); o[3] = signbit(x) != 0;
      o[4] = (int)select(1.0f, 2.0f, x > 0); o[5] = any((int2)(x > 0 ? -1 : 0, 0));
      o[6] = isgreaterequal(x, 0.0f) + 2 * isunordered(x, 0.0f);
      o[7] = as_int(bitselect(x, 1.0f, 0x7F800000u == 0 ? 0.0f : as_float(0x007FFFFF))); })",
                      {0.0f, -0.0f, 1.5f, -2.5f, INFINITY, -INFINITY, NAN}, 8,
                      [](float x, size_t at) -> int32_t {
                        int32_t bits;
                        std::memcpy(&bits, &x, 4);
                        switch (at) {
                          case 0: return std::isnan(x);
                          case 1: return std::isinf(x);
                          case 2: return std::isfinite(x);
                          case 3: return std::signbit(x);
                          case 4: return x > 0 ? 2 : 1;
                          case 5: return x > 0;
                          case 6: return (x >= 0) + 2 * std::isnan(x);
                          default: return (bits & ~0x007FFFFF) | (0x3F800000 & 0x007FFFFF);
                        }
                      });
}

}  // namespace

int main() {
  return Main({{"vectors", Vectors},
               {"shuffles", Shuffles},
               {"integers", Integers},
               {"long integers", LongIntegers},
               {"conversions", Conversions},
               {"halves", Halves},
               {"selections", Selections}});
}
