// Bodies that are skipped by a test of their mask, among other code of the block.
#include <string>

#include "backend_x64/plan/stages.h"
#include "ir/parser.h"
#include "tests/unit/backend_x64/emit/loop_function.h"

namespace gcnjit::backend {
namespace {

// A block that is written at random: v0 to v5 are numbers, v6:v7 and v8:v9 addresses.
class RandomBody {
 public:
  explicit RandomBody(uint64_t seed) : random_(seed) {}

  Function Build() {
    text_ = "block 0x1000 instructions=200\nguest 0 0x0\n%1 = get_sgpr64.u64 s126\n";
    next_ = 2;
    for (int n = 0; n < 6; ++n) numbers_.push_back(Add("get_vgpr.v32 v" + std::to_string(n)));
    low_ = {Add("get_vgpr.v32 v6"), Add("get_vgpr.v32 v8")};
    high_ = {Add("get_vgpr.v32 v7"), Add("get_vgpr.v32 v9")};
    Operations(4, "%1");
    for (int body = 0; body < 3; ++body) AddBody(/*outer=*/"%1", /*depth=*/0);
    Operations(3, "%1");
    for (int n = 0; n < 6; ++n) {
      text_ += "set_vgpr v" + std::to_string(10 + n) + ", " + Number() + "\n";
    }
    text_ += "jump 0x2000\n";
    ir::ParseResult parsed = ir::Parse(text_);
    EXPECT_FALSE(parsed.error) << text_ << (parsed.error ? parsed.error->message : "");
    EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{}) << text_;
    return std::move(parsed.function);
  }
  const std::string& text() const { return text_; }

 private:
  bool Chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  template <typename T>
  const T& Any(const std::vector<T>& of) {
    return of[random_() % of.size()];
  }
  const std::string& Number() { return Any(numbers_); }

  std::string Add(const std::string& operation) {
    const std::string name = "%" + std::to_string(next_++);
    text_ += name + " = " + operation + "\n";
    return name;
  }

  void AddBody(const std::string& outer, int depth) {
    // A mask of lanes, or a scalar one.
    const std::string some =
        Chance(25) ? Add("get_sgpr64.u64 s30") : Add("lt_u.u64 " + Number() + ", " + Number());
    const std::string mask = Add("and.u64 " + outer + ", " + some);
    text_ += "skipped " + mask + " {count=40, tested}\n";
    masks_.push_back(mask);
    const std::vector<std::string> before = numbers_;
    Operations(8, mask);
    if (depth == 0 && Chance(50)) AddBody(mask, 1);
    Operations(30, mask);
    // What the body has changed, in its lanes; and masks of them for others.
    std::vector<std::string> after = before;
    for (std::string& number : after) {
      if (Chance(50)) number = Add("select.v32 " + mask + ", " + Number() + ", " + number);
    }
    if (Chance(50)) {
      const std::string compared = Add("lt_s.u64 " + Number() + ", " + Number());
      std::string within = Add("and.u64 " + mask + ", " + compared);
      if (Chance(50)) {
        const std::string other = Add("lt_s.u64 " + Number() + ", " + Number());
        const std::string part = Add("and.u64 " + mask + ", " + other);
        within = Add((Chance(50) ? "and.u64 " : "andnot.u64 ") + within + ", " + part);
      }
      text_ += "set_sgpr64 s" + std::to_string(20 + 2 * (random_() % 5)) + ", " + within + "\n";
    }
    numbers_ = after;
    if (Chance(30)) Operations(3, outer);
  }

  void Operations(int count, const std::string& mask) {
    for (int n = 0; n < count; ++n) numbers_.push_back(Operation(mask));
  }

  std::string Operation(const std::string& mask) {
    const size_t at = random_() % 2;
    switch (random_() % 12) {
      case 0: return Add("mul.v32 " + Number() + ", " + Number());
      case 1: return Add("xor.v32 " + Number() + ", " + Number());
      case 2: return Add("lshr.v32 " + Number() + ", " + Number());
      case 3: {
        const std::string less = Add("lt_u.u64 " + Number() + ", " + Number());
        return Add("select.v32 " + less + ", " + Number() + ", " + Number());
      }
      case 4: return Add("load.v32 " + low_[at] + ", " + high_[at] + ", " + mask + " {bytes=4}");
      case 5: {
        // Other bodies' masks, too.
        const std::string less =
            Chance(50) ? Any(masks_) : Add("lt_u.u64 " + Number() + ", " + Number());
        const std::string some = Add("and.u64 " + mask + ", " + less);
        masks_.push_back(some);
        text_ +=
            "store " + low_[at] + ", " + high_[at] + ", " + some + ", " + Number() + " {bytes=4}\n";
        return Number();
      }
      default: return Add("add.v32 " + Number() + ", " + Number());
    }
  }

  std::mt19937_64 random_;
  std::string text_;
  int next_ = 0;
  std::vector<std::string> numbers_;
  std::vector<std::string> masks_ = {"%1"};
  std::vector<std::string> low_;
  std::vector<std::string> high_;
};

// Few lanes, so that bodies have none as often as not; numbers that compare like many others.
Machine FewLanes(uint64_t seed) {
  std::mt19937_64 random(seed);
  Machine machine = RandomMachine(seed);
  const uint64_t lanes = seed % 4 == 0 ? ~uint64_t{0} : uint64_t{1} << random() % 64;
  SetPair(machine, 126, seed % 8 == 1 ? 0 : lanes);
  for (int vgpr = 0; vgpr < 6; ++vgpr) {
    for (uint32_t& lane : machine.vgpr[static_cast<size_t>(vgpr)]) lane = random() % 4;
  }
  for (const size_t low : {6, 8}) {
    for (int lane = 0; lane < ir::kLanes; ++lane) {
      const uint64_t address = GuestPages::kBegin + random() % (GuestPages::kSize / 4) * 4;
      machine.vgpr[low][lane] = static_cast<uint32_t>(address);
      machine.vgpr[low + 1][lane] = static_cast<uint32_t>(address >> 32);
    }
  }
  return machine;
}

TEST(SkippedStages, AreAsIfTheyWereExecuted) {
  size_t skipped_stages = 0;
  for (uint64_t kind = 0; kind < 120; ++kind) {
    RandomBody body(kind);
    const Function function = body.Build();
    for (const HostIsa isa : HostIsas()) {
      CompiledBlock block(function, isa);
      for (uint64_t seed = 0; seed < 24; ++seed) {
        const Machine machine = FewLanes(seed);
        ASSERT_EQ(Difference(block.Run(machine), RunEvaluator(function, machine)), "")
            << NameOf(isa) << ", block " << kind << ", seed " << seed << '\n'
            << body.text();
      }
    }
    const size_t values = function.insts.size();
    const StagePlan plan =
        PlanStages(function, function.blocks[0], /*lanes_per_register=*/8, {13, 0, 0},
                   std::vector<uint8_t>(values, kAllPartBits),
                   FindWanted(function, function.blocks[0], 8), std::vector<LaneStep>(values));
    for (const Stage& stage : plan.stages) skipped_stages += stage.skipped_without ? 1 : 0;
  }
  EXPECT_GT(skipped_stages, 100u);
}

}  // namespace
}  // namespace gcnjit::backend
