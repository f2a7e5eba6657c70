#include "sim/fusion/tensor_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/fusion/fusion_cases.h"

namespace opyard::sim {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::TypedOp;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A view of what op `from` makes.
OpSpec View(const std::string& name, std::int64_t from) {
  OpSpec op = TypedOp(name, "Reshape", {{from, 0}}, {1000});
  op.outputs[0].alias = Alias::kInput;
  return op;
}

// a with the names v and x, v with the name w; update writes in x's place.
std::shared_ptr<const OpGraph> SomeViews() {
  OpSpec update = View("update", 3);
  return MakeGraph({TypedOp("a", "Relu"), View("v", 0), View("w", 1), View("x", 0), update});
}

TEST(TensorNamesTest, ANameIsFollowedByItsOwnNames) {
  const auto graph = SomeViews();
  const TensorNames names(*graph, std::vector<std::uint8_t>{0, 1, 1, 1, 0});
  EXPECT_THAT(names.names_of(TensorId(0)), ElementsAre(TensorId(1), TensorId(2), TensorId(3)));
  EXPECT_THAT(names.names_of(TensorId(1)), ElementsAre(TensorId(2)));
}

TEST(TensorNamesTest, WhatTakesTimeGivesNoNames) {
  const auto graph = SomeViews();
  const TensorNames names(*graph, std::vector<std::uint8_t>{0, 1, 1, 1, 0});
  EXPECT_THAT(names.names_of(TensorId(3)), IsEmpty());
  EXPECT_THAT(names.names_of(TensorId(4)), IsEmpty());
}

}  // namespace
}  // namespace opyard::sim
