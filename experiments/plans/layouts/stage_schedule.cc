#include "experiments/plans/layouts/stage_schedule.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "experiments/plans/layouts/order_limits.h"
#include "experiments/plans/pipeline_plan.h"
#include "experiments/plans/pipeline_schedule.h"
#include "experiments/text/number_format.h"
#include "graphs/microbatches/divide_batch.h"
#include "graphs/microbatches/repeat_microbatches.h"
#include "sim/base/array_index.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

using graphs::Pass;

std::string ActionText(std::size_t stage, char kind, std::int64_t microbatch) {
  return std::to_string(stage) + kind + std::to_string(microbatch);
}

using ActionLine = std::vector<std::string>;

std::string LinesText(const std::vector<ActionLine>& lines) {
  std::string text;
  for (const ActionLine& line : lines) {
    text += Joined(line, ",") + '\n';
  }
  return text;
}

void CheckLoop(const PipelineShape& shape) {
  for (std::size_t s = 0; s < shape.rank_of_stage.size(); ++s) {
    if (shape.rank_of_stage[s] != s % shape.num_ranks) {
      throw InputError("--schedule: found stage " + std::to_string(s) + " on rank " +
                       std::to_string(shape.rank_of_stage[s]) +
                       ", expected stages that are dealt to ranks in turn under 1f1b");
    }
  }
  const auto ranks = static_cast<std::int64_t>(shape.num_ranks);
  if (shape.rank_of_stage.size() > shape.num_ranks && shape.num_microbatches % ranks != 0) {
    throw InputError("--microbatches: found " + std::to_string(shape.num_microbatches) +
                     ", expected a multiple of the " + std::to_string(ranks) +
                     " ranks, which have several stages each");
  }
}

// The actions of one rank whose stages are num_ranks apart, under 1F1B.
class InterleavedRank {
 public:
  InterleavedRank(const PipelineShape& shape, std::size_t rank)
      : ranks_(static_cast<std::int64_t>(shape.num_ranks)),
        chunks_(static_cast<std::int64_t>(shape.rank_of_stage.size()) / ranks_),
        total_(shape.num_microbatches * chunks_),
        rank_(static_cast<std::int64_t>(rank)) {}

  [[nodiscard]] ActionLine Actions() const {
    const std::int64_t behind = ranks_ - rank_ - 1;
    const std::int64_t warm_up =
        std::min(total_, chunks_ == 1 ? behind : 2 * behind + (chunks_ - 1) * ranks_);
    ActionLine line;
    for (std::int64_t k = 0; k < total_ + warm_up; ++k) {
      if (k < total_) {
        line.push_back(Action(k, 'F'));
      }
      if (k >= warm_up) {
        line.push_back(Action(k - warm_up, 'B'));
      }
    }
    return line;
  }

 private:
  // Passes go in rounds of ranks_ micro-batches through each chunk in turn, backward from the last.
  [[nodiscard]] std::string Action(std::int64_t k, char kind) const {
    const std::int64_t round = chunks_ == 1 ? 1 : ranks_;
    const std::int64_t chunk = k % (round * chunks_) / round;
    const std::int64_t microbatch = k / (round * chunks_) * round + k % round;
    const std::int64_t at = kind == 'F' ? chunk : chunks_ - 1 - chunk;
    return ActionText(static_cast<std::size_t>(at * ranks_ + rank_), kind, microbatch);
  }

  std::int64_t ranks_;
  std::int64_t chunks_;
  std::int64_t total_;
  std::int64_t rank_;
};

// One pass of a micro-batch through a stage, as a device starts its ops.
struct StartedPass {
  std::int32_t stage = 0;
  std::int32_t microbatch = 0;
  bool is_forward = true;
  bool has_input_gradients = false;
  bool has_weight_gradients = false;
  bool is_mixed = false;          // an op of I starts behind one of W
  bool has_handed_on = false;     // a gradient that another stage waits for
  bool has_weights_last = false;  // an op of W starts behind that

  [[nodiscard]] bool IsSame(const StartedPass& other) const {
    return stage == other.stage && microbatch == other.microbatch && is_forward == other.is_forward;
  }
};

bool IsReadElsewhere(const sim::OpGraph& graph,
                     const std::vector<std::int32_t>& stage_of,
                     OpId op) {
  bool is_read = false;
  for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
    is_read =
        is_read || std::ranges::any_of(graph.consumers(graph.output(op, i)), [&](OpId reader) {
          return stage_of[reader.index()] != stage_of[op.index()];
        });
  }
  return is_read;
}

