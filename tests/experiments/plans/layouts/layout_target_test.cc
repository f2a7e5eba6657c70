// All targets of `opyard plan export`.
#include "experiments/plans/layouts/layout_target.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/base/rng.h"
#include "tests/experiments/plans/layouts/layout_case.h"

namespace opyard::experiments {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LayoutCase;
using Names = std::vector<std::string>;

TEST(LayoutTargetsTest, AreSortedByName) {
  Names names;
  for (const LayoutTarget& target : LayoutTargets()) {
    names.emplace_back(target.name);
  }
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(LayoutTargetOf("vllm").name, "vllm");
}

class AnyTargetTest : public ::testing::TestWithParam<std::string> {};

// The nearest plan of a random one is written, completes, and is expressed as it is.
TEST_P(AnyTargetTest, TheNearestPlanIsExpressible) {
  const LayoutCase network({.num_blocks = 3, .has_backward = false}, 2);
  Rng rng(11);
  for (int i = 0; i < 30; ++i) {
    sim::Plan plan{.placement = {}, .queue = sim::QueueDiscipline::kFifo};
    for (std::size_t op = 0; op < network.graph().num_ops(); ++op) {
      plan.placement.emplace_back(static_cast<std::int32_t>(rng.Below(3)));
    }
    const LayoutExport result = network.Export(plan, GetParam(), {.nearest = true});
    EXPECT_THAT(ReasonsText(result.left), "") << i;
    ASSERT_TRUE(result.is_written()) << i;
    EXPECT_EQ(result.run_as_exported.result.outcome, sim::Outcome::kCompleted);
    EXPECT_THAT(ReasonsText(network.Export(result.run_plan, GetParam()).inexpressible), "") << i;
  }
}

TEST_P(AnyTargetTest, APlanOnOneDeviceIsExpressedAndTakesAsLong) {
  const LayoutCase network({.num_blocks = 2, .has_backward = false});
  const LayoutExport result = network.Export(network.ProgramOn({{"", 0}}), GetParam());
  EXPECT_THAT(ReasonsText(result.inexpressible), "");
  EXPECT_EQ(result.run.result.makespan, result.run_as_exported.result.makespan);
}

INSTANTIATE_TEST_SUITE_P(Targets,
                         AnyTargetTest,
                         ::testing::Values("accelerate",
                                           "llama.cpp",
                                           "megatron",
                                           "onnxruntime",
                                           "python",
                                           "torch-pipelining",
                                           "torchtitan",
                                           "vllm"),
                         [](const auto& target) {
                           std::string name = target.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '.' || c == '-'; }, '_');
                           return name;
                         });

// embed and layers.0 on d0, the rest on d1, without a backward pass.
class TwoStagesTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string TextOf(const std::string& target,
                                   const LayoutOptions& options = {},
                                   const std::string& name = "") const {
    return network_.TextOf(
        network_.ProgramOn({{"", 1}, {"embed", 0}, {"layers.0", 0}}), target, options, name);
  }

  LayoutCase network_{{.num_blocks = 4, .has_backward = false}};
};

TEST_F(TwoStagesTest, AsMegatronReadsThem) {
  EXPECT_EQ(TextOf("megatron"),
            "--pipeline-model-parallel-size 2\n--pipeline-model-parallel-layout \"Et|t*3L\"\n");
}

TEST_F(TwoStagesTest, AsVllmReadsThem) {
  EXPECT_EQ(TextOf("vllm"), "VLLM_PP_LAYER_PARTITION=1,3\n");
  EXPECT_EQ(TextOf("vllm", {}, "vllm-arguments.txt"), "--pipeline-parallel-size 2\n");
}

TEST_F(TwoStagesTest, AsLlamaCppReadsThem) {
  EXPECT_EQ(TextOf("llama.cpp"),
            "--n-gpu-layers 5\n--device CUDA0,CUDA1\n--split-mode layer\n--tensor-split 1,4\n"
            "--override-tensor \"token_embd=CUDA0\"\n");
}

TEST_F(TwoStagesTest, AsTorchPipeliningReadsThem) {
  const json points = json::parse(TextOf("torch-pipelining"));
  EXPECT_EQ(points.at("split_points"), json({{"layers.1", "BEGINNING"}}));
  EXPECT_EQ(points.at("ranks").at(1), json({{"device", "d1"}, {"stages", {1}}}));
}

TEST_F(TwoStagesTest, AsTorchtitanReadsThem) {
  EXPECT_EQ(TextOf("torchtitan"),
            "[parallelism]\npipeline_parallel_degree = 2\nmodule_fqns_per_model_part = "
            "[[\"embed\",\"layers.0\"],[\"layers.1\",\"layers.2\",\"layers.3\",\"head\"]]\n");
  EXPECT_THAT(TextOf("torchtitan", {.schedule = StageSchedule::kGPipe, .microbatches = 2}),
              HasSubstr("pipeline_parallel_schedule_csv = \"schedule.csv\"\n"));
}

