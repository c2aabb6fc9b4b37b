// Ends by a signal, on the host.
#include <csignal>
#include <cstdio>

int main() {
  std::fputs("a last word\n", stderr);
  std::raise(SIGSEGV);
}
