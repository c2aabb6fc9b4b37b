// Boxes in one to three dimensions with a guard for each axis, as kernels have them. Their arguments
// come in several orders: what of them is loaded together, and in what order, depends on that.
#define GROUP_SIZE(axis) ((constant const ushort*)__builtin_amdgcn_dispatch_ptr())[2 + axis]

// As OpenCL has work-items' ids, with an offset that the host may give; and as HIP has them.
#define IDS_cl const uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2)
#define IDS_hip                                                                              \
  const uint x = __builtin_amdgcn_workgroup_id_x() * GROUP_SIZE(0) + __builtin_amdgcn_workitem_id_x(); \
  const uint y = __builtin_amdgcn_workgroup_id_y() * GROUP_SIZE(1) + __builtin_amdgcn_workitem_id_y(); \
  const uint z = __builtin_amdgcn_workgroup_id_z() * GROUP_SIZE(2) + __builtin_amdgcn_workitem_id_z()

#define IN_BOX(ids, nx, ny, nz)              \
  ids;                                       \
  if (x >= nx || y >= ny || z >= nz) return; \
  const uint i = (z * ny + y) * nx + x

#define VALUE (x * 3 + y * 5 + z * 7 + 1)

#define KERNELS(ids)                                                                              \
  kernel void box_out_first_##ids(global uint* out, uint nx, uint ny, uint nz) {                  \
    IN_BOX(IDS_##ids, nx, ny, nz);                                                                \
    out[i] = VALUE;                                                                               \
  }                                                                                               \
  kernel void box_out_last_##ids(uint nx, uint ny, uint nz, global uint* out) {                   \
    IN_BOX(IDS_##ids, nx, ny, nz);                                                                \
    out[i] = VALUE;                                                                               \
  }                                                                                               \
  kernel void box_out_between_##ids(uint nx, global uint* out, uint nz, uint ny) {                \
    IN_BOX(IDS_##ids, nx, ny, nz);                                                                \
    out[i] = VALUE;                                                                               \
  }                                                                                               \
  kernel void box_more_numbers_##ids(uint a, global uint* out, uint b, uint nz, uint ny, uint nx, \
                                     uint c) {                                                    \
    IN_BOX(IDS_##ids, nx, ny, nz);                                                                \
    out[i] = VALUE + a * x + b * y + c;                                                           \
  }                                                                                               \
  kernel void box_copy_##ids(global uint* out, global const uint* in, uint nx, uint ny,           \
                             uint nz) {                                                           \
    IN_BOX(IDS_##ids, nx, ny, nz);                                                                \
    out[i] = in[i] * 3 + VALUE;                                                                   \
  }                                                                                               \
  kernel void box_row_sum_##ids(global uint* out, uint ny, uint nz, global const uint* in,        \
                                uint nx) {                                                        \
    IN_BOX(IDS_##ids, nx, ny, nz);                                                                \
    const uint row = i - x;                                                                       \
    uint sum = VALUE;                                                                             \
    for (uint k = 0; k < nx; ++k) sum = sum * 5 + in[row + k];                                    \
    out[i] = sum;                                                                                 \
  }

KERNELS(cl)
KERNELS(hip)
