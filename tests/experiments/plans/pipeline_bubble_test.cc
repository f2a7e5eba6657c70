// The bubbles of pipeline schedules, known by formulas: stages are equal, transfers take no time,
// there is no update.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "experiments/plans/pipeline_plan.h"
#include "graphs/microbatches/repeat_microbatches.h"
#include "tests/support/agreement.h"
#include "tests/support/layer_chain.h"
#include "tests/support/pipeline_schedules.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using testing::LayerChain;
using testing::Microseconds;

struct Pipeline {
  std::int32_t ranks = 1;
  std::int32_t microbatches = 1;
  std::int32_t chunks = 1;  // stages of a rank, of one layer each
};

// One layer of one micro-batch takes 6 us. Tensors of 0 bytes over links without latency take none.
constexpr LayerChain kLayer = {
    .forward_us = 1, .input_gradient_us = 2, .weight_gradient_us = 3, .activation_bytes = 0};

SimTime MakespanOf(const Pipeline& pipeline, const LayerChain& layer, const std::string& schedule) {
  LayerChain chain = layer;
  chain.num_layers = pipeline.ranks * pipeline.chunks;
  const auto graph =
      graphs::RepeatMicrobatches(testing::MakeLayerChain(chain), pipeline.microbatches, "chain");
  std::vector<std::int32_t> first_layers;
  for (std::int32_t i = 0; i < chain.num_layers; ++i) {
    first_layers.push_back(i);
  }
  const sim::HardwareProfile machine =
      testing::MeshMachine(static_cast<std::size_t>(pipeline.ranks));
  const PipelineSchedule read = ReadPipelineSchedule(schedule, "s.csv");
  const sim::Plan plan = PlanOfPipeline(read,
                                        *graph,
                                        graphs::FindPipelineUnits(*graph, first_layers),
                                        machine,
                                        DevicesOfRanks(machine, {}, read.ranks.size(), "--devices"),
                                        {.schedule = "s.csv", .graph = "chain"});
  const sim::SimReport report = testing::Simulate(graph, machine, plan);
  EXPECT_EQ(report.result.outcome, sim::Outcome::kCompleted);
  return report.result.makespan;
}

// The bubble is the part of the makespan T in which a rank is idle. Each rank is busy for
// m · v · (f + b): the bubble is (p − 1) / (v · m + p − 1) exactly if T = (v · m + p − 1) (f + b).
SimTime MakespanWithBubble(const Pipeline& pipeline) {
  const std::int64_t passes = pipeline.chunks * pipeline.microbatches + pipeline.ranks - 1;
  return Microseconds(passes * (1 + 2 + 3));
}

TEST(PipelineBubbleTest, ThatOfGPipeAndOf1F1BIsExact) {
  for (const std::int32_t ranks : {1, 2, 3, 4, 7}) {
    for (const std::int32_t microbatches : {1, 2, 4, 5, 12}) {
      const Pipeline pipeline{.ranks = ranks, .microbatches = microbatches};
      EXPECT_EQ(MakespanOf(pipeline, kLayer, testing::GPipe(ranks, microbatches)),
                MakespanWithBubble(pipeline))
          << ranks << " ranks, " << microbatches << " micro-batches";
      EXPECT_EQ(MakespanOf(pipeline, kLayer, testing::OneForwardOneBackward(ranks, microbatches)),
                MakespanWithBubble(pipeline))
          << ranks << " ranks, " << microbatches << " micro-batches";
    }
  }
}

TEST(PipelineBubbleTest, ThatOfInterleaved1F1BShrinksWithItsChunks) {
  for (const std::int32_t ranks : {2, 3, 4}) {
    for (const std::int32_t rounds : {1, 2, 3}) {
      for (const std::int32_t chunks : {2, 3}) {
        const Pipeline pipeline{.ranks = ranks, .microbatches = rounds * ranks, .chunks = chunks};
        EXPECT_EQ(MakespanOf(
                      pipeline, kLayer, testing::Interleaved(ranks, pipeline.microbatches, chunks)),
                  MakespanWithBubble(pipeline))
            << ranks << " ranks, " << rounds << " rounds, " << chunks << " chunks";
      }
    }
  }
}

// With passes of equal length c the bubble of ZB-H1 is a third of that of 1F1B: a rank waits for
// (p − 1) (f + i − w) = (p − 1) c (Qi et al. 2024, table 2).
TEST(PipelineBubbleTest, ThatOfZeroBubbleIsAThirdWherePassesAreEqual) {
  constexpr LayerChain kEqual = {.activation_bytes = 0};
  for (const std::int32_t ranks : {1, 2, 4, 6}) {
    for (const std::int32_t microbatches : {6, 8, 13}) {
      const Pipeline pipeline{.ranks = ranks, .microbatches = microbatches};
      EXPECT_EQ(MakespanOf(pipeline, kEqual, testing::ZeroBubbleH1(ranks, microbatches)),
                Microseconds(3 * microbatches + ranks - 1))
          << ranks << " ranks, " << microbatches << " micro-batches";
      EXPECT_EQ(MakespanOf(pipeline, kEqual, testing::OneForwardOneBackward(ranks, microbatches)),
                Microseconds(3 * (microbatches + ranks - 1)));
    }
  }
}

}  // namespace
}  // namespace opyard::experiments
