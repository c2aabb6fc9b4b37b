// Emits one block: its stages' scalar parts, and a loop over slices for their lane operations.
// Registers, homes and scalar code are the same for every host; what a lane operation looks like is
// the business of LaneEmitter's implementations (avx512/, avx2/).
//
// Register use of compiled code:
//   rbx  wave state          r12  RegionContext        rbp  slots (8 bytes each)
//   r13  state's VGPRs at the slice, where there are several
//   r14  temps at the slice  r15  first lane of the slice / 8
//   rax, rcx, rdx  scratch   rsi, rdi, r8-r11  scalar values
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend_x64/abi/region_abi.h"
#include "backend_x64/emit/fault_table.h"
#include "backend_x64/emit/lds_limit.h"
#include "backend_x64/emit/prefetch.h"
#include "backend_x64/emit/register_file.h"
#include "backend_x64/emit/slot_pool.h"
#include "backend_x64/emit/uniform_prologue.h"
#include "backend_x64/emit/use_lists.h"
#include "backend_x64/host/constant_pool.h"
#include "backend_x64/host/listing.h"
#include "backend_x64/plan/address_shape.h"
#include "backend_x64/plan/loop_prefetch.h"
#include "backend_x64/plan/repeated_parts.h"
#include "backend_x64/plan/shuffles.h"
#include "backend_x64/plan/stages.h"
#include "backend_x64/plan/tuning.h"
#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;

// Out-of-line code, emitted behind the function.
using ColdCode = std::function<void()>;

// What the blocks of a region share.
struct RegionShared {
  x86::Assembler& a;
  const StateLayout& layout;
  const Tuning& tuning;
  ConstantPool& constants;
  std::vector<MemorySite>& sites;    // emitters refer to them by address: reserve first
  const MemorySite* site_addresses;  // where the sites will be
  std::vector<ColdCode> cold;
  asmjit::Label exit;  // eax: ExitReason
  SlotPool slots;
  SlotPool temps;
  uint32_t base_mxcsr = 0x1F80;
  std::string error = {};                  // what could not be emitted: the region must not run
  Listing* listing = nullptr;              // if somebody wants one
  std::vector<ir::LaneShape> shapes = {};  // of the values of the block being emitted
  const ir::LanePatterns* patterns = nullptr;
  std::map<uint64_t, asmjit::Label> atomic_routines = {};  // by LaneAtomic::Key
  // The version of the block being emitted that takes any wave; not valid: it is that one.
  asmjit::Label general = {};
  bool wants_general = false;  // something goes there
  // Where waves may begin behind others of their group; not valid: at the block's begin. Not bound
  // if there is no such place (uniform_prologue.h).
  asmjit::Label follow = {};
  bool may_be_followed = false;  // `follow` will be bound
  bool is_in_no_order = false;   // IsInNoOrder, of the block being emitted
  // Of a group's code that the next group of a row may follow: where that begins, behind what they
  // have in common. Not valid: nobody follows.
  asmjit::Label row = {};
  RowStart row_start = {};
  UniformPrologue row_common = {};  // of the block being emitted
  uint32_t group_lds_bytes = 0;     // CompileOptions's
  std::vector<GuardedCode> guarded = {};
  std::vector<std::pair<size_t, asmjit::Label>> resumes = {};  // of these, where that is a label
  // What the block being emitted asks for on behalf of another one; nullptr: nothing.
  const std::vector<AheadLoad>* ahead = nullptr;
  // Another block asks for what the one being emitted will load in the next iteration.
  bool is_asked_for = false;
  std::map<int64_t, int> common_slots = {};  // of kSetCommon, by number

  int CommonSlot(int64_t number) {
    const auto [slot, is_new] = common_slots.try_emplace(number, 0);
    if (is_new) slot->second = slots.Take();
    return slot->second;
  }

  // What compiled code calls a site.
  uint32_t IndexOf(const MemorySite* site) const {
    return static_cast<uint32_t>(site - site_addresses);
  }
};

// The index of a run of the wave, which nobody wants as lanes: a scalar in memory, and what the
// first lane is more, shifted left.
struct LateIndex {
  x86::Mem scalar = {};
  uint32_t first_lane = 0;
  int shift = 0;
};

