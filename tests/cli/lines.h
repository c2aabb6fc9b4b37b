// Code with calls that are inlined, in OpenCL C and HIP. lines_test.cpp knows the numbers of these lines.
INLINE void put(GLOBAL unsigned* out, unsigned at, unsigned value) {
  out[at] = value;
}
INLINE unsigned product(unsigned a, unsigned b) {
  return a * b;
}
INLINE void put_product(GLOBAL unsigned* out, unsigned at, unsigned factor) {
  put(out, at, product(at, factor));
}

// Work-items beyond the buffer of `items` store out of bounds.
KERNEL void multiply(GLOBAL unsigned* out, unsigned factor) {
  put_product(out, ID, factor);
}

// All work-items store to one place.
KERNEL void collide(GLOBAL unsigned* out, unsigned factor) {
  put(out, 0, ID);
}
