// Pipeline schedules for the stages of a plan, in the form of PyTorch's files
// (experiments/plans/pipeline_schedule.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/plans/layouts/layout.h"
#include "experiments/plans/layouts/stages.h"
#include "graphs/microbatches/pipeline_units.h"

namespace opyard::experiments {

// Stages and ranks of a pipeline, and what runs through it. Stage s is of rank rank_of_stage[s].
struct PipelineShape {
  std::vector<std::size_t> rank_of_stage;
  std::size_t num_ranks = 1;
  std::int64_t num_microbatches = 1;
  bool has_backward = true;
};

[[nodiscard]] PipelineShape ShapeOf(const LayoutInput& input, const Stages& stages);

// All forward passes, then all backward passes: a line per rank, each ended.
[[nodiscard]] std::string GPipeText(const PipelineShape& shape);

// One forward, one backward pass in turn, interleaved where ranks have several stages each. Without
// a backward pass the same as GPipeText. Throws InputError where stage s is not of rank s mod
// ranks, and where interleaved ranks do not divide the number of micro-batches.
[[nodiscard]] std::string OneForwardOneBackwardText(const PipelineShape& shape);

// The order in which the run of the plan starts the passes: `units` is of its graph, with the
// stages of `stages`. A backward pass whose gradients of weights start behind all of its gradients
// of inputs, and behind one that another stage waits for, is I and W. Adds a reason where the ops
// of two passes are mixed on a device.
[[nodiscard]] std::string ScheduleOfRun(const LayoutInput& input,
                                        const Stages& stages,
                                        const graphs::PipelineUnits& units,
                                        std::vector<Inexpressible>& reasons);

// The micro-batch and the pass of each op of `graph`, with the given stage of each.
[[nodiscard]] graphs::PipelineUnits UnitsOf(const sim::OpGraph& graph,
                                            std::vector<std::int32_t> stage_of_op,
                                            std::size_t num_stages);

// A step with a schedule: the graph with its micro-batches, and the plan that runs it.
struct ScheduledStep {
  std::shared_ptr<const sim::OpGraph> graph;
  std::string schedule;  // "" for a step that is no pipeline of several micro-batches
  sim::Plan plan;
};

// The step that the stages of the plan run: with the schedule that the options ask for, in as many
// micro-batches as they say if the graph has none. Without several micro-batches and without a
// schedule asked for, the plan of queue kProgram with the plan's placement. Adds a reason where the
// plan's own order is no schedule; throws InputError where the schedule that is asked for does not
// fit the stages, or the step cannot be repeated.
[[nodiscard]] ScheduledStep ScheduleStages(const LayoutInput& input,
                                           const Stages& stages,
                                           std::vector<Inexpressible>& reasons);

}  // namespace opyard::experiments