class BlockEmitter {
 public:
  // Host registers that values may be in, bit by bit.
  struct Registers {
    uint32_t vectors = 0;
    uint32_t masks = 0;
    uint32_t loop_masks = 0;  // instead of `masks`, if the block is a loop that slices run
  };
  BlockEmitter(RegionShared& shared, const ir::Function& function, const ir::Block& block,
               int lanes_per_register, const Registers& registers, bool masks_are_vectors);
  virtual ~BlockEmitter() = default;
  BlockEmitter(const BlockEmitter&) = delete;
  BlockEmitter& operator=(const BlockEmitter&) = delete;

  // Everything but the terminator; then EmitTerminator.
  void EmitBody();
  // The block is a loop that slices run to its end: EmitLoop instead of EmitBody. Behind it the
  // loop is over, unless RegionContext::loop_paused says that it has used up its iterations for
  // now.
  bool IsLoop() const { return plan_.loop.has_value(); }
  void EmitLoop();
  uint64_t AfterLoop() const { return plan_.loop->after; }

  // The terminator's value in a register, for the region's emitter.
  int UseScalar(ir::Value v);
  void FinishScalars() { gprs_.UnpinAll(); }
  const ir::Inst& terminator() const { return function_[block_.insts.back()]; }

 protected:
  // ---- For the implementations.
  x86::Assembler& a;
  RegionShared& shared_;
  const ir::Function& function_;
  const ir::Block& block_;

  // A bug of ours, or IR that breaks its rules: the region will not be used. Emission goes on.
  void Fail(const char* what) {
    if (shared_.error.empty()) shared_.error = what;
  }
  // For the listing: whose code comes next.
  void Note(ir::Value v) {
    if (shared_.listing != nullptr) shared_.listing->Op(v);
  }
  void NoteHeading(const char* text) {
    if (shared_.listing != nullptr) shared_.listing->Heading(text);
  }
  const ir::Inst& InstOf(ir::Value v) const { return function_[v]; }
  bool IsLaneValue(ir::Value v) const { return ir::IsLanes(function_[v].type); }
  int parts() const { return parts_; }

  // Emits a lane operation for one part. Operands by Use/UseMask, result by Def/DefMask.
  virtual void EmitPart(ir::Value v, const ir::Inst& inst, int part) = 0;
  // Emits a memory operation for one part.
  virtual void EmitMemoryPart(ir::Value v, const ir::Inst& inst, int part) = 0;
  virtual void LoadVector(int reg, const x86::Mem& from) = 0;
  virtual void StoreVector(const x86::Mem& to, int reg) = 0;
  virtual void Broadcast32(int reg, const x86::Mem& from) = 0;
  virtual void Broadcast64(int reg, const x86::Mem& from) = 0;
  // A part of a permutation, into a register that is none of its sources'. Changes eax.
  virtual void PermutePart(int to, const PartShuffle& part, const std::array<int, 2>& from) = 0;
  // Between lane loops, where no register holds lanes. Stores a whole value, whose lane l is lane
  // indices[l] / 4 % 64 of the one at `from`, 0 if that is not in `mask`. Or false.
  virtual bool BpermuteLanes(const x86::Mem& to, const x86::Mem& from, const x86::Mem& indices,
                             const x86::Gp& mask) = 0;
  // Masks of one part between a register and its bits in memory.
  virtual void LoadMask(int reg, const x86::Mem& from) = 0;
  virtual void StoreMask(const x86::Mem& to, int reg) = 0;
  virtual void SetMask(int reg, bool ones) = 0;
  virtual void MoveVector(int to, int from) = 0;
  virtual void MoveMask(int to, int from) = 0;
  // A register that no value is ever in.
  virtual int ScratchVector() const = 0;
  virtual int ScratchMask() const = 0;
  // Sets the zero flag if none of the masks has a lane.
  virtual void TestMasks(const std::vector<int>& masks) = 0;
  // Puts the mask of a part among the bits in a scalar register, which the first part clears. Only
  // where masks have registers of their own, as is the next one. Changes rax.
  virtual void AddToWaveMask(int gpr, int part, int mask) = 0;
  // All 64 bits from the masks of four parts.
  virtual void StoreWholeMask(const x86::Mem& to, int mask0, int mask1, int mask2, int mask3) = 0;

