// Which registers generated kernels use for what (KernelWriter), and where their data lies.
#pragma once

#include <cstdint>

namespace gcnjit::differential {

// The data: a part for atomics, one that has a row or column for each work-item to write to, and
// from there on what is only read.
inline constexpr uint32_t kAtomicBytes = 256;
inline constexpr uint32_t kOutputBytes = 8192;
inline constexpr uint32_t kInputAt = kAtomicBytes + kOutputBytes;

// SGPRs, beside those of registers.h. Random instructions write the pool and VCC.
inline constexpr uint32_t kWalkingBase = 40;      // s[40:43], by depth of loops: a pointer's base
inline constexpr uint32_t kKernelArguments = 56;  // s[56:63], see KernelWriter::DrawArguments
inline constexpr uint32_t kTrips = 56;
inline constexpr uint32_t kInnerTrips = 57;
inline constexpr uint32_t kStride = 58;
inline constexpr uint32_t kBound = 59;
inline constexpr uint32_t kFirst = 60;
inline constexpr uint32_t kLaneTrips = 61;
inline constexpr uint32_t kColumnStep = 62;
inline constexpr uint32_t kSecondBound = 63;
inline constexpr uint32_t kInput = 64;      // s[64:65]: address
inline constexpr uint32_t kOutput = 66;     // s[66:67]
inline constexpr uint32_t kCounter = 72;    // s72, s73: by depth of loops
inline constexpr uint32_t kStepBytes = 74;  // s74, s75: likewise
inline constexpr uint32_t kLoopExec =
    76;  // s[76:83]: EXEC before, and lanes that are done, by depth
inline constexpr uint32_t kInnerExec = 84;    // s[84:85]: of guards within loops
inline constexpr uint32_t kWalk = 86;         // s[86:87]: a scalar pointer
inline constexpr uint32_t kInputAtSgpr = 88;  // what kInput and kOutput are within the buffer
inline constexpr uint32_t kOutputAtSgpr = 89;
inline constexpr uint32_t kScalarTemp = 90;  // s90, s91
inline constexpr uint32_t kKernelExec = 92;  // s[92:93]
inline constexpr uint32_t kTileStep = 94;    // s94, s95

// VGPRs. Random instructions write the first ones, and read those before kLdsAddress.
inline constexpr uint32_t kSums = 0;  // v[0:7]
inline constexpr uint32_t kSumCount = 8;
inline constexpr uint32_t kIdX = 8;  // v8 to v10: within the group
inline constexpr uint32_t kIdY = 9;
inline constexpr uint32_t kIdZ = 10;
inline constexpr uint32_t kLocal = 11;    // the number within the group
inline constexpr uint32_t kGlobal = 12;   // the number within the grid
inline constexpr uint32_t kGlobalX = 13;  // v13, v14
inline constexpr uint32_t kGlobalY = 14;
inline constexpr uint32_t kLaneCounter = 15;  // v15, v16: by depth
inline constexpr uint32_t kIndex = 17;
inline constexpr uint32_t kOwnPlace = 18;  // of the work-item's first dword of output
inline constexpr uint32_t kLdsAddress = 19;
inline constexpr uint32_t kPointers = 20;  // v[20:27]: two pairs a depth
inline constexpr uint32_t kOwnAddress = 28;
inline constexpr uint32_t kLoaded = 30;         // v[30:33]
inline constexpr uint32_t kTemp = 34;           // v[34:37]
inline constexpr uint32_t kExtraPointers = 38;  // v[38:41], one by depth
inline constexpr uint32_t kKernelVgprs = 42;

}  // namespace gcnjit::differential
