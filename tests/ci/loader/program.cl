// A program for loader.cpp, with the kernels that LLVM libc's startup object has. `main` prints its
// arguments, and returns how many it has had.
struct Mailbox {
  uint request;  // 0: none; 1: print; 2: end
  uint value;
  char text[248];
};
global struct Mailbox* global mailbox;

#define SYSTEM __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES

void ask(uint request) {
  global atomic_uint* word = (global atomic_uint*)&mailbox->request;
  __opencl_atomic_store(word, request, __ATOMIC_RELEASE, SYSTEM);
  while (__opencl_atomic_load(word, __ATOMIC_ACQUIRE, SYSTEM) != 0) __builtin_amdgcn_s_sleep(1);
}

void print(const global char* text) {
  uint n = 0;
  for (; n < 247 && text[n] != 0; ++n) mailbox->text[n] = text[n];
  mailbox->text[n] = 0;
  ask(1);
}

global int begun;

kernel void _begin(int argc, global char* global* argv, global char* global* envp) { begun = 1; }

kernel void _start(int argc, global char* global* argv, global char* global* envp, global int* ret) {
  if (!begun || argv[argc] != 0) __builtin_trap();
  for (int n = 0; n < argc; ++n) print(argv[n]);
  *ret = argc;
}

kernel void _end(int value) {
  mailbox->value = value;
  ask(2);
}