  // Register that holds a part of a lane value; scalars are broadcast. `component`: of a v64, or of
  // u64 used as lanes (0 and 1 alike).
  int Use(ir::Value v, int part, int component = 0);
  // The part of a lane value where it is in memory only and this stage has no further use for it,
  // so that no register needs to hold it.
  std::optional<x86::Mem> MemoryOperand(ir::Value v, int part, int component);
  // Of a value that is made of lanes' numbers and constants; not through more operations than
  // `depth`, since there may be ever so many ways to the same one.
  std::optional<uint32_t> KnownLane(ir::Value v, uint32_t lane, int depth = 6) const;
  // The part of a lane mask.
  int UseMask(ir::Value v, int part);
  // Gives up the registers of arguments that this part is the last to use: a result may take them.
  void FreeDying(const ir::Inst& inst, int part);
  // The register of v, which dies here, becomes the result's.
  int TakeOver(ir::Value v, int part, ir::Value result, int component = 0);
  int Def(ir::Value v, int part, int component = 0);
  int DefMask(ir::Value v, int part);
  // The compare that the operation takes in (fuse_compares.h); no value: it takes none.
  ir::Value FusedCompare(const ir::Inst& inst) const {
    for (int n = 0; n < inst.argument_count; ++n) {
      if (plan_.is_fused[inst.args[n].id] != 0) return inst.args[n];
    }
    return {};
  }
  // Is this the last use of the part of v, so that its register may be overwritten?
  bool Dies(ir::Value v, int part) const;

  bool IsRead(ir::Value v) const { return uses_.IsUsedAfter(v, position_); }
  // Is a scalar in a register for lanes already, or worth putting there for later uses?
  bool IsHeldOrWantedAgain(ir::Value v) {
    return vectors_.Holds(Unit::Broadcast(v)) ||
           uses_.NextAfter(v, position_) < uses_.EndOfStage(stage_);
  }
  bool IsConst(ir::Value v, uint64_t* value = nullptr) const {
    if (function_[v].op != ir::Op::kConst) return false;
    if (value != nullptr) *value = static_cast<uint64_t>(function_[v].imm);
    return true;
  }
  // Memory that holds a scalar or constant.
  x86::Mem ScalarMemory(ir::Value v, int byte_offset = 0);
  x86::Mem VgprMemory(int vgpr, int part) const;
  x86::Mem TempMemory(int temp, int part) const;
  x86::Mem SlotMemory(int slot, int byte_offset = 0) const;
  x86::Mem Constant32(uint32_t value) { return shared_.constants.Broadcast32(value); }
  x86::Mem Constant64(uint64_t value) { return shared_.constants.Broadcast64(value); }

  // Makes MXCSR that of an operation.
  void SetEnv(ir::FloatEnv env);
  uint32_t current_mxcsr() const { return mxcsr_; }

  // A register for the operation being emitted, out-of-line code included, or for all lane
  // operations of a stage; -1: there is none to spare.
  int TakeScratchGpr() { return gprs_.Reserve().value_or(-1); }
  void FreeScratchGpr(int gpr) {
    if (gpr >= 0) gprs_.Free(gpr);
  }

  // Loads from LDS in one stage whose address, mask and limit are the same values: of dwords, or
  // of anything if the address's shape is known.
  struct LdsGroup {
    ir::Value leader;  // the first of them
    AddressShape shape;
    uint32_t last_offset = 0;
    uint32_t end = 0;  // of the last one's data, from the lane's address on
    int count = 0;
    int temp = -1;
    int slots[4] = {-1, -1, -1, -1};  // by part
    int gpr = -1;                     // instead of slots[0], where one base serves all parts
  };
  // Accesses of LDS with the same address and limit, all of which are within bounds: the block's
  // begin made sure. They access the bytes [begin, end) from the first lane's address on.
  struct LdsGuard {
    ir::Value address;
    ir::Value limit;
    std::optional<uint32_t> first_lane;  // the address, if it is known when code is compiled
    int32_t begin = INT32_MAX;
    int32_t end = INT32_MIN;
    int loads = 0;
    int gpr = -1;  // of the stage being emitted, for what accesses count from in host memory
    bool is_there = false;

