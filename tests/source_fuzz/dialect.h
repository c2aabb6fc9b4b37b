// Makes one text a program for the device (OpenCL C) and for the host (C++): what the two languages
// write differently has a name here. Compiled by clang alone; both sides use its vector types.
#ifndef __cplusplus
typedef char i8;
typedef uchar u8;
typedef short i16;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
#define KERNEL __kernel
#define GLOBAL __global
#define LOCAL __local
#define CONSTANT __constant
#define CONSTANT_POINTER __constant
#define PRIVATE __private
#define RESTRICT restrict
#define GROUP_ARRAY(T, name, count) __local T name[count]
#define VECTOR(T, ...) ((T)(__VA_ARGS__))
#define AS(T, x) __builtin_astype((x), T)
#define LOCAL_ID __builtin_amdgcn_workitem_id_x()
#define GROUP_ID __builtin_amdgcn_workgroup_id_x()
#define BARRIER()                                          \
  do {                                                     \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
    __builtin_amdgcn_s_barrier();                          \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
  } while (0)
#define GROUP_SIZE_IS(n) __attribute__((reqd_work_group_size(n, 1, 1)))
#else
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long i64;
typedef unsigned long u64;
#define KERNEL static
#define GLOBAL
#define LOCAL
#define CONSTANT static const
#define CONSTANT_POINTER const
#define PRIVATE
#define RESTRICT __restrict
#define GROUP_ARRAY(T, name, count) static T name[count]
#define VECTOR(T, ...) (T{__VA_ARGS__})
template <typename To, typename From>
static inline To CopyBits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}
#define AS(T, x) CopyBits<T>(x)
extern "C" {
u32 fuzz_local_id, fuzz_group_id;
void (*fuzz_barrier)();
}
#define LOCAL_ID fuzz_local_id
#define GROUP_ID fuzz_group_id
#define BARRIER() fuzz_barrier()
#define GROUP_SIZE_IS(n)
#endif
typedef float f32;
typedef double f64;

// Dividends whose range the compiler cannot see. LLVM divides by way of floats where it takes both
// operands for small numbers, and is wrong about sign-extended ones that are unsigned, and about
// some of 23 and 24 bits (llvm-project pull requests 119325, 196418, 201186, 202753).
#ifndef __cplusplus
static inline u32 Hidden32(u32 x) {
  __asm("" : "+v"(x));
  return x;
}
static inline u64 Hidden64(u64 x) {
  __asm("" : "+v"(x));
  return x;
}
#else
static inline u32 Hidden32(u32 x) { return x; }
static inline u64 Hidden64(u64 x) { return x; }
#endif

// Factors of 64-bit products, and terms of sums that are shifted and added up, which are products,
// too. LLVM up to 15 takes v_mul_hi_i32_i24 for the high half of an unsigned product where a factor
// is a number of 32 bits without its sign, or sign-extended.
#if !defined(__cplusplus) && __clang_major__ <= 15
#define FACTOR32(x) Hidden32(x)
#define FACTOR64(x) Hidden64(x)
#else
#define FACTOR32(x) (x)
#define FACTOR64(x) (x)
#endif

#define VECTOR_TYPES(T)                                \
  typedef T T##x2 __attribute__((ext_vector_type(2))); \
  typedef T T##x3 __attribute__((ext_vector_type(3))); \
  typedef T T##x4 __attribute__((ext_vector_type(4))); \
  typedef T T##x8 __attribute__((ext_vector_type(8))); \
  typedef T T##x16 __attribute__((ext_vector_type(16)));
VECTOR_TYPES(i8)
VECTOR_TYPES(u8)
VECTOR_TYPES(i16)
VECTOR_TYPES(u16)
VECTOR_TYPES(i32)
VECTOR_TYPES(u32)
VECTOR_TYPES(i64)
VECTOR_TYPES(u64)
VECTOR_TYPES(f32)
VECTOR_TYPES(f64)

#define CONVERT(T, x) __builtin_convertvector((x), T)

