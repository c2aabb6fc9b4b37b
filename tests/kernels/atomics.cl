// Atomics: 32 and 64 bits, local and global, OpenCL 1 style, C11 style, and float by compare and
// swap.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

// All work-items on the same words; the old values are not read.
kernel void atomic_shared32(global int* s, global uint* u, global const int* in) {
  const int v = in[get_global_id(0)];
  atomic_add(&s[0], v);
  atomic_sub(&s[1], v);
  atomic_min(&s[2], v);
  atomic_max(&s[3], v);
  atomic_inc(&u[0]);
  atomic_dec(&u[1]);
  atomic_min(&u[2], (uint)v);
  atomic_max(&u[3], (uint)v);
  atomic_and(&u[4], (uint)v | 0xff);
  atomic_or(&u[5], (uint)v & 0xff00);
  atomic_xor(&u[6], (uint)v);
}

kernel void atomic_shared64(global long* s, global ulong* u, global const long* in) {
  const long v = in[get_global_id(0)];
  atom_add(&s[0], v);
  atom_sub(&s[1], v);
  atom_min(&s[2], v);
  atom_max(&s[3], v);
  atom_inc(&u[0]);
  atom_dec(&u[1]);
  atom_min(&u[2], (ulong)v);
  atom_max(&u[3], (ulong)v);
  atom_and(&u[4], (ulong)v | 0xff);
  atom_or(&u[5], (ulong)v & 0xff00);
  atom_xor(&u[6], (ulong)v);
}

// Each work-item on its own word, so that the old values are known.
kernel void atomic_old32(global int* words, global int* old, global const int* in) {
  const size_t i = get_global_id(0);
  const int v = in[i];
  global int* w = words + i;
  global int* o = old + i * 12;
  o[0] = atomic_add(w, v);
  o[1] = atomic_sub(w, v * 3);
  o[2] = atomic_xor(w, 0x5555);
  o[3] = atomic_min(w, v);
  o[4] = atomic_max((global uint*)w, (uint)v);
  o[5] = atomic_cmpxchg(w, v, 17);
  o[6] = atomic_cmpxchg(w, 17, v ^ 1);
  o[7] = atomic_xchg(w, v + 5);
  o[8] = atomic_and(w, 0x7ffffff0);
  o[9] = atomic_or(w, 3);
  o[10] = atomic_inc(w);
  o[11] = atomic_dec(w);
}

kernel void atomic_old64(global long* words, global long* old, global const long* in) {
  const size_t i = get_global_id(0);
  const long v = in[i];
  global long* w = words + i;
  global long* o = old + i * 10;
  o[0] = atom_add(w, v);
  o[1] = atom_sub(w, v * 3);
  o[2] = atom_xor(w, 0x5555555500000000l);
  o[3] = atom_min(w, v);
  o[4] = atom_max((global ulong*)w, (ulong)v);
  o[5] = atom_cmpxchg(w, v, 17l);
  o[6] = atom_cmpxchg(w, 17l, v ^ 1);
  o[7] = atom_xchg(w, v + 5);
  o[8] = atom_and(w, 0x7ffffffffffffff0l);
  o[9] = atom_or(w, 3l);
}