    // From there to the first lane's data.
    int32_t Offset(const ir::Inst& access) const {
      return static_cast<int32_t>(access.imm) + static_cast<int32_t>(first_lane.value_or(0));
    }
  };
  int32_t LdsSpan(const LdsGroup& group, int first, int end) const;
  // The part that stands for one of the value's (repeated_parts.h), and is it that itself?
  uint8_t StandInOf(ir::Value v, int part) const { return StandIn(part_bits_[v.id], part); }
  bool IsStandIn(ir::Value v, int part) const { return StandInOf(v, part) == part; }
  bool IsShared(ir::Value v) const { return part_bits_[v.id] != kAllPartBits; }
  int StandInsOf(ir::Value v) const { return CountStandIns(part_bits_[v.id], parts_); }
  // Are all parts of the operation being emitted emitted?
  bool HasNoGaps(ir::Value v) const { return StandInsOf(v) == parts_; }
  // Is the part what its VGPR in the wave's state holds?
  bool IsInState(ir::Value v, int part) const {
    return homes_[v.id].vgpr >= 0 && HasMemory({v, 0, static_cast<uint8_t>(part)});
  }
  // The dword of the part's first lane, of a value that has memory.
  x86::Mem FirstLane(ir::Value v, int part = 0) {
    x86::Mem memory = UnitMemory({v, 0, static_cast<uint8_t>(part)});
    memory.setSize(4);
    return memory;
  }
  // nullptr: the load is alone.
  const LdsGroup* LdsGroupOf(ir::Value v);
  bool IsShapedStore(const ir::Inst& inst, const AddressShape& shape) const;
  x86::Gp EmitGuardedBase(LdsGuard& guard);
  // nullptr: the access is not guarded.
  LdsGuard* GuardOf(ir::Value v) {
    return guard_of_.empty() || guard_of_[v.id] < 0 ? nullptr : &lds_guards_[guard_of_[v.id]];
  }

  // A register for the address of a run of consecutive elements: an earlier access has left its own
  // one there (`from`), which is `distance` bytes before this one's, or 0 if its lanes were no such
  // run; or this one is to leave it there (`to`). -1: neither.
  // Of the accesses that share it the first load, and the first store, sees to it that all loads,
  // or stores, are within its window: from `lowest` bytes behind its own address to `highest`
  // behind that. If they are not, `from` or `to` becomes 0.
  struct RunAddress {
    int from = -1;
    int32_t distance = 0;
    int to = -1;
    bool is_checked = false;  // that has been seen to
    int32_t lowest = 0;       // not above 0
    int32_t highest = 0;      // not below 0
    uint32_t last_index = 0;  // by so much an access's index may be above this one's

    // What has to become 0 if this access is no such run; -1: nothing.
    int KnownIn() const { return to >= 0 ? to : is_checked ? -1 : from; }
  };
  // To be asked for each access of the indexed form once, in the order of emission.
  RunAddress RunAddressOf(ir::Value v);
  // rax: where the access's lanes are, if it is known that those of the whole wave are a run: the
  // stage has looked at the window before its slices (EmitWaveRuns), and the code goes to `fail` if
  // the run is not there. False: it is not known, and nothing has been emitted.
  bool UseWaveRun(ir::Value v, AccessGuard& guard, const asmjit::Label& fail);

  // A load of dwords of the indexed form, most of which are in registers: an earlier load of all
  // lanes, which has left its address for this one (RunAddress), has them, so many lanes further
  // on. Where both are runs, that is; the registers are pinned. To be asked before RunAddressOf.
  struct ShiftedLoad {
    int lanes = 0;
    int from[4] = {-1, -1, -1, -1};  // by part
  };
  std::optional<ShiftedLoad> ShiftedLoadOf(ir::Value v);

  std::optional<LateIndex> LateIndexOf(ir::Value index);  // none: it is in registers

