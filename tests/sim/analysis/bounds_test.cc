#include "sim/analysis/bounds.h"

#include <gtest/gtest.h>

#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

TEST(MemoryBoundTest, IsParametersAndTheLargestWorkingSet) {
  sim::OpSpec work = TimedOp("b", 1, {{0, 0}, {1, 0}}, {30});
  work.workspace_bytes = Bytes{7};
  const auto graph = MakeGraph({VariableOp("w", 1000), TimedOp("a", 1, {}, {20}), work});
  // The Variable's output is its parameters; b holds 20 in, 30 out and 7 of workspace.
  EXPECT_EQ(sim::MemoryBound(*graph), Bytes{1057});
}

TEST(MemoryBoundTest, CountsAStorageOnce) {
  sim::OpSpec view = TimedOp("view", 1, {{0, 0}}, {20});
  view.outputs[0].alias = sim::Alias::kInput;
  const auto graph =
      MakeGraph({TimedOp("a", 1, {}, {20}), view, TimedOp("c", 1, {{0, 0}, {1, 0}, {0, 0}}, {5})});
  // c reads a and a view of it: 20 in, 5 out.
  EXPECT_EQ(sim::MemoryBound(*graph), Bytes{25});
}

}  // namespace
}  // namespace opyard::testing
