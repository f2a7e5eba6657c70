// Runs that stop at choices: by hand, and on random cases under all rules, where the plan that they
// make is simulated to the same result.
#include "sim/engine/run/stepwise_run.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/base/rng.h"
#include "tests/support/agreement.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Choice = sim::StepwiseRun::Choice;

constexpr DeviceId kOpen(sim::KernelState::kNoDevice);

// One problem of a test; graph and machine must fit.
struct Stepwise {
  explicit Stepwise(const std::shared_ptr<const sim::OpGraph>& graph,
                    const sim::HardwareProfile& hardware)
      : both(graph, hardware),
        problem(std::shared_ptr<const sim::LoweredProblem>(), &both.simulator().problem()),
        run(problem) {}

  EngineAndReference both;
  std::shared_ptr<const sim::LoweredProblem> problem;
  sim::StepwiseRun run;
};

// Chooses at random to the end; ops without a device go where `plan` has them.
void PlayAtRandom(const sim::Plan& plan, Rng& rng, Stepwise& stepwise) {
  sim::StepwiseRun& run = stepwise.run;
  while (run.choice() != Choice::kNothing) {
    if (run.choice() == Choice::kKernel) {
      run.Start(run.startable()[rng.Below(run.startable().size())]);
    } else {
      const std::int32_t kernel = run.unplaced()[rng.Below(run.unplaced().size())];
      const OpId op = stepwise.problem->op_of[static_cast<std::size_t>(kernel)];
      run.Place(kernel, plan.placement[op.index()].value);
    }
    if (run.choice() == Choice::kKernel || run.unplaced().empty()) {
      run.GoOn();
    }
  }
}

// ---- By hand; times in microseconds, links carry 1000 bytes in one ----

// a (2) and b (5) and c (1) are ready at 0 on d0, and x (4) on d1 reads a's 1000 bytes.
std::shared_ptr<const sim::OpGraph> ThreeReadyOps() {
  return MakeGraph({TimedOp("a", 2), TimedOp("b", 5), TimedOp("c", 1), TimedOp("x", 4, {{0, 0}})});
}

TEST(StepwiseRunTest, StopsWhereAnIdleDeviceHasAChoice) {
  Stepwise stepwise(ThreeReadyOps(), MeshMachine(2));
  sim::StepwiseRun& run = stepwise.run;
  run.Begin(PlacedOn({0, 0, 0, 1}));
  ASSERT_EQ(run.choice(), Choice::kKernel);
  EXPECT_EQ(run.idle_device(), 0);
  EXPECT_THAT(run.startable(), ElementsAre(0, 1, 2));
  run.Start(2);  // c: 0 to 1
  run.GoOn();
  EXPECT_EQ(run.now(), Microseconds(1));
  EXPECT_THAT(run.startable(), ElementsAre(0, 1));
  run.Start(0);  // a: 1 to 3, its copy: 3 to 4
  run.GoOn();
  EXPECT_EQ(run.now(), Microseconds(3));
  EXPECT_THAT(run.startable(), ElementsAre(1));
  run.Start(1);  // b: 3 to 8
  run.GoOn();
  EXPECT_EQ(run.now(), Microseconds(4));
  EXPECT_EQ(run.idle_device(), 1);
  EXPECT_EQ(run.RunningOn(0), 1);
  EXPECT_EQ(run.RemainingOn(0), Microseconds(4));
  run.Start(3);  // x: 4 to 8
  run.GoOn();
  EXPECT_EQ(run.choice(), Choice::kNothing);
  EXPECT_EQ(run.result().outcome, sim::Outcome::kCompleted);
  EXPECT_EQ(run.result().makespan, Microseconds(8));
  EXPECT_THAT(run.starts(), ElementsAre(2, 0, 1, 3));
  EXPECT_THAT(run.MadePlan().op_priority, ElementsAre(3, 2, 4, 1));
}

// x needs its device when a ends, at 2, not before: then its copy is offered.
TEST(StepwiseRunTest, AsksForTheDeviceOfAReaderBeforeWhatItReadsIsMade) {
  Stepwise stepwise(ThreeReadyOps(), MeshMachine(2));
  sim::StepwiseRun& run = stepwise.run;
  sim::Plan plan = PlacedOn({0, 0, 0, 1});
  plan.placement[3] = kOpen;
  run.Begin(plan);
  run.Start(0);
  run.GoOn();
  ASSERT_EQ(run.choice(), Choice::kDevice);
  EXPECT_THAT(run.unplaced(), ElementsAre(3));
  EXPECT_EQ(run.RunningOn(0), 0);  // still
  run.Place(3, 1);
  run.GoOn();
  ASSERT_EQ(run.choice(), Choice::kKernel);
  EXPECT_EQ(run.now(), Microseconds(2));
  EXPECT_THAT(run.startable(), ElementsAre(1, 2));
}