  // Where an access of the indexed form will be next. None: nobody knows, or somebody else asks.
  std::optional<Lookahead> LookaheadOf(const ir::Inst& inst);
  LookaheadMemory MemoryOf(const Lookahead& lookahead);
  // The block's few streams ask behind their loads for what the next wave will want.
  bool AsksBehindLoads() const;
  // Of a load of a run of so many bytes, whose address is in rax or where `run` says: its lines
  // ahead are asked for when other loads have been emitted, by turns with theirs. False: they
  // cannot wait.
  bool PutOff(const Lookahead& lookahead, const RunAddress& run, int bytes);
  // Of its wave, but to LDS.
  bool IsLastStore(ir::Value v) const {
    const auto last = last_stores_.find(ir::WaveOf(block_.guest_pcs[function_[v].guest]));
    return last != last_stores_.end() && last->second == v;
  }
  // May a store of all lanes' dwords go past the caches where RegionContext::exceeds_caches? Others
  // see it later than what its wave stores behind it: it has to be the last one of a kernel of one
  // block. And where the block loads, it wants the caches.
  bool MayGoPastCaches(ir::Value v) const {
    const ir::Inst& inst = function_[v];
    return shared_.is_in_no_order && IsLastStore(v) && inst.access().bytes == 4 &&
           IsAllLanes(inst.args[2]) && !streams_.IsLoaded(inst.args[0], inst.args[1]);
  }

  AddressShape ShapeOfAddress(ir::Value v) const {
    return AddressShapeOf(shared_.patterns, shared_.shapes[v.id], lanes_, parts_);
  }
  // Where the address of a load's part is, if that is a pointer that the loop counts up.
  std::optional<x86::Mem> PointerMemoryOf(const ir::Inst& load, int part);
  // Has each of several parts of a load one address?
  bool IsUniformLoad(const ir::Inst& inst) const;
  bool IsZero(ir::Value v) const {
    uint64_t number = 0;
    return IsConst(v, &number) && number == 0;
  }
  bool IsAllLanes(ir::Value mask) const {
    uint64_t lanes = 0;
    return IsConst(mask, &lanes) && ~lanes == 0;
  }
  // The bits of a part, of a mask that is constant. None: it is not, or slices differ.
  std::optional<uint32_t> ConstantLanes(ir::Value mask, int part) const {
    uint64_t lanes = 0;
    if (!IsConst(mask, &lanes) || (slices_ != 1 && lanes != 0 && ~lanes != 0)) return std::nullopt;
    return static_cast<uint32_t>(lanes >> (part * lanes_) & ((uint64_t{1} << lanes_) - 1));
  }
  bool IsAllLanes(ir::Value mask, int part) const {
    return ConstantLanes(mask, part) == (uint64_t{1} << lanes_) - 1;
  }
  // The last of the part's lanes that a mask has, if it is known to have some; else -1.
  int LastLaneOf(ir::Value mask, int part) const {
    const auto lanes = ConstantLanes(mask, part);
    return lanes ? static_cast<int>(std::bit_width(*lanes)) - 1 : -1;
  }
  bool LdsLimitIsUnlimited(ir::Value limit) const;
  LdsLimit LdsLimitOf(ir::Value limit);
  LdsLimit LdsLimitOf(const ir::Inst& inst) { return LdsLimitOf(inst.args[2]); }

  // A memory operation's site, for the helper.
  const MemorySite* AddSite(ir::Value v, const ir::Inst& inst);
  // The same, but for one that the stage's begin has needed already.
  const MemorySite* SiteFor(ir::Value v, const ir::Inst& inst);
  const MemorySite& SiteOf(const MemorySite* address) const {
    return shared_.sites[address - shared_.site_addresses];
  }
  x86::Mem WindowField(const MemorySite* site, size_t offset) const;
  asmjit::Label NextSlice() const { return next_slice_; }

 private:
  struct Home {
    int temp = -1;         // vectors: first of the temps, one a component
    int slot = -1;         // scalars and masks
    int vgpr = -1;         // the value is in this VGPR
    bool is_kept = false;  // for fault reports: the slot is not reused within the block
    // A pack that came whole with the load of its dwords, a scalar load that was done with another.
    bool is_loaded = false;
    uint16_t stored = 0;  // units that `temp` or `slot` or `vgpr` holds: bit component * 4 + part
  };

