unsigned Sum(const unsigned* values) {
  unsigned sum = 0;
  for (int n = 0; n < 64; ++n) sum += values[n];
  return sum;
}
