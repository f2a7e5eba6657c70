#include "experiments/plans/pipeline_plan.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "graphs/microbatches/repeat_microbatches.h"
#include "sim/base/error.h"
#include "sim/io/text/text_file.h"
#include "tests/support/agreement.h"
#include "tests/support/layer_chain.h"
#include "tests/support/pipeline_schedules.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;

// A chain of layers over micro-batches, each layer a stage, and a machine with a device per rank.
class Chain {
 public:
  Chain(const testing::LayerChain& chain, std::int32_t num_microbatches, std::size_t num_ranks)
      : graph_(
            graphs::RepeatMicrobatches(testing::MakeLayerChain(chain), num_microbatches, "chain")),
        machine_(testing::MeshMachine(num_ranks)) {
    for (std::int32_t i = 0; i < chain.num_layers; ++i) {
      first_layers_.push_back(i);
    }
  }

  [[nodiscard]] sim::Plan PlanOf(const std::string& schedule) const {
    const PipelineSchedule read = ReadPipelineSchedule(schedule, "s.csv");
    return PlanOfPipeline(read,
                          *graph_,
                          graphs::FindPipelineUnits(*graph_, first_layers_),
                          machine_,
                          DevicesOfRanks(machine_, {}, read.ranks.size(), "--devices"),
                          {.schedule = "s.csv", .graph = "chain"});
  }

  // The names of the ops of the only stream of a device, in order.
  [[nodiscard]] Names StreamOf(const sim::Plan& plan, std::size_t device) const {
    Names names;
    for (const OpId op : plan.order[device].front()) {
      names.push_back(graph_->op(op).name);
    }
    return names;
  }

