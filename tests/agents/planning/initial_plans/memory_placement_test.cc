#include "agents/planning/initial_plans/memory_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;

constexpr DeviceId kD0{std::int32_t{0}};
constexpr DeviceId kD1{std::int32_t{1}};
constexpr DeviceId kHost{std::int32_t{2}};

std::vector<sim::OpSpec> Parameters(const std::vector<std::int64_t>& kilobytes) {
  std::vector<sim::OpSpec> ops;
  for (const std::int64_t size : kilobytes) {
    ops.push_back(TimedOp("op" + std::to_string(ops.size()), 5, {}, {}));
    ops.back().param_bytes = Bytes{size * 1000};
  }
  return ops;
}

TEST(MemoryPlacementTest, LargeGroupsArePlacedFirst) {
  const auto problem = MakeProblem(MakeGraph(Parameters({200, 300, 700})), MeshMachine(2));
  // 700 on d0; 300 and 200 on d1, where 700 and 800 kB are left rather than 0 and 100.
  EXPECT_THAT(PlacementBySize(*problem), ElementsAre(kD1, kD1, kD0));
}

TEST(MemoryPlacementTest, TheHostTakesOnlyWhatOthersHaveNoRoomFor) {
  const auto problem = MakeProblem(MakeGraph(Parameters({900, 100, 800})), testing::MeshWithCpu(2));
  // 900 on d0, 800 on d1, 100 on d1; the host would have most room for each.
  EXPECT_THAT(PlacementBySize(*problem), ElementsAre(kD0, kD1, kD1));
  GroupMemory memory(*problem, 1.0);
  EXPECT_EQ(RoomiestDevice(*problem, memory, 1), kD0);
  memory.Add(0, kD0);
  memory.Add(0, kD1);
  EXPECT_EQ(RoomiestDevice(*problem, memory, 2), kHost);
}

TEST(MemoryPlacementTest, CopiesOfWhatIsReadElsewhereTakeRoom) {
  // a holds 400 and makes 300 kB, b holds 600 and c 200; c reads a. 700 on d0, 600 on d1. With c,
  // d1 would hold 600 + 200 + a copy of 300 = 1100 kB, d0 900.
  std::vector<sim::OpSpec> ops = Parameters({400, 600, 200});
  ops[0].outputs.push_back({.bytes = Bytes{300'000}});
  ops[2].inputs = {{0, 0}};
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));
  EXPECT_THAT(PlacementBySize(*problem), ElementsAre(kD0, kD1, kD0));
}

}  // namespace
}  // namespace opyard::agents
