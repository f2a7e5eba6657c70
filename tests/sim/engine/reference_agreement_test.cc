// The engine and the reference simulator agree on every figure of random cases, bit for bit.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/agreement.h"
#include "tests/support/random_cases.h"
#include "tests/support/reference_simulator.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

// Seeds [first, first + count) with one kind of values and one size of graph.
struct Batch {
  const char* name;
  std::uint64_t first;
  std::uint64_t count;
  Values values;
  CaseLimits limits;
};

// For GoogleTest's messages.
void PrintTo(const Batch& batch, std::ostream* out) {
  *out << batch.name;
}

std::string FirstLines(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), 8); ++i) {
    text += "  " + lines[i] + "\n";
  }
  return text;
}

class ReferenceAgreementTest : public ::testing::TestWithParam<Batch> {};

// One workspace serves all cases and plans of a batch, so that nothing may leak from run to run.
TEST_P(ReferenceAgreementTest, HoldsWithoutMemoryLimits) {
  const Batch& batch = GetParam();
  sim::Workspace workspace;
  for (std::uint64_t seed = batch.first; seed < batch.first + batch.count; ++seed) {
    const RandomCase made = MakeRandomCase(seed, batch.values, batch.limits);
    const EngineAndReference both(made.graph, made.hardware);
    Rng rng(seed + 1'000'000);
    sim::Plan other = RandomPlan(rng, *made.graph, made.hardware);
    if (batch.limits.fuses) {
      other.fusion_priority = RandomFusionPriorities(rng, made.graph->num_ops());
    }
    for (const sim::Plan& plan : {made.plan, other}) {
      const std::vector<std::string> lines = both.FindDifferences(plan, workspace);
      ASSERT_TRUE(lines.empty()) << "seed " << seed << ":\n" << FirstLines(lines);
    }
  }
}

// The same cases on devices that have between a quarter and all of what the plan needs.
TEST_P(ReferenceAgreementTest, HoldsWhereMemoryIsTight) {
  const Batch& batch = GetParam();
  sim::Workspace workspace;
  std::uint64_t num_failures = 0;
  for (std::uint64_t seed = batch.first; seed < batch.first + batch.count; ++seed) {
    RandomCase made = MakeRandomCase(seed, batch.values, batch.limits);
    Rng rng(seed);
    TightenMemory(rng, sim::OnExceed::kFail, made);
    const EngineAndReference both(made.graph, made.hardware);
    const std::vector<std::string> lines = both.FindDifferences(made.plan, workspace);
    ASSERT_TRUE(lines.empty()) << "seed " << seed << ":\n" << FirstLines(lines);
    num_failures += both.RunEngine(made.plan, workspace).failure ? 1 : 0;
  }
  // About three cases in ten devices lack memory; neither outcome may be rare.
  EXPECT_GT(num_failures, batch.count / 10);
  EXPECT_LT(num_failures, batch.count - batch.count / 10);
}

// The same, where starts wait until memory frees: some complete, some never can.
TEST_P(ReferenceAgreementTest, HoldsWhereMemoryIsWaitedFor) {
  const Batch& batch = GetParam();
  sim::Workspace workspace;
  std::map<sim::Outcome, std::uint64_t> outcomes;
  for (std::uint64_t seed = batch.first; seed < batch.first + batch.count; ++seed) {
    RandomCase made = MakeRandomCase(seed, batch.values, batch.limits);
    Rng rng(seed);
    TightenMemory(rng, sim::OnExceed::kWait, made);
    const EngineAndReference both(made.graph, made.hardware);
    const std::vector<std::string> lines = both.FindDifferences(made.plan, workspace);
    ASSERT_TRUE(lines.empty()) << "seed " << seed << ":\n" << FirstLines(lines);
    ++outcomes[both.RunEngine(made.plan, workspace).result.outcome];
  }
  EXPECT_GT(outcomes[sim::Outcome::kCompleted], batch.count / 20);
  EXPECT_GT(outcomes[sim::Outcome::kDeadlock], batch.count / 20);
}