  [[nodiscard]] std::string ErrorOf(const std::string& schedule) const {
    try {
      (void)PlanOf(schedule);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  [[nodiscard]] sim::SimReport Run(const sim::Plan& plan) const {
    return testing::Simulate(graph_, machine_, plan);
  }

 private:
  std::shared_ptr<const sim::OpGraph> graph_;
  sim::HardwareProfile machine_;
  std::vector<std::int32_t> first_layers_;
};

TEST(PipelinePlanTest, ParametersComeFirstAndTheUpdateLast) {
  const Chain chain({.num_layers = 2, .weight_bytes = 40}, 1, 2);
  const sim::Plan plan = chain.PlanOf("0F0,0B0\n1F0,1B0");
  EXPECT_EQ(plan.queue, sim::QueueDiscipline::kOrder);
  // "gradient/x", of a layer below all, is of stage 0.
  EXPECT_THAT(
      chain.StreamOf(plan, 0),
      ElementsAre("variable/0", "x", "forward/0", "input/0", "weight/0", "gradient/x", "update/0"));
  // What stage 0 waits for, "input/1", stands behind the rest of the backward pass.
  EXPECT_THAT(chain.StreamOf(plan, 1),
              ElementsAre("variable/1", "forward/1", "weight/1", "input/1", "update/1"));
}

TEST(PipelinePlanTest, InputGradientsLeaveBeforeThoseOfWeights) {
  const Chain chain({.num_layers = 2}, 2, 2);
  const sim::Plan plan = chain.PlanOf("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1,1W0,1W1");
  EXPECT_THAT(chain.StreamOf(plan, 1),
              ElementsAre("forward/1@mb0",
                          "input/1@mb0",
                          "forward/1@mb1",
                          "input/1@mb1",
                          "weight/1@mb0",
                          "weight/1@mb1"));
}

TEST(PipelinePlanTest, SumsOfGradientsAreOfTheirMicrobatch) {
  const Chain chain({.num_layers = 1, .weight_bytes = 40}, 2, 1);
  const Names stream = chain.StreamOf(chain.PlanOf("0F0,0B0,0F1,0B1"), 0);
  const auto at = [&](const std::string& part) {
    const auto found = std::ranges::find_if(
        stream, [&](const std::string& name) { return name.find(part) != std::string::npos; });
    return found - stream.begin();
  };
  EXPECT_LT(at("gradient_sum"), at("forward/0@mb0"));
  EXPECT_LT(at("weight/0@mb0"), at("accumulate@mb0"));
  EXPECT_LT(at("accumulate@mb0"), at("forward/0@mb1"));
  EXPECT_EQ(stream.back(), "update/0");
}

TEST(PipelinePlanTest, ActionsThatTheGraphLacksAndUnitsWithoutActionsAreRefused) {
  const Chain chain({.num_layers = 2}, 2, 2);
  const std::string error = chain.ErrorOf("0F0,0F2,0B0\n1F0,1F1,1B0,1B1");
  EXPECT_THAT(error,
              HasSubstr("s.csv:1: cell 2: found \"0F2\", expected a micro-batch below 2, as many "
                        "as \"chain\" has; opyard graph microbatch makes"));
  EXPECT_THAT(error,
              HasSubstr("s.csv:1: found no action for the pass F of stage 0 and micro-batch 1, "
                        "expected one: it has 2 ops of \"chain\""));  // x, forward/0
  EXPECT_THAT(error, HasSubstr("for the pass W of stage 0 and micro-batch 1"));
}

// Rank 0 waits for the backward pass of micro-batch 0, which rank 1 runs behind a forward pass that
// rank 0 has behind that wait.
TEST(PipelinePlanTest, AScheduleThatCannotGoOnIsRefusedWithItsCycle) {
  const Chain chain({.num_layers = 2}, 2, 2);
  EXPECT_EQ(chain.ErrorOf("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1"),
            "s.csv: deadlock, this schedule can never go on: 1F1 (line 2, cell 2) waits for 0F1 "
            "(line 1, cell 3), which stands behind 0B0 (line 1, cell 2), which waits for 1B0 (line "
            "2, cell 3), which stands behind 1F1 (line 2, cell 2); expected each action behind "
            "those it waits for, on all ranks");
}

TEST(DevicesOfRanksTest, AreTheAcceleratorsOrThoseThatAreNamed) {
  sim::HardwareProfile machine = testing::MeshMachine(4);
  machine.devices[1].kind = sim::DeviceKind::kCpu;
  EXPECT_THAT(DevicesOfRanks(machine, {}, 2, "--devices"), ElementsAre(DeviceId(0), DeviceId(2)));
  EXPECT_THAT(DevicesOfRanks(machine, {"d3", "d1"}, 2, "--devices"),
              ElementsAre(DeviceId(3), DeviceId(1)));
  const auto error_of = [&](const Names& names, std::size_t num_ranks) -> std::string {
    try {
      (void)DevicesOfRanks(machine, names, num_ranks, "--devices");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(error_of({}, 4), HasSubstr("found 3 accelerators, expected 4, one for each line"));
  EXPECT_THAT(error_of({"d0"}, 2), HasSubstr("--devices: found 1 devices, expected 2"));
  EXPECT_THAT(error_of({"d0", "d0"}, 2), HasSubstr("--devices: found \"d0\" twice"));
  EXPECT_THAT(error_of({"d0", "d9"}, 2), HasSubstr("--devices: device \"d9\" does not exist"));
}

// The schedules of PyTorch's own tests; they lie beside the project or not at all.
class PyTorchScheduleTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    path_ = std::filesystem::path("../shared/data/benchmarks/pytorch_pipelining") / GetParam();
    if (!std::filesystem::exists(path_)) {
      GTEST_SKIP() << path_ << " is not there";
    }
    text_ = sim::ReadTextFile(path_);
    schedule_ = ReadPipelineSchedule(text_, "s.csv");
  }

  // The chain with a layer for each stage.
  [[nodiscard]] Chain ChainOfStages() const {
    return {{.num_layers = static_cast<std::int32_t>(schedule_.num_stages()), .weight_bytes = 40},
            schedule_.num_microbatches,
            schedule_.ranks.size()};
  }

  std::filesystem::path path_;
  std::string text_;
  PipelineSchedule schedule_;
};

TEST_P(PyTorchScheduleTest, Runs) {
  const Chain chain = ChainOfStages();
  const sim::SimReport report = chain.Run(chain.PlanOf(text_));
  EXPECT_EQ(report.result.outcome, sim::Outcome::kCompleted);
}

// A model of the zoo with 2 layers a stage, its stages cut by time.
TEST_P(PyTorchScheduleTest, RunsAModel) {
  const std::string microbatches = std::to_string(schedule_.num_microbatches);
  const auto graph =
      graphs::LoadGraph("zoo:gpt?scale=tiny&layers=" + std::to_string(2 * schedule_.num_stages()) +
                        "&batch=" + microbatches + "&microbatches=" + microbatches);
  sim::HardwareProfile machine = testing::MeshMachine(schedule_.ranks.size());
  for (sim::Device& device : machine.devices) {
    device.memory = Bytes{std::int64_t{1} << 40};
  }
  std::vector<SimTime> times;
  const auto costs = testing::CostsOf(*graph, machine);
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    times.push_back(costs->time(OpId(i), DeviceId(0)));
  }
  const auto num_stages = static_cast<std::int32_t>(schedule_.num_stages());
  const graphs::PipelineUnits units =
      graphs::FindPipelineUnits(*graph, graphs::BalancedStages(*graph, times, num_stages));
  const sim::Plan plan =
      PlanOfPipeline(schedule_,
                     *graph,
                     units,
                     machine,
                     DevicesOfRanks(machine, {}, schedule_.ranks.size(), "--devices"),
                     {.schedule = "s.csv", .graph = "gpt"});
  EXPECT_EQ(testing::Simulate(graph, machine, plan).result.outcome, sim::Outcome::kCompleted);
}

// The first forward pass of rank 0 and its first backward pass in each other's place: the pass B
// waits for what comes after F.
TEST_P(PyTorchScheduleTest, TwoEntriesSwappedAreADeadlock) {
  const std::size_t backward = text_.find("0B0");
  ASSERT_NE(backward, std::string::npos);
  text_.replace(backward, 3, "0F0");
  text_.replace(0, 3, "0B0");
  EXPECT_THAT(ChainOfStages().ErrorOf(text_),
              HasSubstr("s.csv: deadlock, this schedule can never"));
  EXPECT_THAT(ChainOfStages().ErrorOf(text_), HasSubstr("0B0 (line 1, cell 1)"));
}

INSTANTIATE_TEST_SUITE_P(Files,
                         PyTorchScheduleTest,
                         ::testing::Values("zb1p_2rank_2stagep_compute.csv",
                                           "dualpipev_4rank_10mb.csv"),
                         [](const auto& file) {
                           const std::string name = file.param;
                           return name.substr(0, name.find('_'));
                         });

}  // namespace
}  // namespace opyard::experiments
