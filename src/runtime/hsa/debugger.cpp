// What ROCm's debugger reads to find the code objects that are loaded. It stays as ROCr's is before
// hsa_init, which is to say that there are none: there is no device to debug either. It is here for
// programs that are linked against it.
// Source: ROCr, core/runtime/runtime.cpp, which fills it in, and ROCm dbgapi.
#include <link.h>

extern "C" __attribute__((visibility("default"))) r_debug _amdgpu_r_debug;
r_debug _amdgpu_r_debug = {};