// Lanes of 16 bits that may be constants. LLVM up to 17 takes the upper half of a packed
// instruction's inline constant for 0, or for the lower half again, and folds lanes that differ
// into -16 to -1, whose upper half is the sign (llvm-project pull request 76522).
#if !defined(__cplusplus) && __clang_major__ <= 17 && (defined(__gfx900__) || defined(__gfx906__))
#define LANES16(T, x) HiddenLanes((T)(x))
#define HIDDEN_LANES(T)                                                           \
  LANES_FUNCTION(T) { return (T)Hidden32((u32)x); }                               \
  LANES_FUNCTION(T##x2) { return AS(T##x2, Hidden32(AS(u32, x))); }               \
  LANES_FUNCTION(T##x3) { return AS(T##x3, Hidden64(AS(u64, x))); }               \
  LANES_FUNCTION(T##x4) { return AS(T##x4, Hidden64(AS(u64, x))); }               \
  LANES_FUNCTION(T##x8) { return (T##x8)(HiddenLanes(x.lo), HiddenLanes(x.hi)); } \
  LANES_FUNCTION(T##x16) { return (T##x16)(HiddenLanes(x.lo), HiddenLanes(x.hi)); }
#define LANES_FUNCTION(T) static inline __attribute__((overloadable)) T HiddenLanes(T x)
HIDDEN_LANES(i16)
HIDDEN_LANES(u16)
#else
#define LANES16(T, x) (x)
#endif

// Arrays of a work-item. LLVM (seen with 14, 15 and 19) raises their alignment to 4, puts one of
// each work-item side by side in LDS, where the next one is not aligned if the size is no multiple
// of 4, and uses ds_write_b32. Before gfx9 it ignores the address's low bits.
#if defined(__cplusplus) || defined(__gfx900__) || defined(__gfx906__)
#define PRIVATE_ARRAY(T, name, count) T name[count]
#else
#define PRIVATE_ARRAY(T, name, count) T name[(sizeof(T[count]) + 3) / 4 * 4 / sizeof(T)]
#endif

#define NOINLINE __attribute__((noinline))
#define ALWAYS_INLINE __attribute__((always_inline))
#define PACKED __attribute__((packed))
#define ALIGNED(n) __attribute__((aligned(n)))
// Atomics whose order does not matter, as long as what they return is not used.
#define ATOMIC(op, place, value) (void)__atomic_fetch_##op((place), (value), __ATOMIC_RELAXED)

// gfx6 has no instructions that round f64 to integers, and what LLVM makes instead gives 0 where
// the result is -0.
#define ROUNDED64(function, x) (__builtin_##function(x) + 0.0)

// What compilers have instructions for, of operands that are worked out once.
#define IDIOM(T, name, ...) static inline T name(__VA_ARGS__)
IDIOM(u32, MulHighUnsigned, u32 a, u32 b) { return (u32)(((u64)FACTOR32(a) * b) >> 32); }
IDIOM(i32, MulHighSigned, i32 a, i32 b) { return (i32)(((i64)a * b) >> 32); }
IDIOM(u32, RotateBy7, u32 a) { return (a << 7) | (a >> 25); }
IDIOM(u32, RotateLeft, u32 a, u32 n) { return (a << (n & 31)) | (a >> (-n & 31)); }
IDIOM(u64, RotateLeft64, u64 a, u64 n) { return (a << (n & 63)) | (a >> (-n & 63)); }
IDIOM(u32, FunnelShift, u32 a, u32 b, u32 n) { return (u32)((((u64)a << 32) | b) >> (n & 31)); }
IDIOM(i32, MinSigned, i32 a, i32 b) { return a < b ? a : b; }
IDIOM(u32, MaxUnsigned, u32 a, u32 b) { return a > b ? a : b; }
IDIOM(i64, MaxSigned64, i64 a, i64 b) { return a > b ? a : b; }
IDIOM(i32, Clamp100, i32 a) { return a < -100 ? -100 : a > 100 ? 100 : a; }
IDIOM(u32, AbsoluteDifference, u32 a, u32 b) { return a > b ? a - b : b - a; }
IDIOM(u32, Absolute, i32 a) { return a < 0 ? -(u32)a : (u32)a; }
#ifdef __gfx803__
// LLVM loses the clamp bit where its pass for SDWA makes a VOP2 of v_add_u32 (seen with clang 19).
IDIOM(u32, AddSaturated, u32 a, u32 b) { return (u32)(((u64)a + b) | -(((u64)a + b) >> 32)); }
#else
IDIOM(u32, AddSaturated, u32 a, u32 b) { return a + b < a ? 0xffffffffu : a + b; }
#endif
IDIOM(u32, BitSelect, u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }
IDIOM(u32, BitField, u32 a, u32 at, u32 width) {
  return (a >> (at & 31)) & ((1u << (width & 31)) - 1);
}
IDIOM(u32, MulAdd24, u32 a, u32 b, u32 c) { return (a & 0xffffff) * (b & 0xffffff) + c; }
IDIOM(u64, MulAdd64, u32 a, u32 b, u64 c) { return (u64)FACTOR32(a) * b + c; }
IDIOM(u32, Dot4, u32 a, u32 b) {
  u32 sum = 0;
  for (u32 i = 0; i < 32; i += 8) sum += ((a >> i) & 255) * ((b >> i) & 255);
  return sum;
}
// Of zeros of both signs LLVM's maxnum and minnum may give either: here there is but one.
IDIOM(f32, Smaller, f32 a, f32 b) { return a + 0 < b + 0 ? a + 0 : b + 0; }
IDIOM(f32, Larger, f32 a, f32 b) { return a + 0 > b + 0 ? a + 0 : b + 0; }
IDIOM(f64, Smaller64, f64 a, f64 b) { return a + 0 < b + 0 ? a + 0 : b + 0; }
IDIOM(f64, Larger64, f64 a, f64 b) { return a + 0 > b + 0 ? a + 0 : b + 0; }
