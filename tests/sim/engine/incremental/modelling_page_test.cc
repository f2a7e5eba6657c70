// docs/modelling.md says how many states of a run are remembered.
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/data_root.h"
#include "tests/support/agreement.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

TEST(ModellingPageTest, SaysHowManyStatesOfARunAreRemembered) {
  constexpr std::int64_t kNumOps = 1000;  // more than anyone would remember
  std::vector<sim::OpSpec> chain = {TimedOp("op0", 1)};
  for (std::int64_t i = 1; i < kNumOps; ++i) {
    chain.push_back(TimedOp("op" + std::to_string(i), 1, {{i - 1, 0}}));
  }
  const EngineAndReference both(MakeGraph(std::move(chain)), MeshMachine(2));
  sim::Workspace workspace;
  sim::RunHistory history;
  (void)both.simulator().RunWithCheckpoints(
      PlacedOn(std::vector<std::int32_t>(kNumOps)), workspace, history);

  std::ifstream file(DataRoot() / "docs" / "modelling.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  std::smatch found;
  ASSERT_TRUE(std::regex_search(page, found, std::regex("up to ([0-9]+) states")));
  EXPECT_EQ(std::to_string(history.num_checkpoints), found[1]);
}

}  // namespace
}  // namespace opyard::testing