kernel void atomic_local32(global int* out, global const int* in) {
  local int s[8];
  local int own[64];
  const size_t l = get_local_id(0);
  if (l < 8) s[l] = l == 6 ? -1 : 0;
  own[l] = (int)l;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int v = in[get_global_id(0)];
  atomic_add(&s[0], v);
  atomic_sub(&s[1], v);
  atomic_min(&s[2], v);
  atomic_max(&s[3], v);
  atomic_max((local uint*)&s[4], (uint)v);
  atomic_or(&s[5], v & 0xff00);
  atomic_and(&s[6], v | 0xfff);
  atomic_xor(&s[7], v);
  int old = atomic_add(&own[l], v);
  old = old * 3 + atomic_cmpxchg(&own[l], (int)l + v, 100);
  old = old * 3 + atomic_cmpxchg(&own[l], -5, 200);
  old = old * 3 + atomic_xchg(&own[l], v);
  old = old * 3 + atomic_inc(&own[l]);
  out[2 * get_global_id(0)] = old + own[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[2 * get_global_id(0) + 1] = s[l % 8];
}

kernel void atomic_local64(global long* out, global const long* in) {
  local long s[8];
  local long own[64];
  const size_t l = get_local_id(0);
  if (l < 8) s[l] = l == 6 ? -1 : 0;
  own[l] = (long)l;
  barrier(CLK_LOCAL_MEM_FENCE);
  const long v = in[get_global_id(0)];
  atom_add(&s[0], v);
  atom_sub(&s[1], v);
  atom_min(&s[2], v);
  atom_max(&s[3], v);
  atom_max((local ulong*)&s[4], (ulong)v);
  atom_or(&s[5], v & 0xff00ff0000l);
  atom_and(&s[6], v | 0xfff);
  atom_xor(&s[7], v);
  long old = atom_add(&own[l], v);
  old = old * 3 + atom_cmpxchg(&own[l], (long)l + v, 100l);
  old = old * 3 + atom_cmpxchg(&own[l], -5l, 200l);
  old = old * 3 + atom_xchg(&own[l], v);
  old = old * 3 + atom_inc(&own[l]);
  out[2 * get_global_id(0)] = old + own[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[2 * get_global_id(0) + 1] = s[l % 8];
}

// Tickets: each number exactly once. Exchanges: the old values form a chain.
kernel void atomic_tickets(global uint* counter, global uint* owner, global uint* slot,
                           global uint* previous) {
  const uint i = get_global_id(0);
  owner[atomic_inc(counter)] = i;
  previous[i] = atomic_xchg(slot, i);
}

// Appends the even numbers to a list.
kernel void atomic_append(global uint* list, global uint* count, global const uint* in) {
  local uint kept[128];
  local uint kept_count, base;
  const uint l = get_local_id(0), v = in[get_global_id(0)];
  if (l == 0) kept_count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (v % 2 == 0) kept[atomic_inc(&kept_count)] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) base = atomic_add(count, kept_count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < kept_count) list[base + l] = kept[l];
}

void add_float(volatile global uint* word, float value) {
  uint seen = *word, wanted;
  do {
    wanted = seen;
    seen = atomic_cmpxchg(word, wanted, as_uint(as_float(wanted) + value));
  } while (seen != wanted);
}

kernel void atomic_float_cas(global uint* words, global ulong* doubles, global const float* in) {
  const float v = in[get_global_id(0)];
  add_float(&words[get_global_id(0) % 3], v);
  volatile global ulong* word = &doubles[get_global_id(0) % 2];
  ulong seen = *word, wanted;
  do {
    wanted = seen;
    seen = atom_cmpxchg(word, wanted, as_ulong(as_double(wanted) + v));
  } while (seen != wanted);
}

kernel void atomic_c11(volatile global atomic_int* s, volatile global atomic_uint* u,
                       volatile global atomic_long* l, volatile global atomic_ulong* ul,
                       global const int* in) {
  const int v = in[get_global_id(0)];
  atomic_fetch_add_explicit(&s[0], v, memory_order_relaxed, memory_scope_device);
  atomic_fetch_sub_explicit(&s[1], v, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_min_explicit(&s[2], v, memory_order_seq_cst, memory_scope_device);
  atomic_fetch_max_explicit(&s[3], v, memory_order_acquire, memory_scope_all_svm_devices);
  atomic_fetch_or_explicit(&u[0], (uint)v & 0xf0f0, memory_order_release, memory_scope_device);
  atomic_fetch_and_explicit(&u[1], (uint)v | 0xffff, memory_order_relaxed, memory_scope_device);
  atomic_fetch_xor_explicit(&u[2], (uint)v, memory_order_relaxed, memory_scope_device);
  atomic_fetch_max_explicit(&u[3], (uint)v, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(&l[0], (long)v << 16, memory_order_relaxed, memory_scope_device);
  atomic_fetch_min_explicit(&l[1], (long)v << 16, memory_order_relaxed, memory_scope_device);
  atomic_fetch_max_explicit(&ul[0], (ulong)(long)v, memory_order_relaxed, memory_scope_device);
  int seen = atomic_load_explicit(&s[4], memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_weak_explicit(&s[4], &seen, seen * 2 - seen + (v & 15),
                                                memory_order_acq_rel, memory_order_relaxed,
                                                memory_scope_device)) {
  }
}

// Smallest and largest float by compare and swap; most work-items give up early.
kernel void atomic_float_min_max(volatile global atomic_uint* lowest,
                                 volatile global atomic_uint* highest, global const float* in) {
  const float v = in[get_global_id(0)];
  uint seen = atomic_load_explicit(lowest, memory_order_relaxed, memory_scope_device);
  while (v < as_float(seen)) {
    if (atomic_compare_exchange_strong_explicit(lowest, &seen, as_uint(v), memory_order_relaxed,
                                                memory_order_relaxed, memory_scope_device)) {
      break;
    }
  }
  seen = atomic_load_explicit(highest, memory_order_relaxed, memory_scope_device);
  while (v > as_float(seen)) {
    if (atomic_compare_exchange_strong_explicit(highest, &seen, as_uint(v), memory_order_relaxed,
                                                memory_order_relaxed, memory_scope_device)) {
      break;
    }
  }
}

// A lock held by one work-item of a group; what it guards is plain memory.
kernel void atomic_lock(volatile global atomic_int* lock, volatile global int* counter,
                        global int* order) {
  local int total;
  if (get_local_id(0) == 0) total = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&total, (int)get_local_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire,
                                                    memory_order_relaxed, memory_scope_device)) {
      expected = 0;
    }
    counter[0] = counter[0] + total;
    order[counter[1]] = get_group_id(0);
    counter[1] = counter[1] + 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
  }
}

// Hardware increment and decrement that wrap at a bound.
kernel void atomic_wrap(global uint* words, global uint* old, uint bound) {
  const size_t i = get_global_id(0);
  local uint cell[64];
  const uint l = get_local_id(0);
  cell[l] = words[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = __builtin_amdgcn_atomic_inc32(&words[i], bound, __ATOMIC_RELAXED, "agent");
  sum = sum * 31 + __builtin_amdgcn_atomic_inc32(&words[i], bound, __ATOMIC_RELAXED, "agent");
  sum = sum * 31 + __builtin_amdgcn_atomic_dec32(&words[i], bound - 2, __ATOMIC_RELAXED, "agent");
  sum = sum * 31 + __builtin_amdgcn_atomic_inc32(&cell[l], bound, __ATOMIC_RELAXED, "workgroup");
  sum = sum * 31 +
        __builtin_amdgcn_atomic_dec32(&cell[l], bound - 1, __ATOMIC_RELAXED, "workgroup");
  old[i] = sum * 31 + cell[l];
}