// Times in picoseconds by which engine and reference differ in an op's start or finish, at most.
std::int64_t LargestDifference(const sim::SimReport& engine, const sim::SimReport& reference) {
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < reference.ops.size(); ++i) {
    const sim::OpSpan& ours = engine.ops[i].value();
    const sim::OpSpan& theirs = reference.ops[i].value();
    largest = std::max({largest,
                        std::abs((ours.start - theirs.start).picoseconds),
                        std::abs((ours.finish - theirs.finish).picoseconds)});
  }
  return largest;
}

// One rounding of each transfer on the way to an op: 10 ps here, of some 50 us.
TEST(FairAgreementTest, HoldsToAFewPicosecondsWhereRoundNumbersMeetHalves) {
  const CaseLimits limits{.rules = {.per_edge = true, .fair = true}};
  sim::Workspace workspace;
  for (std::uint64_t seed = 58'001; seed <= 58'300; ++seed) {
    const RandomCase made = MakeRandomCase(seed, Values::kRound, limits);
    const EngineAndReference both(made.graph, made.hardware);
    const sim::SimReport engine = both.RunEngine(made.plan, workspace);
    const sim::SimReport reference =
        SimulateSlowly(*made.graph, made.hardware, both.costs(), made.plan).report;
    EXPECT_LE(LargestDifference(engine, reference), 10) << "seed " << seed;
  }
}

// Fair sharing of round numbers meets halves of a picosecond, which the last bit of a sum rounds up
// or down; only continuous values ask for it bit for bit.
constexpr RuleChoices kAllButFair{.gaps = true,
                                  .dispatch = true,
                                  .per_output = true,
                                  .per_edge = true,
                                  .regal = true,
                                  .releases = true};

constexpr RuleChoices WithStreams(RuleChoices rules) {
  rules.streams = true;
  return rules;
}

constexpr RuleChoices WithCopyOverheads(RuleChoices rules) {
  rules.copy_overheads = true;
  return rules;
}

constexpr RuleChoices WithMemoryPools(RuleChoices rules) {
  rules.memory_pools = true;
  return rules;
}

constexpr RuleChoices kStreamsAndAllButFair = WithStreams(kAllButFair);
constexpr RuleChoices kStreamsAndAll = WithStreams(kAllRules);

constexpr CaseLimits With(RuleChoices rules) {
  return {.rules = rules};
}

constexpr CaseLimits Fused(RuleChoices rules) {
  return {.rules = rules, .fuses = true};
}

