#include "agents/planning/estimates/critical_reassignments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/evaluator.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::PlacedOn;
using opyard::testing::TimedOp;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

constexpr double kUs = 1e-6;
constexpr double kRounding = 1e-15;

std::vector<Reassignment> ReassignmentsOf(const std::shared_ptr<const env::Problem>& problem,
                                          const sim::Plan& plan) {
  env::Evaluator evaluator(problem, {});
  return CriticalReassignments(*problem,
                               FindCriticalStep(*problem, plan, *evaluator.EvaluateDetailed(plan)));
}

auto Is(std::size_t group, std::int32_t device, double us) {
  return AllOf(Field(&Reassignment::group, group),
               Field(&Reassignment::device, DeviceId(device)),
               Field(&Reassignment::seconds, DoubleNear(us * kUs, kRounding)));
}

// a 0–2 on d0, its output travels 2–3 to d1, where c runs 3–9; b, on d0 2–7, holds up nothing.
TEST(CriticalReassignmentsTest, EitherEndOfACriticalTransferMayGoToTheOther) {
  const auto problem = testing::MakeProblem(
      MakeGraph({TimedOp("a", 2), TimedOp("b", 5), TimedOp("c", 6, {{0, 0}})}), MeshMachine(3));
  EXPECT_THAT(ReassignmentsOf(problem, PlacedOn({0, 0, 1})), ElementsAre(Is(0, 1, 1), Is(2, 0, 1)));
}

// a 0–2 on d0; its outputs for b, 3000 bytes, and for c, 1000 bytes, share the link to d1: 2–5 and
// 5–6. b runs 5–6 and c 6–11: c's input waited 3 us and travelled 1 us. b's transfer is not on the
// path.
TEST(CriticalReassignmentsTest, TheWaitForAChannelCounts) {
  const auto problem = testing::MakeProblem(MakeGraph({TimedOp("a", 2, {}, {3000, 1000}),
                                                       TimedOp("b", 1, {{0, 0}}),
                                                       TimedOp("c", 5, {{0, 1}})}),
                                            MeshMachine(2));
  EXPECT_THAT(ReassignmentsOf(problem, PlacedOn({0, 1, 1})), ElementsAre(Is(0, 1, 4), Is(2, 0, 4)));
}

// a 0–2 on d0 and b 3–6 on d1 and c 7–12 on d0: b may go to d0 for both transfers, which are 2 us.
TEST(CriticalReassignmentsTest, EqualReassignmentsAddUp) {
  const auto problem = testing::MakeProblem(
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 5, {{1, 0}})}),
      MeshMachine(2));
  EXPECT_THAT(ReassignmentsOf(problem, PlacedOn({0, 1, 0})),
              ElementsAre(Is(0, 1, 1), Is(1, 0, 2), Is(2, 1, 1)));
}

// The host's op may run on the CPU d2 alone: only a may go to its side of the transfer.
TEST(CriticalReassignmentsTest, AGroupGoesOnlyWhereItMay) {
  std::vector<sim::OpSpec> ops{TimedOp("host", 2), TimedOp("a", 3, {{0, 0}})};
  ops[0].device_kinds = sim::DeviceKindSet::None();
  ops[0].device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = testing::MakeProblem(MakeGraph(ops), testing::MeshWithCpu(2));
  EXPECT_THAT(ReassignmentsOf(problem, PlacedOn({2, 0})), ElementsAre(Is(1, 2, 1)));
}

TEST(CriticalReassignmentsTest, ThereAreNoneWithoutTransfersOrWherePlacementIsNoTask) {
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("b", 5, {{0, 0}})});
  EXPECT_THAT(ReassignmentsOf(testing::MakeProblem(graph, MeshMachine(2)), PlacedOn({0, 0})),
              IsEmpty());
  EXPECT_THAT(ReassignmentsOf(testing::MakeProblem(graph, MeshMachine(2), testing::kScheduling),
                              PlacedOn({0, 1})),
              IsEmpty());
}

}  // namespace
}  // namespace opyard::agents
