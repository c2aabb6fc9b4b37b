// Calls in HIP, without any header or library: recursion, function pointers, virtual functions,
// results on the stack, and the plain forms of everything else.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define NOINLINE __attribute__((noinline))

using uint = unsigned int;
using ulong = unsigned long;

static __device__ uint ThreadId() { return __builtin_amdgcn_workitem_id_x(); }
static __device__ uint GlobalId() {
  return __builtin_amdgcn_workgroup_id_x() * GROUP_SIZE + __builtin_amdgcn_workitem_id_x();
}
static __device__ void Barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

__device__ NOINLINE int Fibonacci(int n) {
  return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2);
}

__device__ NOINLINE int Ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return Ackermann(m - 1, 1);
  return Ackermann(m - 1, Ackermann(m, n - 1));
}

// Recursion whose depth differs from lane to lane.
extern "C" __global__ void recursion(int* out, const int* in) {
  const uint i = GlobalId();
  out[2 * i] = Fibonacci(in[i] & 7);
  out[2 * i + 1] = in[i] & 8 ? Ackermann(in[i] >> 4 & 1, in[i] >> 5 & 3) : -1;
}

__device__ NOINLINE bool IsOdd(int n);
__device__ NOINLINE bool IsEven(int n) { return n == 0 ? true : IsOdd(n - 1); }
__device__ NOINLINE bool IsOdd(int n) { return n == 0 ? false : IsEven(n - 1); }

extern "C" __global__ void mutual_recursion(int* out, const int* in) {
  const uint i = GlobalId();
  out[i] = IsEven(in[i] & 15) ? 1 : 2;
}

using Operation = int (*)(int, int);
__device__ NOINLINE int Add(int a, int b) { return (int)((uint)a + (uint)b); }
__device__ NOINLINE int Subtract(int a, int b) { return (int)((uint)a - (uint)b); }
__device__ NOINLINE int Multiply(int a, int b) { return (int)((uint)a * (uint)b); }
__device__ NOINLINE int Mix(int a, int b) { return Add(a ^ b, Multiply(a, 3)); }
__device__ Operation operations[4] = {Add, Subtract, Multiply, Mix};

// The callee differs from lane to lane: a loop over the distinct targets (v_readfirstlane).
extern "C" __global__ void function_pointers(int* out, const int* a, const int* b) {
  const uint i = GlobalId();
  int r = operations[a[i] & 3](a[i], b[i]);
  r = operations[(r >> 3) & 3](r, b[i]);
  out[i] = r;
}

// The same callee for all lanes, chosen by an argument.
extern "C" __global__ void uniform_function_pointer(int* out, const int* a, int which) {
  const uint i = GlobalId();
  const Operation operation = operations[which];
  out[i] = Add(operation(a[i], 7), operation(3, a[i]));
}

struct Shape {
  __device__ explicit Shape(int size) : size_(size) {}
  __device__ virtual int Area() const { return -1; }  // a pure one would need a C++ library
  __device__ virtual int Corners() const { return 0; }
  int size_;
};
struct Square : Shape {
  __device__ explicit Square(int size) : Shape(size) {}
  __device__ int Area() const override { return size_ * size_; }
  __device__ int Corners() const override { return 4; }
};
struct Circle : Shape {
  __device__ explicit Circle(int size) : Shape(size) {}
  __device__ int Area() const override { return 3 * size_ * size_; }
};

#if GENERATION >= 7
extern "C" __global__ void virtual_functions(int* out, const int* in) {
  const uint i = GlobalId();
  Square square(in[i]);
  Circle circle(in[i] + 1);
  const Shape* shapes[2] = {&square, &circle};
  const Shape* shape = shapes[in[i] & 1];
  out[2 * i] = shape->Area();
  out[2 * i + 1] = shape->Corners();
}
#endif

struct Big {
  long values[6];
  double factor;
};
__device__ NOINLINE Big MakeBig(int seed) {
  Big big;
  for (int j = 0; j < 6; ++j) big.values[j] = (long)seed * (j + 1);
  big.factor = seed * 0.5;
  return big;
}
__device__ NOINLINE double UseBig(Big big, int index) {
  return (double)big.values[index % 6] * big.factor;
}

extern "C" __global__ void struct_by_value(double* out, const int* in) {
  const uint i = GlobalId();
  const Big big = MakeBig(in[i]);
  out[i] = UseBig(big, in[i] & 31) + big.values[5];
}

// A call while other lanes wait, in a loop, keeping many values alive across it.
extern "C" __global__ void calls_keep_values(uint* out, const uint* in) {
  const uint i = GlobalId();
  uint v[12];
#pragma unroll
  for (int j = 0; j < 12; ++j) v[j] = in[i] * (j + 3) + j;
  uint sum = 0;
  for (uint j = 0; j < (in[i] & 7); ++j) {
    sum += (uint)Mix((int)v[0], (int)j);
    if ((in[i] >> j) & 1) sum ^= (uint)Multiply((int)sum, (int)v[1]);
#pragma unroll
    for (int k = 0; k < 12; ++k) v[k] = v[k] * 5 + v[(k + 1) % 12];
  }
#pragma unroll
  for (int j = 0; j < 12; ++j) sum = sum * 3 + v[j];
  out[i] = sum;
}

__constant__ int coefficients[8] = {3, -1, 4, 1, -5, 9, 2, -6};
__device__ int total;

// Constant memory, a device variable, shared memory, a template.
template <int Steps>
__device__ uint Polynomial(uint x) {
  uint r = 0;
  for (int j = 0; j < Steps; ++j) r = r * x + coefficients[j];
  return r;
}

extern "C" __global__ void polynomials(uint* out, const uint* in) {
  __shared__ uint shared_values[GROUP_SIZE];
  const uint i = GlobalId(), t = ThreadId();
  shared_values[t] = Polynomial<8>(in[i]);
  Barrier();
  out[i] = shared_values[GROUP_SIZE - 1 - t] + Polynomial<3>(in[i]);
  __hip_atomic_fetch_add(&total, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