INSTANTIATE_TEST_SUITE_P(
    Random,
    ReferenceAgreementTest,
    ::testing::Values(
        Batch{"Tiny", 1, 400, Values::kRound, {.most_ops = 8, .most_devices = 3}},
        Batch{"SmallRound", 10'001, 500, Values::kRound, {}},
        Batch{"SmallContinuous", 20'001, 300, Values::kContinuous, {}},
        Batch{"Gaps", 50'001, 200, Values::kRound, With({.gaps = true})},
        Batch{"Dispatch", 51'001, 200, Values::kRound, With({.dispatch = true})},
        Batch{"PerOutput", 52'001, 200, Values::kRound, With({.per_output = true})},
        Batch{"PerEdge", 53'001, 200, Values::kRound, With({.per_edge = true})},
        Batch{"Regal", 54'001, 200, Values::kRound, With({.regal = true})},
        Batch{"Releases", 66'001, 300, Values::kRound, With({.releases = true})},
        Batch{"ReleasesAndDispatch",
              67'001,
              300,
              Values::kRound,
              With({.dispatch = true, .releases = true})},
        Batch{"FairContinuous",
              59'001,
              300,
              Values::kContinuous,
              {.least_ops = 10,
               .most_ops = 60,
               .least_devices = 2,
               .rules = {.per_edge = true, .fair = true}}},
        Batch{"MixedRound", 55'001, 500, Values::kRound, With(kAllButFair)},
        Batch{"MixedContinuous", 56'001, 300, Values::kContinuous, With(kAllRules)},
        Batch{"FusedTiny",
              60'001,
              400,
              Values::kRound,
              {.most_ops = 8, .most_devices = 3, .fuses = true}},
        Batch{"FusedInRegions",
              76'001,
              400,
              Values::kRound,
              {.most_ops = 20, .most_devices = 3, .fuses = true, .has_regions = true}},
        Batch{"FusedRound", 61'001, 500, Values::kRound, Fused({})},
        Batch{"FusedContinuous", 62'001, 300, Values::kContinuous, Fused({})},
        Batch{"FusedReleases", 68'001, 300, Values::kRound, Fused({.releases = true})},
        Batch{"FusedPerEdge", 63'001, 200, Values::kRound, Fused({.per_edge = true})},
        Batch{"FusedMixedRound", 64'001, 500, Values::kRound, Fused(kAllButFair)},
        Batch{"FusedMixedContinuous", 65'001, 300, Values::kContinuous, Fused(kAllRules)},
        Batch{"StreamsTiny",
              70'001,
              400,
              Values::kRound,
              {.most_ops = 8, .most_devices = 3, .rules = {.streams = true}}},
        Batch{"StreamsRound", 71'001, 500, Values::kRound, With({.streams = true})},
        Batch{"StreamsMixedRound", 72'001, 500, Values::kRound, With(kStreamsAndAllButFair)},
        Batch{"StreamsMixedContinuous", 73'001, 300, Values::kContinuous, With(kStreamsAndAll)},
        Batch{"StreamsFused", 74'001, 500, Values::kRound, Fused({.streams = true})},
        Batch{"StreamsFusedMixed", 75'001, 300, Values::kContinuous, Fused(kStreamsAndAll)},
        Batch{"CopyOverheads", 76'001, 500, Values::kRound, With({.copy_overheads = true})},
        Batch{"CopyOverheadsMixed",
              77'001,
              500,
              Values::kRound,
              With(WithCopyOverheads(kStreamsAndAllButFair))},
        Batch{"CopyOverheadsFused",
              78'001,
              500,
              Values::kContinuous,
              Fused(WithCopyOverheads(kAllRules))},
        Batch{"MemoryPoolsTiny",
              79'001,
              400,
              Values::kRound,
              {.most_ops = 8, .most_devices = 3, .rules = {.memory_pools = true}}},
        Batch{"MemoryPools", 80'001, 500, Values::kContinuous, With({.memory_pools = true})},
        Batch{"MemoryPoolsMixed",
              81'001,
              500,
              Values::kContinuous,
              With(WithMemoryPools(WithCopyOverheads(kStreamsAndAll)))},
        Batch{"MemoryPoolsFused",
              82'001,
              500,
              Values::kContinuous,
              Fused(WithMemoryPools(kAllRules))},
        Batch{"MemoryPoolsStreamsFused",
              83'001,
              300,
              Values::kContinuous,
              Fused(WithMemoryPools(kStreamsAndAll))},
        Batch{"MixedLarge",
              57'001,
              40,
              Values::kRound,
              {.least_ops = 100, .most_ops = 500, .rules = kAllButFair}},
        Batch{"LargeRound",
              30'001,
              20,
              Values::kRound,
              {.least_ops = 300, .most_ops = 2000, .least_devices = 2}},
        Batch{"LargeContinuous",
              40'001,
              20,
              Values::kContinuous,
              {.least_ops = 300, .most_ops = 2000, .least_devices = 2}}),
    [](const ::testing::TestParamInfo<Batch>& batch) { return batch.param.name; });

}  // namespace
}  // namespace opyard::testing
