// lines.h as OpenCL C.
#define INLINE static inline __attribute__((always_inline))
#define GLOBAL global
#define KERNEL kernel
#define ID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
#include "lines.h"
