// Where the levels of a linear image are in memory, and how large they are. Of level n a side is
// that of level 0 shifted right by n, at least 1.
//
// gfx6-8: level after level, each with all of its slices. Rows, columns and slices are padded to
// powers of two (POW2_PAD), a level's pitch is level 0's shifted right, at least 8 texels and 64
// bytes, and raised until its slices are multiples of 64 texels and 256 bytes. Sources: AddrLib
// (ROCR-Runtime: siaddrlib.cpp, egbaddrlib.cpp, addrlib1.cpp) and libdrm radeon_surface.c
// (si_surface_init_linear_aligned), which agree where the sides are powers of two: others are
// refused. PAL gfx6Device.cpp, Mesa si_make_texture_descriptor (POW2_PAD).
//
// gfx9: slice after slice, each with all levels, one below the other; rows begin 256 bytes apart,
// or a multiple of that, in all levels alike. Before the next level its rows are halved and rounded
// up. PITCH is the number of these rows. Sources: AddrLib (gfx9addrlib.cpp, HwlComputeSurfaceInfo-
// Linear), PAL (addrMgr2.h, CalcEpitch), Mesa ac_surface.c (epitch).
#pragma once

#include "runtime/image/image_resource.h"

namespace gcnjit::runtime {

// Sets `level` and `levels` from the words and `level[0]`, which has the sides of the words and, of
// an image without levels, its pitch. "", or the field that is not as it has to be.
std::string FindImageLevels(frontend::Generation generation, const uint32_t (&words)[8],
                            ImageResource* resource);

}  // namespace gcnjit::runtime
