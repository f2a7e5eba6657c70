#include "experiments/store/former_rows.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

TEST(FormerRowsTest, OptionsAreRenamedInParametersAndCommands) {
  const AgentWords now =
      WithNewNames({.label = "small",
                    .name = "hdp",
                    .params = R"({"clip":0.5,"hidden":16,"samples":4})",
                    .reproduce = "opyard place --agent hdp --param clip=0.5 --param hidden=16 "
                                 "--param samples=4 --seed 1"});
  EXPECT_EQ(now.label, "small");
  EXPECT_EQ(now.name, "hdp");
  EXPECT_EQ(now.params, R"({"batch_size":4,"hidden":16,"max_grad_norm":0.5})");
  EXPECT_EQ(now.reproduce,
            "opyard place --agent hdp --param max_grad_norm=0.5 --param hidden=16 "
            "--param batch_size=4 --seed 1");
}

TEST(FormerRowsTest, AFaithfulHeuristicKeepsItsName) {
  const AgentWords now =
      WithNewNames({.label = "heft-faithful",
                    .name = "heft",
                    .params = R"({"faithful":true})",
                    .reproduce = "opyard place --agent heft --param faithful=true --seed 0"});
  EXPECT_EQ(now,
            (AgentWords{.label = "heft-faithful",
                        .name = "heft",
                        .params = "{}",
                        .reproduce = "opyard place --agent heft --seed 0"}));
}

TEST(FormerRowsTest, WhatHasNoFormerNameStaysAsItIs) {
  const AgentWords words{.label = "metis",
                         .name = "metis",
                         .params = R"({ "tries": 4 })",
                         .reproduce = "opyard place --agent metis --param tries=4"};
  EXPECT_EQ(WithNewNames(words), words);
}

TEST(FormerRowsTest, DamagedParametersAreRefused) {
  EXPECT_THROW(static_cast<void>(WithNewNames({.name = "go", .params = "[1]"})), InputError);
  EXPECT_THROW(static_cast<void>(WithNewNames({.name = "go", .params = R"({"a":[]})"})),
               InputError);
}

}  // namespace
}  // namespace opyard::experiments
