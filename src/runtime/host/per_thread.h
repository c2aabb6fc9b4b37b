// An object of each host thread.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace gcnjit::runtime {

// Made when a thread first asks for it, and destroyed when that thread ends (the main thread's
// stays until the process ends). Unlike a thread_local object with a destructor, for which glibc
// ends the process where the host has no memory left, it throws std::bad_alloc there. The pointer
// is part of the memory that a thread begins with, for the same reason.
template <typename T>
class PerThread {
 public:
  static T& Current() {
    if (current_ == nullptr) [[unlikely]]
      Make();
    return *current_;
  }

 private:
  static pthread_key_t NewKey() {
    pthread_key_t key = 0;
    if (pthread_key_create(&key, Destroy) != 0) throw std::bad_alloc();
    return key;
  }
  static void Make() {
    static const pthread_key_t key = NewKey();
    auto object = std::make_unique<T>();
    if (pthread_setspecific(key, object.get()) != 0) throw std::bad_alloc();
    current_ = object.release();
  }
  static void Destroy(void* object) {
    current_ = nullptr;
    delete static_cast<T*>(object);
  }

  [[gnu::tls_model("initial-exec")]] static inline thread_local constinit T* current_ = nullptr;
};

}  // namespace gcnjit::runtime