// The passes of one device, in the order in which their ops start: a new entry wherever the pass
// changes.
std::vector<StartedPass> PassesOn(const LayoutInput& input,
                                  const graphs::PipelineUnits& units,
                                  DeviceId device) {
  std::vector<StartedPass> passes;
  for (const OpId op : input.run.start_order) {
    const Pass pass = units.pass[op.index()];
    if (input.plan.placement[op.index()] != device || input.roles[op.index()] == OpRole::kOutside ||
        pass == Pass::kParameters || pass == Pass::kUpdate) {
      continue;
    }
    const StartedPass started{.stage = units.stage[op.index()],
                              .microbatch = units.microbatch[op.index()],
                              .is_forward = pass == Pass::kForward};
    if (passes.empty() || !passes.back().IsSame(started)) {
      passes.push_back(started);
    }
    StartedPass& last = passes.back();
    const bool is_of_weights = pass == Pass::kWeightGradient;
    last.has_handed_on =
        last.has_handed_on || IsReadElsewhere(input.problem.graph(), units.stage, op);
    last.has_weights_last = last.has_weights_last || (is_of_weights && last.has_handed_on);
    last.is_mixed = last.is_mixed || (pass == Pass::kInputGradient && last.has_weight_gradients);
    last.has_input_gradients = last.has_input_gradients || pass == Pass::kInputGradient;
    last.has_weight_gradients = last.has_weight_gradients || is_of_weights;
  }
  return passes;
}

// The kinds of the actions at `at`: "F", "B", "I", "W" or "IW"; "" where it is a part of a pass
// that goes on behind another.
std::string_view KindsOf(const std::vector<StartedPass>& passes, std::size_t at) {
  const StartedPass& pass = passes[at];
  const auto is_same = [&](const StartedPass& other) { return other.IsSame(pass); };
  const auto parts = std::ranges::count_if(passes, is_same);
  const bool has_both = pass.has_input_gradients && pass.has_weight_gradients;
  if (parts == 1) {
    const bool is_in_parts = has_both && pass.has_weights_last && !pass.is_mixed;
    return pass.is_forward ? "F" : is_in_parts ? "IW" : "B";
  }
  if (pass.is_forward || parts > 2 || has_both) {
    return "";
  }
  const bool is_first =
      std::ranges::find_if(passes, is_same) == passes.begin() + static_cast<std::ptrdiff_t>(at);
  if (is_first != pass.has_input_gradients) {
    return "";
  }
  return is_first ? "I" : "W";
}

std::string PassText(const StartedPass& pass) {
  return ActionText(
      static_cast<std::size_t>(pass.stage), pass.is_forward ? 'F' : 'B', pass.microbatch);
}

ActionLine ActionsOn(const LayoutInput& input,
                     const std::vector<StartedPass>& passes,
                     DeviceId device,
                     std::vector<Inexpressible>& reasons) {
  ActionLine line;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const std::string_view kinds = KindsOf(passes, i);
    if (kinds.empty()) {
      reasons.push_back({.what = "order of ops",
                         .why = "pass " + PassText(passes[i]) + " on " +
                                input.problem.hardware().devices[device.index()].name +
                                " goes on behind another pass; a schedule runs passes whole"});
      return line;
    }
    for (const char kind : kinds) {
      line.push_back(
          ActionText(static_cast<std::size_t>(passes[i].stage), kind, passes[i].microbatch));
    }
  }
  return line;
}

std::vector<std::int32_t> StagesIn(const LayoutInput& input,
                                   const Stages& stages,
                                   const sim::OpGraph& graph) {
  if (&graph == &input.problem.graph()) {
    return stages.StageOfOps();
  }
  std::vector<std::int32_t> stage_of_unit;
  for (std::size_t s = 0; s < stages.stages.size(); ++s) {
    stage_of_unit.resize(stages.stages[s].units.end, Size32(s));
  }
  const sim::ModuleTree tree = sim::ModuleTreeOf(graph);
  const auto units = FindUnits(graph, tree, RolesOf(graph, tree));
  if (!units.has_value() || units->modules.size() != stage_of_unit.size()) {
    throw InputError("--microbatches: the repeated step has other modules than the graph");
  }
  std::vector<std::int32_t> stage_of_op;
  for (const std::size_t unit : units->unit_of) {
    stage_of_op.push_back(stage_of_unit[unit]);
  }
  return stage_of_op;
}