TEST(StepwiseRunTest, PlacesOpsWithoutInputsBeforeAnythingStarts) {
  Stepwise stepwise(ThreeReadyOps(), MeshMachine(2));
  sim::StepwiseRun& run = stepwise.run;
  run.Begin({.placement = sim::OpPlacement(4, kOpen)});
  ASSERT_EQ(run.choice(), Choice::kDevice);
  EXPECT_THAT(run.unplaced(), ElementsAre(0, 1, 2));
  run.Place(1, 0);
  EXPECT_THAT(run.unplaced(), ElementsAre(0, 2));
  run.Place(0, 1);
  run.Place(2, 1);
  run.GoOn();
  ASSERT_EQ(run.choice(), Choice::kKernel);
  EXPECT_THAT(run.startable(), ElementsAre(1));
}

// b arrives at 3; its device is chosen then.
TEST(StepwiseRunTest, AnOpWithoutInputsIsPlacedWhenItIsReleased) {
  const auto graph = [] {
    sim::OpSpec b = TimedOp("b", 1);
    b.release = Microseconds(3);
    return MakeGraph({TimedOp("a", 2), b});
  }();
  Stepwise stepwise(graph, MeshMachine(2));
  sim::StepwiseRun& run = stepwise.run;
  run.Begin({.placement = {DeviceId(0), kOpen}});
  run.Start(0);
  run.GoOn();
  ASSERT_EQ(run.choice(), Choice::kDevice);
  EXPECT_EQ(run.now(), Microseconds(3));
  EXPECT_THAT(run.unplaced(), ElementsAre(1));
  run.Place(1, 1);
  run.GoOn();
  ASSERT_EQ(run.choice(), Choice::kKernel);
  run.Start(1);
  run.GoOn();
  EXPECT_EQ(run.result().makespan, Microseconds(4));
}