  // An index that is a scalar and what is known of each lane, added and then shifted left.
  struct IndexRoot {
    ir::Value scalar;
    ir::Value lanes;
    uint32_t shift = 0;
  };
  std::optional<IndexRoot> RootOf(ir::Value index) const;
  using RunKey = std::array<uint32_t, 8>;
  struct RunGroup {
    int left = 0;  // accesses that have not been emitted
    int gpr = -1;
    ir::Value owner;  // whose address is in `gpr`
    // In bytes from its address on: where loads and stores are; and how far indices are above its.
    int64_t lowest[2] = {};
    int64_t highest[2] = {};
    uint32_t last_index = 0;
    bool is_checked[2] = {};
    bool has_load = false;
  };
  // A cache line of AheadLoad::kLanes lanes.
  struct AheadRequest {
    const AheadLoad* load = nullptr;
    int gpr = -1;  // that has EmitAheadBase's result; -1: none has
    int lane = 0;  // of the slice, their first
    int line = 0;
  };
  std::vector<AheadRequest> PrepareAhead(const Stage& stage);
  void FreeAhead(const std::vector<AheadRequest>& requests);
  // What has been put off.
  struct StreamRequest {
    int gpr = -1;
    bool owns_gpr = false;
    int32_t offset = 0;
    int bytes = 0;
  };
  void AskByTurns();
  void FreeRunRegister(int gpr);
  void EmitAheadBase(const AheadLoad& load, const x86::Gp& base);
  void EmitAheadRequest(const AheadRequest& request);
  bool IsKnownRun(ir::Value access) const;
  RunKey KeyOf(ir::Value v) const;
  uint32_t IndexAbove(ir::Value v, ir::Value owner) const;
  int64_t BytesBehind(ir::Value v, ir::Value owner) const;
  RunGroup* RunGroupOf(ir::Value v);
  void CountPlaces();
  void FindRunGroups(const Stage& stage);
  void FindWaveRuns();
  void EmitWaveRuns(const Stage& stage);
  bool IsWaveRun(ir::Value access) const;
  void FreeRunGroups();
  void FindLateIndices();
  bool ReadsTheSame(ir::Value first, ir::Value second) const;
  void CollectLdsGroups(const Stage& stage);
  void FindLdsGroups(const Stage& stage);
  bool CanGuard(const ir::Inst& access, const AddressShape& shape) const;
  void FindLdsGuards();
  int16_t FindGuard(ir::Value address, ir::Value limit);
  void EmitLdsGuards();
  void FindConstants();
  bool IsWithinLds(const LdsGuard& guard) const;
  void FreeLdsGroups();
  // Loops (block_loop.cpp).
  void PrepareLoop();
  x86::CondCode EmitLoopTest();
  void CollectExits(const x86::Mem& before);
  x86::Mem ExecMemory() const;
  x86::Mem StateMask(const ir::Inst& inst, int part) const;
  void EmitIteration();
  // That a slice makes before other waves get their turn.
  uint32_t LoopIterations() const;
  void EmitLoopOps(const std::vector<ir::Value>& ops);
  bool IsResident(ir::Value carried) const;
  ir::Value NextOf(ir::Value carried) const;
  void EmitBackEdge();
  void StoreLoopResults();
  void ProtectOldVgprs();
  std::vector<ir::Value> ScalarsToRestore() const;
  void CopyScalars(const std::vector<int>& slots, bool to_slots);
  // Of the loop (block_loop_pointers.cpp).
  int PartOfPointer(const LoopPointer& pointer, int part) const;
  int& PointerSlot(const LoopPointer& pointer, int part);
  x86::Mem PointerMemory(const LoopPointer& pointer, int part);
  template <typename F>
  void ForEachPointer(const F& f) const;
  void TakePointerSlots();
  void FreePointerSlots();
  void LoadPointers();
  void CountPointers();
  void StorePointers();
  int SlicesOf(const Stage& stage) const;
  void AdvanceSlice(const asmjit::Label& loop);

