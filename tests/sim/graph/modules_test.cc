#include "sim/graph/modules.h"

#include <algorithm>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/rng.h"

namespace opyard::sim {
namespace {

using ::testing::ElementsAre;

// One op of a step, with one output.
OpSpec Step(const std::string& name, Phase phase, std::vector<InputRef> inputs) {
  return {.name = name,
          .type = "Relu",
          .inputs = std::move(inputs),
          .outputs = {{.bytes = Bytes{2}}},
          .phase = phase};
}

OpSpec In(const std::string& module, OpSpec op) {
  op.module = module;
  return op;
}

OpSpec Sharing(const std::string& label, OpSpec op) {
  op.colocation = label;
  return op;
}

std::shared_ptr<const OpGraph> Build(std::vector<OpSpec> ops) {
  OpGraphBuilder builder("test");
  for (OpSpec& op : ops) {
    builder.AddOp(std::move(op));
  }
  return builder.Build();
}

std::vector<std::string> PathsOf(const ModuleTree& tree) {
  std::vector<std::string> paths;
  for (const Module& module : tree.modules) {
    paths.push_back(module.path);
  }
  return paths;
}

// The path of the module of each op.
std::vector<std::string> PathsOfOps(const OpGraph& graph) {
  const ModuleTree tree = ModuleTreeOf(graph);
  std::vector<std::string> paths;
  for (const std::int32_t module : tree.module_of) {
    paths.push_back(tree.modules[static_cast<std::size_t>(module)].path);
  }
  return paths;
}

constexpr Phase kForward = Phase::kForward;
constexpr Phase kBackward = Phase::kBackward;
constexpr Phase kUpdate = Phase::kUpdate;

TEST(ModuleTreeTest, SiblingsFollowTheForwardPassAndNotTheAlphabetOrTheWeights) {
  // The weight of "b" stands first in the file, but "c" runs first.
  const auto graph = Build({In("b", Step("w", kForward, {})),
                            In("c.x", Step("in", kForward, {})),
                            In("c.x", Step("first", kForward, {{1, 0}})),
                            In("b", Step("second", kForward, {{2, 0}, {0, 0}})),
                            In("c.a", Step("third", kForward, {{3, 0}}))});

  const ModuleTree tree = ModuleTreeOf(*graph);

  EXPECT_THAT(PathsOf(tree), ElementsAre("", "c", "c.x", "c.a", "b"));
  EXPECT_THAT(tree.module_of, ElementsAre(4, 2, 2, 4, 3));
  EXPECT_THAT(tree.modules[0].children, ElementsAre(1, 4));
  EXPECT_THAT(tree.modules[1].children, ElementsAre(2, 3));
  EXPECT_EQ(tree.modules[3].parent, 1);
}

TEST(ModuleTreeTest, DepthsAndAncestorsCountFromTheNetwork) {
  const auto graph = Build({In("a.b.c", Step("op", kForward, {}))});
  const ModuleTree tree = ModuleTreeOf(*graph);  // "", a, a.b, a.b.c

  EXPECT_EQ(DepthOf(tree, 0), 0);
  EXPECT_EQ(DepthOf(tree, 3), 3);
  EXPECT_EQ(AncestorAt(tree, 3, 1), 1);
  EXPECT_EQ(AncestorAt(tree, 3, 0), 0);
  EXPECT_EQ(AncestorAt(tree, 2, 5), 2);
}

TEST(ModuleTreeTest, AWeightAndItsUpdateBelongToTheModuleThatReadsTheWeight) {
  const auto graph = Build({Sharing("w", Step("w", kForward, {})),
                            In("dense", Step("product", kForward, {{0, 0}})),
                            In("dense", Step("gradient", kBackward, {{1, 0}})),
                            Sharing("w", Step("update", kUpdate, {{0, 0}, {2, 0}}))});

  EXPECT_THAT(PathsOfOps(*graph), ElementsAre("dense", "dense", "dense", "dense"));
}

TEST(ModuleTreeTest, ALabelGoesBeforeProducers) {
  const auto graph = Build({In("a", Sharing("l", Step("a", kForward, {}))),
                            In("b", Step("b", kForward, {})),
                            Sharing("l", Step("open", kForward, {{1, 0}}))});

  EXPECT_THAT(PathsOfOps(*graph), ElementsAre("a", "b", "a"));
}

TEST(ModuleTreeTest, ASumOfGradientsBelongsToTheModuleAroundThem) {
  // Gradients from both branches of "block", which has an op of its own.
  const auto graph = Build({In("block", Step("add", kForward, {})),
                            In("block.left", Step("left", kBackward, {{0, 0}})),
                            In("block.right", Step("right", kBackward, {{0, 0}})),
                            Step("sum", kBackward, {{1, 0}, {2, 0}})});

  EXPECT_THAT(PathsOfOps(*graph), ElementsAre("block", "block.left", "block.right", "block"));
}

TEST(ModuleTreeTest, BetweenModulesOfAMereListTheFirstProducerCounts) {
  // "layers" itself has no op: it is a list of modules.
  const auto graph = Build({In("layers.0", Step("zero", kForward, {})),
                            In("layers.1", Step("one", kForward, {{0, 0}})),
                            Step("sum", kBackward, {{1, 0}, {0, 0}})});

  EXPECT_THAT(PathsOfOps(*graph), ElementsAre("layers.0", "layers.1", "layers.1"));
}

TEST(ModuleTreeTest, WhatServesTheWholeNetworkBelongsToIt) {
  // An input of two modules, and an update that reads gradients of both: the norm of all gradients.
  const auto graph = Build({Step("mask", kForward, {}),
                            In("a", Step("a", kForward, {{0, 0}})),
                            In("b", Step("b", kForward, {{0, 0}})),
                            Step("norm", kUpdate, {{1, 0}, {2, 0}})});

  EXPECT_THAT(PathsOfOps(*graph), ElementsAre("", "a", "b", ""));
}

TEST(ModuleTreeTest, AWeightOfTwoModulesBelongsToItsFirstForwardReader) {
  OpSpec weight = Step("weight", kForward, {});
  weight.param_bytes = Bytes{3};
  const auto graph = Build({std::move(weight),
                            In("late", Step("back", kBackward, {{0, 0}, {3, 0}})),
                            In("embed", Step("embed", kForward, {{0, 0}})),
                            In("head", Step("head", kForward, {{0, 0}, {2, 0}}))});

  EXPECT_EQ(PathsOfOps(*graph)[0], "embed");
}

TEST(ModuleTreeTest, ChainsWithoutAPathFollowTheNextOpThatHasOne) {
  // Against the order: input → cast → "stem"; in the order: "stem" → view → view.
  const auto graph = Build({Step("input", kForward, {}),
                            Step("cast", kForward, {{0, 0}}),
                            In("stem", Step("stem", kForward, {{1, 0}})),
                            Step("view", kForward, {{2, 0}}),
                            Step("view2", kForward, {{3, 0}})});

  EXPECT_THAT(PathsOfOps(*graph), ElementsAre("stem", "stem", "stem", "stem", "stem"));
}

TEST(ModuleTreeTest, ASaidNetworkStaysTheNetwork) {
  const auto graph =
      Build({In("a", Step("a", kForward, {})), In("", Step("loss", kForward, {{0, 0}}))});

  EXPECT_THAT(PathsOfOps(*graph), ElementsAre("a", ""));
}

TEST(ModuleTreeTest, WithoutAnyPathTheNamesTell) {
  const auto graph = Build({Step("a/b/op", kForward, {}), Step("a/other", kForward, {{0, 0}})});

  EXPECT_THAT(PathsOfOps(*graph), ElementsAre("a.b", "a"));
}

TEST(ModuleTreeTest, WithoutPathsAndScopesAllBelongsToTheNetwork) {
  const auto graph = Build({Step("a", kForward, {}), Step("b", kForward, {{0, 0}})});

  EXPECT_THAT(PathsOf(ModuleTreeOf(*graph)), ElementsAre(""));
}

TEST(ModuleGroupsTest, AGroupIsAModuleWithOpsOfItsOwn) {
  const auto graph = Build({In("layers.1", Step("b", kForward, {})),
                            In("layers.0", Step("a", kForward, {})),
                            In("layers.1", Step("c", kBackward, {{0, 0}}))});

  const Grouping groups = ModuleGroups(*graph, ModuleTreeOf(*graph), std::nullopt);

  EXPECT_EQ(groups.num_groups, 2);  // "layers" and the network have none
  EXPECT_THAT(groups.group_of, ElementsAre(0, 1, 0));
}

TEST(ModuleGroupsTest, AtADepthModulesHoldTheModulesInside) {
  const auto graph = Build({In("a.x", Step("a", kForward, {})),
                            In("a.y.z", Step("b", kForward, {{0, 0}})),
                            In("c", Step("c", kForward, {{1, 0}})),
                            In("", Step("d", kForward, {{2, 0}}))});
  const ModuleTree tree = ModuleTreeOf(*graph);

  EXPECT_THAT(ModuleGroups(*graph, tree, 1).group_of, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(ModuleGroups(*graph, tree, 2).group_of, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(ModuleGroups(*graph, tree, 0).num_groups, 1);
}

TEST(ModuleGroupsTest, CoLocatedOpsStayInTheModuleOfTheFirst) {
  const auto graph = Build({In("embed", Sharing("w", Step("w", kForward, {}))),
                            In("embed", Step("look_up", kForward, {{0, 0}})),
                            In("head", Step("head", kForward, {{1, 0}})),
                            In("head", Sharing("w", Step("update", kUpdate, {{2, 0}})))});

  EXPECT_THAT(ModuleGroups(*graph, ModuleTreeOf(*graph), std::nullopt).group_of,
              ElementsAre(0, 0, 1, 0));
}

// `graph` with modules "m0" … "m3" and "m0.inner" for some of its ops.
std::shared_ptr<const OpGraph> WithModules(std::vector<OpSpec> specs, Rng& rng) {
  for (OpSpec& op : specs) {
    const std::int64_t choice = rng.Between(0, 6);
    if (choice < 5) {
      op.module = choice == 4 ? "m0.inner" : "m" + std::to_string(choice);
    }
  }
  return Build(std::move(specs));
}

TEST(ModuleTreePropertyTest, TreesAreInDepthFirstOrderAndGroupsCoverModules) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    std::vector<OpSpec> specs;
    for (std::int64_t i = 0; i < 40; ++i) {
      std::vector<InputRef> inputs;
      for (std::int64_t k = rng.Between(0, 2); k > 0 && i > 0; --k) {
        inputs.push_back({.op = rng.Between(0, i - 1), .output = 0});
      }
      specs.push_back(
          Step("op" + std::to_string(i), static_cast<Phase>(rng.Between(0, 3)), std::move(inputs)));
      specs.back().colocation = rng.Between(0, 9) == 0 ? "label" : "";
    }
    const auto graph = WithModules(std::move(specs), rng);
    const ModuleTree tree = ModuleTreeOf(*graph);

    for (std::size_t i = 1; i < tree.modules.size(); ++i) {
      // Depth-first: the parent is the module just before, or around it.
      std::int32_t around = static_cast<std::int32_t>(i) - 1;
      while (around != tree.modules[i].parent && around >= 0) {
        around = tree.modules[static_cast<std::size_t>(around)].parent;
      }
      EXPECT_EQ(around, tree.modules[i].parent);
    }
    for (std::size_t op = 0; op < graph->num_ops(); ++op) {
      const auto& said = graph->ops()[op].module;
      if (said.has_value()) {
        EXPECT_EQ(tree.modules[static_cast<std::size_t>(tree.module_of[op])].path,
                  graph->module_paths()[static_cast<std::size_t>(*said)]);
      }
    }
    const Grouping fine = ModuleGroups(*graph, tree, std::nullopt);
    const Grouping coarse = ModuleGroups(*graph, tree, 1);
    std::map<std::int32_t, std::int32_t> coarse_of;  // a fine group is in one coarse one
    for (std::size_t op = 0; op < graph->num_ops(); ++op) {
      const auto [entry, is_new] = coarse_of.try_emplace(fine.group_of[op], coarse.group_of[op]);
      EXPECT_EQ(entry->second, coarse.group_of[op]);
    }
  }
}

}  // namespace
}  // namespace opyard::sim
