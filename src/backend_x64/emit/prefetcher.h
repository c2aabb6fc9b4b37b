// Requests for memory that the wave, or a later one, will load soon.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "backend_x64/emit/block_version.h"
#include "backend_x64/emit/prefetch.h"
#include "backend_x64/emit/run_address.h"
#include "backend_x64/emit/scalar_registers.h"
#include "backend_x64/plan/prefetch_plan.h"

namespace gcnjit::backend {

class Prefetcher {
 public:
  Prefetcher(RegionAssembler& region, const BlockVersion& version, const Cursor& at,
             ValueMemory& memory, ScalarRegisters& scalars);

  // How many places the block accesses, and how many groups of a stage's accesses load.
  void SetPlaces(size_t places) { places_ = places; }
  void SetLoadedRuns(size_t runs) { loaded_runs_ = runs; }

  // ---- For later waves
  // Where an access of the indexed form will be next. None: it is not known, or another access
  // requests it.
  std::optional<Lookahead> LookaheadOf(const ir::Inst& access);
  LookaheadMemory MemoryOf(const Lookahead& lookahead);
  // Of a load of a run of so many bytes, whose address is in rax or where `run` says: its lines
  // ahead are requested when other loads have been emitted, by turns with theirs. False: they
  // cannot wait.
  bool PutOff(const Lookahead& lookahead, const RunAddress& run, int bytes);
  // Requests what has been put off, if all loads that it waits for have been emitted.
  void AskIfAllAreThere() {
    if (put_off_.size() == loaded_runs_) AskByTurns();
  }
  void AskByTurns();
  // Of a run whose accesses have all been emitted: gives back its register, now or when what has
  // been put off is requested.
  void FreeRunRegister(int gpr);
  // May a store of all lanes' dwords go past the caches where RegionContext::exceeds_caches? Others
  // see it later than what its wave stores after it: it has to be the last one of a kernel of one
  // block. And where the block loads, it wants the caches.
  bool MayGoPastCaches(ir::Value store) const;

  // ---- For the next iteration of a loop of several blocks, a cache line each
  struct Request {
    const AheadLoad* load = nullptr;
    std::optional<int> gpr = {};  // that has EmitBase's result
    int lane = 0;                 // of the slice, the first of AheadLoad::kLanes
    int line = 0;
  };
  // Those that a slice of the stage makes, in the order of their loads.
  std::vector<Request> Prepare(const Stage& stage);
  void Emit(const Request& request);
  void Free(const std::vector<Request>& requests);

 private:
  bool IsLastStore(ir::Value store) const;
  bool AsksAfterLoads() const;
  void EmitBase(const AheadLoad& load, const x86::Gp& base);

  // What has been put off.
  struct StreamRequest {
    int gpr = -1;
    bool owns_gpr = false;
    int32_t offset = 0;
    int bytes = 0;
  };

  x86::Assembler& a;
  RegionAssembler& region_;
  const BlockVersion& version_;
  const Cursor& at_;
  const BlockContext& block_;
  ValueMemory& memory_;
  ScalarRegisters& scalars_;
  Streams streams_;
  std::map<int, ir::Value> last_stores_;  // but to LDS, by wave; -1: any
  size_t places_ = 0;
  size_t loaded_runs_ = 0;
  std::vector<StreamRequest> put_off_;
};

}  // namespace gcnjit::backend
