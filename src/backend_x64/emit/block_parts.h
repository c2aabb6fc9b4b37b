// What the emitter of a block is made of: where emission stands, where values are, and how the
// block's memory accesses are done together.
#pragma once

#include "backend_x64/emit/block_sites.h"
#include "backend_x64/emit/block_version.h"
#include "backend_x64/emit/contiguous_accesses.h"
#include "backend_x64/emit/cursor.h"
#include "backend_x64/emit/environment.h"
#include "backend_x64/emit/lane_isa.h"
#include "backend_x64/emit/lane_registers.h"
#include "backend_x64/emit/lds_accesses.h"
#include "backend_x64/emit/plane_rows.h"
#include "backend_x64/emit/pointer_slots.h"
#include "backend_x64/emit/prefetcher.h"
#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/emit/scalar_registers.h"
#include "backend_x64/emit/stream_buffers.h"
#include "backend_x64/emit/value_memory.h"
#include "backend_x64/emit/wave_runs.h"

namespace gcnjit::backend {

// The memory accesses of a block.
struct BlockAccesses {
  BlockAccesses(RegionAssembler& region, BlockVersion& version, Cursor& at, ValueMemory& memory,
                LaneRegisters& lanes, ScalarRegisters& scalars, LaneIsa& isa)
      : sites(region, at.block, memory),
        pointers(region, at, memory, isa),
        streams(region, at, memory),
        lds(region, version, at, memory, scalars),
        prefetcher(region, version, at, memory, scalars),
        runs(at, memory, lanes, scalars, prefetcher),
        planes(region, at, memory, sites, runs),
        wave_runs(region, at, memory, sites, runs, planes) {}

  BlockSites sites;
  PointerSlots pointers;
  StreamBuffers streams;
  LdsAccesses lds;
  Prefetcher prefetcher;
  ContiguousAccesses runs;
  PlaneRows planes;
  WaveRuns wave_runs;
};

struct BlockParts {
  BlockParts(RegionAssembler& the_region, BlockVersion& the_version, const BlockContext& the_block,
             LaneIsa& the_isa)
      : region(the_region),
        version(the_version),
        block(the_block),
        isa(the_isa),
        at(block),
        environment(region),
        memory(region, at),
        lanes(region, at, memory, isa),
        scalars(region, at, memory),
        accesses(region, version, at, memory, lanes, scalars, isa) {}
  BlockParts(const BlockParts&) = delete;
  BlockParts& operator=(const BlockParts&) = delete;

  RegionAssembler& region;
  BlockVersion& version;
  const BlockContext& block;
  LaneIsa& isa;
  Cursor at;
  Environment environment;
  ValueMemory memory;
  LaneRegisters lanes;
  ScalarRegisters scalars;
  BlockAccesses accesses;
};

}  // namespace gcnjit::backend
