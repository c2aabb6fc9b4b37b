// Types of hsa_ext_amd.h that came after ROCm 5.2, for builds with its headers.
#pragma once

#include <hsa/hsa_ext_amd.h>

#if HSA_AMD_INTERFACE_VERSION_MAJOR == 1 && HSA_AMD_INTERFACE_VERSION_MINOR == 0
enum hsa_amd_sdma_engine_id_t : int {};
#endif