std::shared_ptr<const sim::OpGraph> RepeatedStep(const LayoutInput& input) {
  const auto& graph = input.problem.shared_graph();
  if (input.options.microbatches == 1) {
    return graph;
  }
  if (CountMicrobatches(*graph) > 1) {
    throw InputError("--microbatches: the graph has " + std::to_string(CountMicrobatches(*graph)) +
                     " micro-batches already, expected one without or no --microbatches");
  }
  return graphs::RepeatMicrobatches(graphs::DivideBatch(graph, input.options.microbatches),
                                    input.options.microbatches,
                                    graph->name());
}

std::string AskedSchedule(const LayoutInput& input, const PipelineShape& shape) {
  return input.options.schedule == StageSchedule::kGPipe ? GPipeText(shape)
                                                         : OneForwardOneBackwardText(shape);
}

}  // namespace

PipelineShape ShapeOf(const LayoutInput& input, const Stages& stages) {
  PipelineShape shape{
      .rank_of_stage = {},
      .num_ranks = stages.ranks.size(),
      .num_microbatches = std::max<std::int64_t>(input.options.microbatches,
                                                 CountMicrobatches(input.problem.graph())),
      .has_backward = std::ranges::find(input.roles, OpRole::kBackward) != input.roles.end()};
  for (const Stage& stage : stages.stages) {
    shape.rank_of_stage.push_back(stage.rank);
  }
  return shape;
}

std::string GPipeText(const PipelineShape& shape) {
  std::vector<ActionLine> lines(shape.num_ranks);
  const std::size_t num_stages = shape.rank_of_stage.size();
  for (std::size_t s = 0; s < num_stages; ++s) {
    for (std::int64_t m = 0; m < shape.num_microbatches; ++m) {
      lines[shape.rank_of_stage[s]].push_back(ActionText(s, 'F', m));
    }
  }
  for (std::size_t s = shape.has_backward ? num_stages : 0; s-- > 0;) {
    for (std::int64_t m = 0; m < shape.num_microbatches; ++m) {
      lines[shape.rank_of_stage[s]].push_back(ActionText(s, 'B', m));
    }
  }
  return LinesText(lines);
}

std::string OneForwardOneBackwardText(const PipelineShape& shape) {
  if (!shape.has_backward) {
    return GPipeText(shape);
  }
  CheckLoop(shape);
  std::vector<ActionLine> lines;
  for (std::size_t rank = 0; rank < shape.num_ranks; ++rank) {
    lines.push_back(InterleavedRank(shape, rank).Actions());
  }
  return LinesText(lines);
}

std::string ScheduleOfRun(const LayoutInput& input,
                          const Stages& stages,
                          const graphs::PipelineUnits& units,
                          std::vector<Inexpressible>& reasons) {
  std::vector<ActionLine> lines;
  for (const DeviceId device : stages.ranks) {
    lines.push_back(ActionsOn(input, PassesOn(input, units, device), device, reasons));
  }
  return LinesText(lines);
}

graphs::PipelineUnits UnitsOf(const sim::OpGraph& graph,
                              std::vector<std::int32_t> stage_of_op,
                              std::size_t num_stages) {
  constexpr std::array<std::int32_t, 1> kWhole = {0};
  graphs::PipelineUnits units = graphs::FindPipelineUnits(graph, kWhole);
  units.stage = std::move(stage_of_op);
  units.num_stages = Size32(num_stages);
  return units;
}

ScheduledStep ScheduleStages(const LayoutInput& input,
                             const Stages& stages,
                             std::vector<Inexpressible>& reasons) {
  ScheduledStep step{.graph = RepeatedStep(input), .schedule = "", .plan = {}};
  const PipelineShape shape = ShapeOf(input, stages);
  const bool is_asked = input.options.schedule != StageSchedule::kOfPlan;
  if (shape.num_microbatches == 1 && !is_asked) {
    step.plan = {.placement = input.plan.placement, .queue = sim::QueueDiscipline::kProgram};
    return step;
  }
  const graphs::PipelineUnits units =
      UnitsOf(*step.graph, StagesIn(input, stages, *step.graph), stages.stages.size());
  const bool has_own = !is_asked && input.options.microbatches == 1;
  step.schedule =
      has_own ? ScheduleOfRun(input, stages, units, reasons) : AskedSchedule(input, shape);
  if (!reasons.empty()) {
    return step;
  }
  step.plan = PlanOfPipeline(ReadPipelineSchedule(step.schedule, "schedule.csv"),
                             *step.graph,
                             units,
                             input.problem.hardware(),
                             stages.ranks,
                             {.schedule = "schedule.csv", .graph = step.graph->name()});
  return step;
}

}  // namespace opyard::experiments
