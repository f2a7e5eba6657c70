#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::Outcome;
using testing::RunAgent;

// Nine independent ops on three devices: 9 + 3, 8 + 4 and 7 + 5 take 12 µs, and 6 with 2 + 2 + 2
// does too. The longest first: 9, 8, 7, 6, 5, 4, 3, then twos: 9 + 4 is 13 already.
std::shared_ptr<const env::Problem> TenOps() {
  std::vector<sim::OpSpec> ops;
  for (const std::int64_t micros : {9, 8, 7, 6, 5, 4, 3, 2, 2, 2}) {
    ops.push_back(TimedOp("op" + std::to_string(ops.size()), micros));
  }
  return testing::MakeProblem(MakeGraph(ops), MeshMachine(4), testing::kBoth);
}

TEST(ListSearchTest, FindsThePackingThatTheLongestFirstMisses) {
  // 48 µs on four devices.
  const Outcome outcome = RunAgent("list_search", TenOps(), {.evaluations = 1000});
  EXPECT_EQ(outcome.best->evaluation.result.makespan, opyard::testing::Microseconds(12));
  const Outcome rule = RunAgent("critical_path_aware", TenOps(), {.evaluations = 1000});
  EXPECT_GT(rule.best->evaluation.result.makespan, opyard::testing::Microseconds(12));
}

TEST(ListSearchTest, SpendsTheWholeBudget) {
  EXPECT_EQ(RunAgent("list_search", TenOps(), {.evaluations = 333}).num_evaluations, 333);
}

TEST(ListSearchTest, KeepsToMemoryWhereListsDoNotByThemselves) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kBoth)) {
    SCOPED_TRACE(named.name);
    const Outcome search = RunAgent("list_search", named.problem, {.evaluations = 200});
    const Outcome rule = RunAgent("heft_aware", named.problem, {.evaluations = 200});
    EXPECT_GE(search.best->evaluation.is_feasible(), rule.best->evaluation.is_feasible());
    if (rule.best->evaluation.is_feasible()) {
      EXPECT_LE(search.best->evaluation.score, rule.best->evaluation.score * 1.05);
    }
  }
}

}  // namespace
}  // namespace opyard::agents