// Parameters count from time 0: a's device held 600 kB of 1 MB when b is placed there.
TEST(StepwiseRunTest, ParametersOfAnOpPlacedLaterMustFitBesideThePeakSoFar) {
  const auto graph = [] {
    sim::OpSpec b = TimedOp("b", 1, {{0, 0}});
    b.param_bytes = Bytes{400'001};
    return MakeGraph({TimedOp("a", 1, {}, {600'000}), b});
  }();
  Stepwise stepwise(graph, MeshMachine(2));
  sim::StepwiseRun& run = stepwise.run;
  run.Begin({.placement = {DeviceId(0), kOpen}});
  run.Start(0);
  run.GoOn();
  ASSERT_EQ(run.choice(), Choice::kDevice);
  run.Place(1, 0);
  EXPECT_EQ(run.choice(), Choice::kNothing);
  EXPECT_EQ(run.result().outcome, sim::Outcome::kOutOfMemory);
}

// ---- Refusals ----

std::string RefusalOf(const sim::HardwareProfile& hardware, const sim::Plan& plan) {
  Stepwise stepwise(ThreeReadyOps(), hardware);
  try {
    stepwise.run.Begin(plan);
  } catch (const UnsupportedError& error) {
    return error.what();
  }
  return "";
}

TEST(StepwiseRunTest, RefusesWhatItCannotReplay) {
  const sim::Plan open{.placement = sim::OpPlacement(4, kOpen)};
  sim::HardwareProfile waiting = MeshMachine(2);
  waiting.memory.on_exceed = sim::OnExceed::kWait;
  EXPECT_THAT(RefusalOf(waiting, open), HasSubstr("memory.on_exceed"));
  EXPECT_THAT(RefusalOf(waiting, PlacedOn({0, 0, 0, 1})), IsEmpty());
  sim::HardwareProfile apart = MeshMachine(2);
  apart.links.clear();
  EXPECT_THAT(RefusalOf(apart, open), HasSubstr("no route"));
  sim::HardwareProfile busy = MeshMachine(2);
  busy.devices[1].copy_overhead_s = 1e-6;
  EXPECT_THAT(RefusalOf(busy, open), HasSubstr("copy_overhead"));
  EXPECT_THAT(RefusalOf(busy, PlacedOn({0, 0, 0, 1})), IsEmpty());
  sim::HardwareProfile shared = MeshMachine(2);
  shared.memory_pools = {{.name = "ram", .memory = Bytes{1000}, .bandwidth_bytes_per_s = 1e9}};
  shared.devices[0].memory_pool = 0;
  EXPECT_THAT(RefusalOf(shared, open), HasSubstr("memory_pools"));
  EXPECT_THAT(RefusalOf(shared, PlacedOn({0, 0, 0, 1})), IsEmpty());
  sim::Plan fusing = open;
  fusing.fusion_priority = {1, 1, 1, 1};
  EXPECT_THAT(RefusalOf(MeshMachine(2), fusing), HasSubstr("fusion_priority"));
}

TEST(StepwiseRunTest, RefusesRulesPlaceto) {
  sim::HardwareProfile placeto = MeshMachine(2);
  placeto.rules = sim::Rules::kPlaceto;
  placeto.transfers.channels = {.links = false, .egress = true, .ingress = false};
  placeto.transfers.one_per = sim::OnePer::kOutput;
  EXPECT_THAT(RefusalOf(placeto, PlacedOn({0, 0, 0, 1})), HasSubstr("rules placeto"));
}

// ---- Random cases ----

constexpr std::uint64_t kFirstSeed = 370'000;
constexpr std::uint64_t kNumCases = 400;

void ExpectReplay(const Stepwise& stepwise, std::uint64_t seed) {
  const sim::Plan made = stepwise.run.MadePlan();
  sim::Workspace workspace;
  const sim::SimResult replayed = stepwise.both.simulator().Run(made, workspace);
  ASSERT_EQ(stepwise.run.result(), replayed) << "seed " << seed;
}

// With the devices of a random plan.
TEST(StepwiseRunTest, AnyOrderOfStartsReplaysAsThePlanThatItMakes) {
  for (const bool fuses : {false, true}) {
    for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases; ++seed) {
      CaseLimits limits{.rules = kAllRules, .fuses = fuses};
      limits.rules.memory_pools = seed % 4 == 0;
      const RandomCase made =
          MakeRandomCase(seed, seed % 2 == 0 ? Values::kRound : Values::kContinuous, limits);
      Stepwise stepwise(made.graph, made.hardware);
      Rng rng(seed);
      stepwise.run.Begin(made.plan);
      PlayAtRandom(made.plan, rng, stepwise);
      ASSERT_EQ(stepwise.run.result().outcome, sim::Outcome::kCompleted);
      ExpectReplay(stepwise, seed);
    }
  }
}

// Where memory is short, completed runs replay; a kernel that does not fit ends both.
TEST(StepwiseRunTest, ReplaysWhereMemoryIsShort) {
  for (const sim::OnExceed on_exceed : {sim::OnExceed::kFail, sim::OnExceed::kWait}) {
    int num_completed = 0;
    for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases; ++seed) {
      Rng rng(seed);
      RandomCase made = MakeRandomCase(seed, Values::kRound, {.rules = kAllRules});
      TightenMemory(rng, on_exceed, made);
      Stepwise stepwise(made.graph, made.hardware);
      stepwise.run.Begin(made.plan);
      PlayAtRandom(made.plan, rng, stepwise);
      num_completed += stepwise.run.result().outcome == sim::Outcome::kCompleted ? 1 : 0;
      ExpectReplay(stepwise, seed);
    }
    EXPECT_GT(num_completed, 30);
  }
}

// Some or all ops get their devices as time goes on.
TEST(StepwiseRunTest, OpsPlacedOnTheWayReplayAsThePlanThatTheyMake) {
  int num_completed = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases; ++seed) {
    RandomCase made = MakeRandomCase(
        seed, seed % 2 == 0 ? Values::kRound : Values::kContinuous, {.rules = kAllRules});
    Rng rng(seed);
    if (seed % 3 == 0) {
      TightenMemory(rng, sim::OnExceed::kFail, made);
    }
    Stepwise stepwise(made.graph, made.hardware);
    if (stepwise.problem->features.Has(sim::Feature::kMissingRoutes)) {
      continue;
    }
    sim::Plan open = made.plan;
    for (DeviceId& device : open.placement) {
      device = seed % 2 == 0 || rng.Below(2) == 0 ? kOpen : device;
    }
    stepwise.run.Begin(open);
    PlayAtRandom(made.plan, rng, stepwise);
    if (stepwise.run.result().outcome == sim::Outcome::kCompleted) {
      ExpectReplay(stepwise, seed);
      EXPECT_EQ(stepwise.run.MadePlan().placement, made.plan.placement);
      ++num_completed;
    }
  }
  EXPECT_GT(num_completed, 200);
}

// A run can begin anew in the memory of another.
TEST(StepwiseRunTest, BeginsAnewWhateverTheLastRunLeft) {
  const RandomCase made = MakeRandomCase(kFirstSeed, Values::kRound, {.least_ops = 30});
  Stepwise stepwise(made.graph, made.hardware);
  const auto play = [&](std::uint64_t seed) {
    Rng rng(seed);
    stepwise.run.Begin(made.plan);
    PlayAtRandom(made.plan, rng, stepwise);
    return stepwise.run.starts();
  };
  const std::vector<std::int32_t> first = play(1);
  static_cast<void>(play(2));
  stepwise.run.Begin(made.plan);
  stepwise.run.Start(stepwise.run.startable()[0]);  // and left in the middle
  EXPECT_EQ(play(1), first);
}

}  // namespace
}  // namespace opyard::testing
