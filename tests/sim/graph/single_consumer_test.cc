#include "sim/graph/single_consumer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::sim {
namespace {

using ::testing::ElementsAre;

constexpr std::int32_t kNoLimit = 1000;

OpSpec Reads(const std::string& name, std::vector<InputRef> inputs, const std::string& label = "") {
  return {.name = name,
          .type = "Relu",
          .inputs = std::move(inputs),
          .outputs = {{.bytes = Bytes{2}}},
          .colocation = label};
}

std::vector<std::int32_t> Merged(const std::vector<OpSpec>& ops, std::int32_t max_ops) {
  OpGraphBuilder builder("test");
  for (const OpSpec& op : ops) {
    builder.AddOp(op);
  }
  const auto graph = builder.Build();
  return MergeSingleConsumers(*graph, ColocationGroups(*graph), max_ops).group_of;
}

TEST(MergeSingleConsumersTest, ADiamondMeltsFromItsEnd) {
  // b and c feed d only; then a feeds only that group. e stands alone.
  EXPECT_THAT(Merged({Reads("a", {}),
                      Reads("b", {{0, 0}}),
                      Reads("c", {{0, 0}}),
                      Reads("d", {{1, 0}, {2, 0}}),
                      Reads("e", {})},
                     kNoLimit),
              ElementsAre(0, 0, 0, 0, 1));
}

TEST(MergeSingleConsumersTest, WhatTwoGroupsReadStaysApart) {
  EXPECT_THAT(Merged({Reads("a", {}), Reads("b", {{0, 0}}), Reads("c", {{0, 0}})}, kNoLimit),
              ElementsAre(0, 1, 2));
}

TEST(MergeSingleConsumersTest, GroupsStopAtTheirLimit) {
  // A chain of five, three ops at most: e takes d and c; b takes a.
  EXPECT_THAT(Merged({Reads("a", {}),
                      Reads("b", {{0, 0}}),
                      Reads("c", {{1, 0}}),
                      Reads("d", {{2, 0}}),
                      Reads("e", {{3, 0}})},
                     3),
              ElementsAre(0, 0, 1, 1, 1));
}

TEST(MergeSingleConsumersTest, LabelledOpsMoveTogether) {
  // {a, c} is read by b and by d: two readers. b is read by c only and joins {a, c}; then only d
  // reads.
  EXPECT_THAT(Merged({Reads("a", {}, "g"),
                      Reads("b", {{0, 0}}),
                      Reads("c", {{1, 0}}, "g"),
                      Reads("d", {{2, 0}})},
                     kNoLimit),
              ElementsAre(0, 0, 0, 0));
}

TEST(MergeSingleConsumersTest, OtherDeviceKindsStayApart) {
  OpSpec on_cpu = Reads("a", {});
  on_cpu.device_kinds = DeviceKindSet::None();
  on_cpu.device_kinds.Insert(DeviceKind::kCpu);
  EXPECT_THAT(Merged({on_cpu, Reads("b", {{0, 0}}), Reads("c", {{1, 0}})}, kNoLimit),
              ElementsAre(0, 1, 1));
}

TEST(MergeSingleConsumersTest, ALongChainTakesFewPasses) {
  constexpr std::int64_t kLength = 100'000;
  std::vector<OpSpec> ops = {Reads("op0", {})};
  for (std::int64_t i = 1; i < kLength; ++i) {
    ops.push_back(Reads("op" + std::to_string(i), {{i - 1, 0}}));
  }
  const std::vector<std::int32_t> groups = Merged(ops, 100);
  EXPECT_EQ(groups.front(), 0);
  EXPECT_EQ(groups.back(), 999);  // 100,000 ops in groups of 100
}

}  // namespace
}  // namespace opyard::sim