  void EmitScalarOp(ir::Value v);
  void EmitLaneLoop(const Stage& stage);
  void EmitFaultCheck(const Stage& stage);
  void EmitLaneOp(ir::Value v);
  void EmitLaneParts(ir::Value v, const ir::Inst& inst);
  void EmitWaveMask(ir::Value v);
  void EmitLanePart(ir::Value v, const ir::Inst& inst);
  bool IsArgumentNow(ir::Value v) const;
  bool IsForPartsFrom(ir::Value v, int stand_in, int first) const;
  bool IsLastPart(int part) const;
  void FinishLaneOp(ir::Value v, const ir::Inst& inst);
  void EmitSetVgpr(const ir::Inst& inst);
  void EmitFinalScalars();
  void EmitSetScalar(const ir::Inst& inst);
  void ProtectOldScalars();
  void ProtectOldScalar(ir::Value v);
  void EmitNoteExec(const ir::Inst& inst);

  RegisterFile& FileOf(Unit u) {
    return u.component == Unit::kMask && !masks_are_vectors_ ? masks_ : vectors_;
  }
  int LoadedRegister(Unit unit);
  void FreePart(ir::Value v, int part);
  void UnpinLanes();
  int TakeRegister(Unit unit);
  void Spill(Unit unit, int reg);
  void Reload(Unit unit, int reg);
  void FreeDead(const ir::Inst& inst, int part);
  bool HasMemory(Unit unit) const;
  int32_t NextUseOf(Unit unit) const;
  int32_t NextUseInRun(Unit unit) const;
  int32_t EndOfLanes() const;
  x86::Mem UnitMemory(Unit unit);
  x86::Mem MaskMemory(ir::Value v, int part);
  void StoreHome(ir::Value v, int part);
  void StoreMaskHome(ir::Value v, int part);
  int TempOf(ir::Value v);
  int SlotOf(ir::Value v);
  void FreeHomes(const ir::Inst& inst);
  bool IsUsedInLaterStage(ir::Value v) const;

  // Scalars.
  int DefScalar(ir::Value v);
  int DefScalarAt(ir::Value v, int wanted);  // there if it is free
  int TakeScalar(ir::Value v);
  void FreeDyingScalars(const ir::Inst& inst);
  void FreeLaneScalars();
  void KeepScalar(ir::Value v);  // to memory, if lanes or later stages read it there
  void LoadScalar(int reg, ir::Value v);
  void Move(int to, int from, bool wide);  // nothing if they are the same
  bool EmitScalarArithmetic(ir::Value v, const ir::Inst& inst);
  bool EmitScalarCompare(ir::Value v, const ir::Inst& inst);
  // The flags of a comparison of scalars, and which of them say that it holds; none: it is no such
  // comparison.
  void EmitFlags(const ir::Inst& compare);
  static std::optional<x86::CondCode> FlagsOf(ir::Op compare);
  bool EmitScalarBits(ir::Value v, const ir::Inst& inst);
  // What waves have in common (block_prologue.cpp).
  bool IsInPlace(ir::Value v) const;
  int LoadRowId();
  void EmitCommonScalars(const asmjit::Label& begin);
  // Groups that follow begin here.
  void BindRow() {
    if (shared_.row.isValid()) a.bind(shared_.row);
  }
  // Scalar loads (scalar_loads.cpp).
  struct ScalarLoad {
    const MemorySite* site = nullptr;
    int32_t offset = 0;  // from the address
    uint32_t dwords = 0;
  };
  // Off one address, all done at once.
  struct ScalarLoads {
    int address = 0;                      // the register that has it
    std::vector<ScalarLoad> loads;        // in program order
    int32_t begin = 0;                    // the lowest of their offsets
    const MemorySite* checked = nullptr;  // whose load that is; its window is for all of them
    int address_slot = -1;                // that keeps where the first of the bytes is; -1: none
  };
  std::vector<ir::Value> ScalarLoadsWith(ir::Value v) const;
  void EmitScalarLoads(const std::vector<ir::Value>& loads);
  struct ScalarPiece {
    ir::Value value;     // a dword of the load, or the pack of two
    int32_t offset = 0;  // bytes
    int reg = -1;
  };
  ir::Value PackOf(ir::Value low, ir::Value high, int32_t load_end) const;
  std::vector<ScalarPiece> TakeScalarPieces(ir::Value v);
  int32_t EndOf(const ScalarPiece& piece) const;
  void EmitScalarCheck(const ScalarLoads& group);
  void EmitScalarPieces(const ScalarLoads& group, const ScalarLoad& load,
                        const std::vector<ScalarPiece>& pieces);
  bool EmitWholeOp(ir::Value v, const ir::Inst& inst);
  void EmitReadLane(ir::Value v, const ir::Inst& inst);
  void EmitPermute(ir::Value v, const ir::Inst& inst);
  void EmitLanePermute(ir::Value v, const ir::Inst& inst);
  void EmitBpermute(ir::Value v, const ir::Inst& inst);
  void EmitMaskBelow(ir::Value v, const ir::Inst& inst);
  void EmitPermuteMask(ir::Value v, const ir::Inst& inst);
  x86::Mem WholeLanes(ir::Value v, const x86::Gp& address);  // lane 0 of a complete lane value

