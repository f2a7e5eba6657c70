#include "agents/search/local_search/single_changes.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::TimedOp;

std::string TextOf(const Decisions& decisions) {
  std::string text;
  for (const DeviceId device : decisions.device_of_group) {
    text += std::to_string(device.value) + " ";
  }
  for (const std::int64_t level : decisions.priority_of_group) {
    text += std::to_string(level) + " ";
  }
  for (const std::int32_t level : decisions.fusion_of_group) {
    text += std::to_string(level) + " ";
  }
  return text;
}

std::size_t NumDifferences(const std::string& a, const std::string& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    count += a[i] == b[i] ? 0 : 1;
  }
  return count;
}

// "host" runs on the CPU alone (device 3), "a" and "b" on the three GPUs and on it.
std::shared_ptr<const env::Problem> ThreeOps(env::TaskSet tasks) {
  std::vector<sim::OpSpec> ops{TimedOp("host", 2), TimedOp("a", 3), TimedOp("b", 5)};
  ops[0].device_kinds = sim::DeviceKindSet::None();
  ops[0].device_kinds.Insert(sim::DeviceKind::kCpu);
  return testing::MakeProblem(MakeGraph(ops), testing::MeshWithCpu(3), tasks);
}

TEST(SingleChangesTest, AreAllThereAndDifferInOneChoice) {
  const auto problem = ThreeOps(testing::kBoth);
  const SingleChanges changes(*problem, 4);
  // Devices: 0 for "host", 3 each for "a" and "b". Levels: 3 for each of three.
  ASSERT_EQ(changes.size(), 15U);
  const Decisions state{.device_of_group = {DeviceId(std::size_t{3}),
                                            DeviceId(std::size_t{1}),
                                            DeviceId(std::size_t{2})},
                        .priority_of_group = {0, 3, 1}};
  std::set<std::string> texts;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Decisions changed = changes.Make(state, i);
    EXPECT_EQ(NumDifferences(TextOf(changed), TextOf(state)), 1U);
    EXPECT_EQ(changed.device_of_group[0], DeviceId(std::size_t{3}));
    for (const std::int64_t level : changed.priority_of_group) {
      EXPECT_TRUE(level >= 0 && level < 4);
    }
    texts.insert(TextOf(changed));
  }
  EXPECT_EQ(texts.size(), 15U);
}

TEST(SingleChangesTest, FusionHasALevelFewerThanThereAre) {
  const auto problem = ThreeOps(testing::kFusion);
  const SingleChanges changes(*problem, 4);
  EXPECT_EQ(changes.size(), 3U * (kNumFusionLevels - 1));
  const Decisions state{.fusion_of_group = {5, 0, 19}};
  std::set<std::int32_t> levels;
  for (std::size_t i = 0; i < kNumFusionLevels - 1; ++i) {
    levels.insert(changes.Make(state, i).fusion_of_group[0]);
  }
  EXPECT_EQ(levels.size(), kNumFusionLevels - 1U);
  EXPECT_FALSE(levels.contains(5));
}

}  // namespace
}  // namespace opyard::agents
