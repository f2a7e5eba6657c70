// Times in comments are microseconds; links carry 1000 bytes in one.
#include "experiments/explain/what_if.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/explain/explained_plan.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::PlacedOn;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::ExplainedPlan;
using ::testing::Pair;

// Each change with the makespan it leads to, in microseconds; -1 where it does not complete.
std::vector<std::pair<std::string, std::int64_t>> Answers(const ExplainedPlan& made) {
  std::vector<std::pair<std::string, std::int64_t>> answers;
  for (const WhatIf& answer : AskWhatIf(*made.problem(), made.step(), made.timeline(), 5, 2)) {
    const bool completes = answer.result.outcome == sim::Outcome::kCompleted;
    answers.emplace_back(answer.change,
                         completes ? answer.result.makespan.picoseconds / 1'000'000 : -1);
  }
  return answers;
}

TEST(WhatIfTest, EachLinkIsHalvedAloneMostLoadedFirst) {
  // a 0–2 on d0; to b on d1 2–6, to c on d2 6–16 (one sender); b 6–7, c 16–17.
  const ExplainedPlan made(MakeGraph({TimedOp("a", 2, {}, {4000, 10000}),
                                      TimedOp("b", 1, {{0, 0}}),
                                      TimedOp("c", 1, {{0, 1}})}),
                           MeshMachine(3),
                           PlacedOn({0, 1, 2}));
  EXPECT_THAT(Answers(made),
              ElementsAre(Pair("link d0-d2 twice as fast", 12),  // 6–11, c 11–12
                          Pair("link d0-d1 twice as fast", 15),  // 2–4, 4–14, c 14–15
                          Pair("all links twice as fast", 10),   // 2–4, 4–9, c 9–10
                          Pair("no memory limit", 17),
                          Pair("free transfers", 3)));
}

TEST(WhatIfTest, MemoryMayBeWhatKeepsAPlanFromCompleting) {
  sim::HardwareProfile machine = MeshMachine(1);
  machine.devices[0].memory = Bytes{100};
  const ExplainedPlan made(MakeGraph({TimedOp("a", 2)}), machine, PlacedOn({0}));
  EXPECT_THAT(Answers(made), ElementsAre(Pair("no memory limit", 2)));
}

TEST(WhatIfTest, HostAndGapsAreAskedForWhereThereAreAny) {
  sim::HardwareProfile machine = MeshMachine(1);
  machine.memory.on_exceed = sim::OnExceed::kIgnore;
  machine.execution.dispatch = Microseconds(3);
  machine.execution.gap_after_op = Microseconds(5);
  // Issued at 3 and 6: a 3–5, at rest to 10, b 10–14.
  const ExplainedPlan made(
      MakeGraph({TimedOp("a", 2), TimedOp("b", 4)}), machine, PlacedOn({0, 0}));
  EXPECT_THAT(Answers(made),
              ElementsAre(Pair("no dispatch time", 11),  // a 0–2, b 7–11
                          Pair("no gaps", 10)));         // a 3–5, b 6–10
}

TEST(WhatIfTest, ReleasesAreAskedForWhereThereAreAny) {
  sim::HardwareProfile machine = MeshMachine(1);
  machine.memory.on_exceed = sim::OnExceed::kIgnore;
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2), TimedOp("b", 4)};
  ops[1].release = Microseconds(7);
  // a 0–2, b 7–11; without the release b 2–6.
  EXPECT_THAT(Answers(ExplainedPlan(MakeGraph(ops), machine, PlacedOn({0, 0}))),
              ElementsAre(Pair("no releases", 6)));
}

TEST(WhatIfTest, NothingToAskOfOneDeviceWithoutLimits) {
  sim::HardwareProfile machine = MeshMachine(1);
  machine.memory.on_exceed = sim::OnExceed::kIgnore;
  EXPECT_TRUE(Answers(ExplainedPlan(MakeGraph({TimedOp("a", 2)}), machine, PlacedOn({0}))).empty());
}

}  // namespace
}  // namespace opyard::experiments