TEST_F(TwoStagesTest, RanksThatAreOtherGpusAreNamed) {
  const sim::Plan plan = network_.ProgramOn({{"", 0}, {"embed", 1}, {"layers.0", 1}});
  EXPECT_EQ(network_.TextOf(plan, "vllm"),
            "VLLM_PP_LAYER_PARTITION=1,3\nCUDA_VISIBLE_DEVICES=1,0\n");
  EXPECT_THAT(network_.TextOf(plan, "torchtitan"), HasSubstr("# CUDA_VISIBLE_DEVICES=1,0\n"));
}

TEST(LlamaCppTest, BlocksOnTheCpuAreOverridden) {
  const LayoutCase network({.num_blocks = 4, .has_backward = false});
  const sim::Plan plan =
      network.ProgramOn({{"", 0}, {"embed", 2}, {"layers.0", 2}, {"layers.1", 2}});
  // 4 blocks and the output count on d0, of which two have their weights on the CPU.
  EXPECT_EQ(network.TextOf(plan, "llama.cpp"),
            "--n-gpu-layers 5\n--device CUDA0\n--split-mode layer\n--tensor-split 5\n"
            "--override-tensor \"^blk\\.(0|1)\\.=CPU\"\n");
  EXPECT_EQ(network.TextOf(network.ProgramOn({{"", 2}}), "llama.cpp"), "--n-gpu-layers 0\n");
}

TEST(OnnxruntimeTest, NodesHaveTheNamesOfDevices) {
  const LayoutCase network({.num_blocks = 2, .has_backward = false});
  const sim::Plan plan = network.ProgramOn({{"", 1}, {"embed", 2}});
  const json nodes = json::parse(network.TextOf(plan, "onnxruntime"));
  EXPECT_EQ(nodes.at("embed/mm"), "cpu");
  EXPECT_EQ(nodes.at("head/mm"), "d1");
  EXPECT_FALSE(nodes.contains("head/weight"));
  EXPECT_EQ(json::parse(network.TextOf(plan, "onnxruntime", {}, "session_options.json")),
            json({{"session.layer_assignment_settings", "gpu:1(=d1); cpu(=cpu)"}}));
}

TEST(OnnxruntimeTest, TwoGpusAreNamed) {
  const LayoutCase network({.num_blocks = 2, .has_backward = false});
  const LayoutExport result =
      network.Export(network.ProgramOn({{"", 1}, {"embed", 0}}), "onnxruntime");
  ASSERT_EQ(result.inexpressible.size(), 1U);
  EXPECT_EQ(result.inexpressible[0].what, "devices d0, d1");
}

TEST(LayoutLimitsTest, WhatATargetLeavesOutIsNamed) {
  const LayoutCase training({.num_blocks = 2});
  const LayoutExport of_training = training.Export(training.ProgramOn({{"", 0}}), "vllm");
  ASSERT_EQ(of_training.inexpressible.size(), 1U);
  EXPECT_EQ(of_training.inexpressible[0].what, "backward pass");
  const LayoutCase flat({.num_blocks = 1, .has_backward = false});
  const LayoutExport of_flat = flat.Export(flat.ProgramOn({{"", 0}}), "vllm");
  ASSERT_EQ(of_flat.inexpressible.size(), 1U);
  EXPECT_THAT(of_flat.inexpressible[0].why, HasSubstr("no repeated blocks"));
}

TEST(LayoutLimitsTest, AnOrderThatIsNotTheProgramsIsNamed) {
  // "b" and "c" read "a"; the plan runs "c" first.
  const auto graph = opyard::testing::MakeGraph({opyard::testing::TimedOp("a", 1),
                                                 opyard::testing::TimedOp("b", 1, {{.op = 0}}),
                                                 opyard::testing::TimedOp("c", 1, {{.op = 0}})});
  const LayoutCase network(graph);
  const sim::Plan plan{.placement = sim::OpPlacement(3, DeviceId(0)),
                       .queue = sim::QueueDiscipline::kPriority,
                       .op_priority = {0, 1, 2}};
  const LayoutExport result = network.Export(plan, "python", {.nearest = true});
  ASSERT_EQ(result.inexpressible.size(), 1U);
  EXPECT_EQ(result.inexpressible[0].what, "order of ops");
  EXPECT_THAT(result.inexpressible[0].why, HasSubstr("op c starts before op b on d0"));
  EXPECT_EQ(result.run_plan.queue, sim::QueueDiscipline::kProgram);
}

}  // namespace
}  // namespace opyard::experiments
