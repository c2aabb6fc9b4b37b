/* Preloaded into a program: after main has begun, allocations fail, from the one with the number in
 * FAIL_FROM on, or with FAIL_ONCE this one alone. FAIL_COUNT names a file for the number of all. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

typedef int Main(int, char**, char**);

static Main* program;
static long first = -1;
static int once;
static atomic_int begun;
static atomic_long number;

static int Fails(void) {
  if (!begun) return 0;
  const long now = atomic_fetch_add(&number, 1);
  const int fails = first >= 0 && (once ? now == first : now >= first);
  if (fails) errno = ENOMEM;
  return fails;
}

void* malloc(size_t bytes) { return Fails() ? NULL : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return Fails() ? NULL : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return Fails() ? NULL : __libc_realloc(old, bytes); }
void* memalign(size_t alignment, size_t bytes) {
  return Fails() ? NULL : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** at, size_t alignment, size_t bytes) {
  void* const made = memalign(alignment, bytes);
  if (made == NULL) return ENOMEM;
  *at = made;
  return 0;
}

static int Begin(int argc, char** argv, char** environment) {
  const char* const from = getenv("FAIL_FROM");
  if (from != NULL) first = atol(from);
  once = getenv("FAIL_ONCE") != NULL;
  begun = 1;
  const int code = program(argc, argv, environment);
  const char* const count = getenv("FAIL_COUNT");
  begun = 0;
  if (count != NULL) {
    const int file = open(count, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dprintf(file, "%ld\n", (long)number);
    close(file);
  }
  return code;
}

int __libc_start_main(Main* main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void* stack_end) {
  typedef int Start(Main*, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
  program = main;
  Start* const start = (Start*)dlsym(RTLD_NEXT, "__libc_start_main");
  return start(Begin, argc, argv, init, fini, rtld_fini, stack_end);
}
