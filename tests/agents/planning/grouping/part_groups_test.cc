#include "agents/planning/grouping/part_groups.h"

#include <algorithm>
#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::UnevenOp;

// Two chains a0 → … → a3 and b0 → … → b3 whose tensors have 1 MB, by turns; b0 reads a byte of a0.
std::shared_ptr<const env::Problem> TwoChains() {
  std::vector<sim::OpSpec> ops = {UnevenOp("a0", {5, 5}, {}, {1'000'000, 1}),
                                  UnevenOp("b0", {5, 5}, {{0, 1}}, {1'000'000})};
  for (std::size_t i = 1; i < 4; ++i) {
    for (const char* chain : {"a", "b"}) {
      ops.push_back(UnevenOp(chain + std::to_string(i),
                             {5, 5},
                             {{static_cast<std::int64_t>(ops.size()) - 2, 0}},
                             {1'000'000}));
    }
  }
  return MakeProblem(MakeGraph(ops), MeshMachine(2));
}

std::map<std::int32_t, int> SizesOf(const sim::Grouping& grouping) {
  std::map<std::int32_t, int> sizes;
  for (const std::int32_t group : grouping.group_of) {
    ++sizes[group];
  }
  return sizes;
}

TEST(PartGroupsTest, MetisCutsWhereLittleTravels) {
  const sim::Grouping grouping = MetisGroups(*TwoChains(), 2, 0);
  EXPECT_THAT(grouping.group_of, ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
  EXPECT_EQ(grouping.num_groups, 2);
}

TEST(PartGroupsTest, NoMorePartsThanThereAreGroups) {
  EXPECT_EQ(MetisGroups(*TwoChains(), 100, 0).num_groups, 8);
  EXPECT_EQ(RandomGroups(*TwoChains(), 100, 0).num_groups, 8);
}

TEST(PartGroupsTest, RandomGroupsHaveEqualCounts) {
  // 8 ops into 3 groups: 3, 3 and 2.
  for (std::int32_t seed = 0; seed < 20; ++seed) {
    std::vector<int> counts;
    for (const auto& [group, count] : SizesOf(RandomGroups(*TwoChains(), 3, seed))) {
      counts.push_back(count);
    }
    EXPECT_THAT(counts, ::testing::UnorderedElementsAre(3, 3, 2)) << "seed " << seed;
  }
}

TEST(PartGroupsTest, TheSeedDecidesWhoIsDealtTogether) {
  EXPECT_EQ(RandomGroups(*TwoChains(), 3, 4), RandomGroups(*TwoChains(), 3, 4));
  std::vector<std::vector<std::int32_t>> found;
  for (std::int32_t seed = 0; seed < 20; ++seed) {
    found.push_back(RandomGroups(*TwoChains(), 3, seed).group_of);
  }
  std::ranges::sort(found);
  EXPECT_GT(std::ranges::unique(found).begin() - found.begin(), 10);
}

TEST(PartGroupsTest, OnlyWhatMayUseTheSameDevicesIsPlacedTogether) {
  for (const auto& [name, problem] : testing::ConformanceProblems(testing::kPlacement)) {
    for (const sim::Grouping& grouping :
         {MetisGroups(*problem, 2, 0), RandomGroups(*problem, 2, 0)}) {
      std::map<std::int32_t, std::vector<DeviceId>> allowed;
      for (std::size_t op = 0; op < grouping.group_of.size(); ++op) {
        const auto own = problem->AllowedDevices(GroupId(problem->grouping().group_of[op]));
        const std::vector<DeviceId> devices(own.begin(), own.end());
        const auto first = allowed.try_emplace(grouping.group_of[op], devices).first;
        EXPECT_EQ(first->second, devices) << name << ", op " << op;
      }
    }
  }
}

}  // namespace
}  // namespace opyard::agents
