// Litmus tests: each launch is one party, each lane a test of its own. Parties wait for each other
// before each round, so that they are at it at the same time; not for ever, since a host thread may
// have lost its processor.
// The names are the usual ones: message passing, store buffering, load buffering, coherence of two
// reads, independent reads of independent writes.
#define DEVICE memory_scope_device
#define LOAD(p, order) __opencl_atomic_load(p, order, DEVICE)
#define STORE(p, v, order) __opencl_atomic_store(p, v, order, DEVICE)
#define COMPILER_FENCE() __asm__ volatile("" ::: "memory")

#define PARTY global atomic_uint *arrived, uint parties, uint rounds

static void Meet(global atomic_uint* arrived, uint parties, uint round) {
  __opencl_atomic_fetch_add(arrived, 1u, memory_order_relaxed, DEVICE);
  const uint all = (round + 1) * parties * 64;
  for (uint n = 0; n < 3000 && LOAD(arrived, memory_order_relaxed) < all; ++n) {
  }
}

#define ROUNDS                                             \
  for (uint round = 0, at = __builtin_amdgcn_workitem_id_x(); \
       Meet(arrived, parties, round), round < rounds; ++round, at += 64)

// Store buffering. Forbidden: both parties read 0.
#define SB(name, store, between, load)                                             \
  kernel void name(PARTY, global uint* x, global uint* y, global uint* seen) { \
    ROUNDS {                                                                       \
      store;                                                                       \
      between;                                                                     \
      seen[at] = load;                                                             \
    }                                                                              \
  }
#define AT(p) ((global atomic_uint*)(p) + at)
SB(sb_seq_cst, STORE(AT(x), 1u, memory_order_seq_cst), , LOAD(AT(y), memory_order_seq_cst))
SB(sb_fence, STORE(AT(x), 1u, memory_order_relaxed), __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"),
   LOAD(AT(y), memory_order_relaxed))
SB(sb_exchange, __opencl_atomic_exchange(AT(x), 1u, memory_order_seq_cst, DEVICE), ,
   LOAD(AT(y), memory_order_seq_cst))
// No fence: both may read 0.
SB(sb_plain, x[at] = 1, COMPILER_FENCE(), y[at])

// Message passing. Forbidden: the flag is seen, the data is not. seen: flag + 2 * data.
kernel void mp_send(PARTY, global uint* data, global uint* flag, global uint* seen) {
  ROUNDS {
    data[at] = 1;
    STORE(AT(flag), 1u, memory_order_release);
  }
}
kernel void mp_receive(PARTY, global uint* data, global uint* flag, global uint* seen) {
  ROUNDS {
    const uint f = LOAD(AT(flag), memory_order_acquire);
    seen[at] = f + 2 * data[at];
  }
}

// Load buffering. Forbidden: both parties read 1.
kernel void lb(PARTY, global uint* x, global uint* y, global uint* seen) {
  ROUNDS {
    const uint r = LOAD(AT(y), memory_order_acquire);
    STORE(AT(x), 1u, memory_order_release);
    seen[at] = r;
  }
}

// Coherence. Forbidden: a later read sees an earlier value. seen: first + 4 * second.
kernel void corr_write(PARTY, global uint* x, global uint* y, global uint* seen) {
  ROUNDS {
    STORE(AT(x), 1u, memory_order_relaxed);
    STORE(AT(x), 2u, memory_order_relaxed);
  }
}
kernel void corr_read(PARTY, global uint* x, global uint* y, global uint* seen) {
  ROUNDS {
    const uint first = LOAD(AT(x), memory_order_relaxed);
    const uint second = LOAD(AT(x), memory_order_relaxed);
    seen[at] = first + 4 * second;
  }
}

// Independent reads of independent writes. Forbidden: the readers see the writes in different
// orders. seen: first + 2 * second.
kernel void iriw_write(PARTY, global uint* x, global uint* y, global uint* seen) {
  ROUNDS { STORE(AT(x), 1u, memory_order_seq_cst); }
}
kernel void iriw_read(PARTY, global uint* x, global uint* y, global uint* seen) {
  ROUNDS {
    const uint first = LOAD(AT(x), memory_order_seq_cst);
    const uint second = LOAD(AT(y), memory_order_seq_cst);
    seen[at] = first + 2 * second;
  }
}

// Whole words: a lane's aligned 8 or 16 bytes are read and written in one piece. The dwords of the
// writer's words are equal. seen: words read that have others. `place` says which word is a lane's:
// how the addresses of the lanes follow each other decides how the access is done.
#define TRIES 16
#define EQUAL_DWORDS(value) ((ulong)(value) << 32 | (value))
static uint IsTorn(ulong word) { return (uint)(word >> 32) != (uint)word; }
#define WORDS(name, place, may_write)                                                          \
  kernel void name##_write(PARTY, global uint* x, global uint* y, global uint* seen) {         \
    const uint lane = __builtin_amdgcn_workitem_id_x();                                        \
    global atomic_ulong* word = (global atomic_ulong*)x + (place);                             \
    ROUNDS {                                                                                   \
      for (uint n = 1; n <= TRIES; ++n) {                                                      \
        if (may_write) STORE(word, EQUAL_DWORDS(round * TRIES + n), memory_order_relaxed);     \
      }                                                                                        \
    }                                                                                          \
  }                                                                                            \
  kernel void name##_read(PARTY, global uint* x, global uint* y, global uint* seen) {          \
    const uint lane = __builtin_amdgcn_workitem_id_x();                                        \
    global atomic_ulong* word = (global atomic_ulong*)x + (place);                             \
    ROUNDS {                                                                                   \
      uint torn = 0;                                                                           \
      for (uint n = 0; n < TRIES; ++n) torn += IsTorn(LOAD(word, memory_order_relaxed));       \
      seen[at] = torn;                                                                         \
    }                                                                                          \
  }                                                                                            \
  kernel void name##_quad_write(PARTY, global uint* x, global uint* y, global uint* seen) {    \
    const uint lane = __builtin_amdgcn_workitem_id_x();                                        \
    volatile global uint4* word = (volatile global uint4*)x + (place);                         \
    ROUNDS {                                                                                   \
      for (uint n = 1; n <= TRIES; ++n) {                                                      \
        if (may_write) *word = (uint4)(round * TRIES + n);                                     \
      }                                                                                        \
    }                                                                                          \
  }                                                                                            \
  kernel void name##_quad_read(PARTY, global uint* x, global uint* y, global uint* seen) {     \
    const uint lane = __builtin_amdgcn_workitem_id_x();                                        \
    const volatile global uint4* word = (const volatile global uint4*)x + (place);             \
    ROUNDS {                                                                                   \
      uint torn = 0;                                                                           \
      for (uint n = 0; n < TRIES; ++n) {                                                       \
        const uint4 value = *word;                                                             \
        torn += value.x != value.y || value.y != value.z || value.z != value.w;                \
      }                                                                                        \
      seen[at] = torn;                                                                         \
    }                                                                                          \
  }
WORDS(words_in_order, lane, true)
WORDS(words_in_part, lane, lane % 3 != 0)
WORDS(words_reversed, 63 - lane, true)
WORDS(word_of_all, 0 * lane, lane == 0)
WORDS(word_by_all, 0 * lane, true)
WORDS(word_of_one_lane, lane == 5 ? 7 : 9, lane == 5)