  const std::vector<uint8_t> repeating_;  // FindRepeating
  const Wanted wanted_;
  const StagePlan plan_;
  const UseLists uses_;
  const int lanes_;
  const bool masks_are_vectors_;
  RegisterFile vectors_;
  RegisterFile masks_;
  RegisterFile gprs_;
  std::vector<Home> homes_;
  std::map<int, ir::Value> last_stores_;     // but to LDS, by wave; -1: any
  std::vector<ir::Value> vgpr_values_;       // the get_vgpr of each VGPR
  std::vector<int16_t> set_of_;              // VGPR that a value is written back to, -1: none
  std::vector<ir::Value> exec_of_;           // what note_exec said last before a memory operation
  std::vector<uint8_t> is_constant_;         // by value id: its lanes are constants in memory
  std::vector<uint8_t> is_late_;             // LateIndexOf, by value id
  std::vector<uint8_t> part_bits_;           // FindShared
  std::vector<LdsGroup> lds_groups_;         // of the stage being emitted
  std::vector<LdsGuard> lds_guards_;         // of the block
  std::vector<int16_t> guard_of_;            // by value id; -1: none
  std::vector<RunGroup> run_groups_;         // likewise
  std::map<uint32_t, size_t> run_group_of_;  // which one, by value id
  size_t loaded_runs_ = 0;                   // run groups with loads
  size_t places_ = 0;                        // that the block accesses: CountPlaces
  // Accesses that UseWaveRun is for, by value id; and those of the stage being emitted.
  struct WaveRun {
    const MemorySite* site = nullptr;
    int slot = -1;
  };
  std::vector<uint8_t> is_wave_run_;
  std::map<uint32_t, WaveRun> wave_runs_;
  std::vector<StreamRequest> put_off_;
  Streams streams_{function_, block_};
  std::vector<std::array<int, 4>> pointer_slots_;  // of the loop's, by part
  std::vector<int> expired_slots_;                 // to be freed behind the loop
  std::vector<std::pair<Unit, int>> header_;       // a loop's residents and their registers
  bool in_lane_loop_ = false;
  int parts_ = 1;   // of the slice; for operations with shared results, those up to the last one's
  int slices_ = 1;  // of the stage
  bool in_only_slice_ = false;      // r13 is not there: a slice is all of the stage
  int part_ = 0;                    // being emitted
  uint8_t op_bits_ = kAllPartBits;  // part bits of what is emitted: these parts are
  int32_t position_ = -1;
  // Positions of operations that are emitted part by part: of the first, and behind the last.
  int32_t run_begin_ = -1;
  int32_t run_end_ = -1;
  int stage_ = 0;
  const ir::Inst* current_ = nullptr;
  uint32_t mxcsr_ = 0;
  asmjit::Label next_slice_;
  UniformPrologue* common_ = nullptr;  // while what waves have in common is emitted
};

}  // namespace gcnjit::backend
