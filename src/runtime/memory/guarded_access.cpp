#include "runtime/memory/guarded_access.h"

// All of them between two labels, and none of them moves the stack pointer: the way out after a
// fault is the same for all, a return of 0.
asm(R"(
    .text
    .p2align 4
    .hidden gcnjit_guarded_begin
    .globl gcnjit_guarded_begin
gcnjit_guarded_begin:

    .hidden gcnjit_guarded_copy
    .globl gcnjit_guarded_copy
    .type gcnjit_guarded_copy, @function
gcnjit_guarded_copy:                  # (rdi: to, rsi: from, rdx: bytes)
    .cfi_startproc
    cmp $16, %rdx
    jb 2f
1:  vmovdqu (%rsi), %xmm0
    vmovdqu %xmm0, (%rdi)
    add $16, %rsi
    add $16, %rdi
    sub $16, %rdx
    cmp $16, %rdx
    jae 1b
2:  test $8, %dl
    jz 3f
    mov (%rsi), %rax
    mov %rax, (%rdi)
    add $8, %rsi
    add $8, %rdi
3:  test $4, %dl
    jz 4f
    mov (%rsi), %eax
    mov %eax, (%rdi)
    add $4, %rsi
    add $4, %rdi
4:  test $2, %dl
    jz 5f
    movzwl (%rsi), %eax
    movw %ax, (%rdi)
    add $2, %rsi
    add $2, %rdi
5:  test $1, %dl
    jz 6f
    movzbl (%rsi), %eax
    movb %al, (%rdi)
6:  mov $1, %eax
    ret
    .cfi_endproc
    .size gcnjit_guarded_copy, . - gcnjit_guarded_copy

    .hidden gcnjit_guarded_exchange32
    .globl gcnjit_guarded_exchange32
    .type gcnjit_guarded_exchange32, @function
gcnjit_guarded_exchange32:            # (rdi: at, rsi: expected, edx: desired)
    .cfi_startproc
    mov (%rsi), %eax
    lock cmpxchg %edx, (%rdi)
    jne 1f
    mov $1, %eax
    ret
1:  mov %eax, (%rsi)
    mov $2, %eax
    ret
    .cfi_endproc
    .size gcnjit_guarded_exchange32, . - gcnjit_guarded_exchange32

    .hidden gcnjit_guarded_exchange64
    .globl gcnjit_guarded_exchange64
    .type gcnjit_guarded_exchange64, @function
gcnjit_guarded_exchange64:            # (rdi: at, rsi: expected, rdx: desired)
    .cfi_startproc
    mov (%rsi), %rax
    lock cmpxchg %rdx, (%rdi)
    jne 1f
    mov $1, %eax
    ret
1:  mov %rax, (%rsi)
    mov $2, %eax
    ret
    .cfi_endproc
    .size gcnjit_guarded_exchange64, . - gcnjit_guarded_exchange64

    .hidden gcnjit_guarded_end
    .globl gcnjit_guarded_end
gcnjit_guarded_end:

    .hidden gcnjit_guarded_failed
    .globl gcnjit_guarded_failed
gcnjit_guarded_failed:
    .cfi_startproc
    xor %eax, %eax
    ret
    .cfi_endproc
)");

extern "C" {
[[gnu::visibility("hidden")]] int gcnjit_guarded_copy(void* to, const void* from, size_t bytes);
[[gnu::visibility("hidden")]] int gcnjit_guarded_exchange32(uint32_t* at, uint32_t* expected,
                                                            uint32_t desired);
[[gnu::visibility("hidden")]] int gcnjit_guarded_exchange64(uint64_t* at, uint64_t* expected,
                                                            uint64_t desired);
[[gnu::visibility("hidden")]] extern const char gcnjit_guarded_begin[];
[[gnu::visibility("hidden")]] extern const char gcnjit_guarded_end[];
[[gnu::visibility("hidden")]] extern const char gcnjit_guarded_failed[];
}

namespace gcnjit::runtime {

bool GuardedCopy(void* to, const void* from, size_t bytes) {
  return gcnjit_guarded_copy(to, from, bytes) != 0;
}

GuardedExchange GuardedCompareExchange(uint32_t* at, uint32_t* expected, uint32_t desired) {
  return static_cast<GuardedExchange>(gcnjit_guarded_exchange32(at, expected, desired));
}
GuardedExchange GuardedCompareExchange(uint64_t* at, uint64_t* expected, uint64_t desired) {
  return static_cast<GuardedExchange>(gcnjit_guarded_exchange64(at, expected, desired));
}

uint64_t ResumeAfterGuardedAccess(uint64_t pc) {
  const auto begin = reinterpret_cast<uint64_t>(gcnjit_guarded_begin);
  const auto end = reinterpret_cast<uint64_t>(gcnjit_guarded_end);
  return pc >= begin && pc < end ? reinterpret_cast<uint64_t>(gcnjit_guarded_failed) : 0;
}

}  // namespace gcnjit::runtime
