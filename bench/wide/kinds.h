// The tables of the wide benchmark, one a file.
#pragma once

#include "wide/row.h"

namespace gcnjit::bench::wide {

extern const Rows kDense, kSparse, kStencil, kDynamic, kGraph, kSort, kScan, kFft, kParticles,
    kImage, kCodec, kHash, kTree, kRandom, kNumber, kLayout, kText;

inline const Rows* const kKinds[] = {&kDense, &kSparse, &kStencil,   &kDynamic, &kGraph, &kSort,
                                     &kScan,  &kFft,    &kParticles, &kImage,   &kCodec, &kHash,
                                     &kTree,  &kRandom, &kNumber,    &kLayout,  &kText};

}  // namespace gcnjit::bench::wide
