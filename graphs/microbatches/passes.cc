#include "graphs/microbatches/passes.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

using sim::Phase;

constexpr std::array<std::string_view, 5> kPassNames = {"parameters", "F", "I", "W", "update"};

// Sums and casts; ops that move elements have a fusion class of their own.
constexpr auto kSums = std::to_array<std::string_view>(
    {"Accumulate", "Add", "AddN", "AddV2", "Cast", "add", "convert"});

template <class Visit>
void ForEachConsumer(const sim::OpGraph& graph, OpId op, const Visit& visit) {
  for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
    for (const OpId consumer : graph.consumers(graph.output(op, i))) {
      visit(consumer);
    }
  }
}

// For each op: whether it depends, through tensors, on an op for which `is_source` holds.
template <class IsSource>
std::vector<bool> DependsOn(const sim::OpGraph& graph, const IsSource& is_source) {
  std::vector<bool> depends(graph.num_ops());
  for (const OpId op : graph.topological_order()) {
    for (const TensorId input : graph.inputs(op)) {
      const OpId producer = graph.tensor(input).producer;
      depends[op.index()] = depends[op.index()] || depends[producer.index()] || is_source(producer);
    }
  }
  return depends;
}

bool PassesTermsOn(const sim::Op& op) {
  return op.fusion_class == sim::FusionClass::kReshape ||
         std::ranges::find(kSums, op.type) != kSums.end();
}

// The readers of an op that says no phase.
struct Readers {
  bool is_backward = false;  // one of them, or of their readers, is
  bool is_update = false;    // one of them is
  bool is_other = false;     // one of them is not of the update
};

Phase PhaseByReaders(bool follows_backward, const Readers& readers) {
  if (follows_backward && readers.is_backward) {
    return Phase::kBackward;
  }
  const bool is_update = follows_backward || (readers.is_update && !readers.is_other);
  return is_update ? Phase::kUpdate : Phase::kForward;
}

}  // namespace

std::string_view NameOf(Pass pass) {
  return kPassNames[static_cast<std::size_t>(pass)];
}

std::vector<Phase> KnownPhases(const sim::OpGraph& graph) {
  std::vector<Phase> phases;
  for (const sim::Op& op : graph.ops()) {
    phases.push_back(op.phase);
  }
  if (std::ranges::all_of(phases, [](Phase phase) { return phase == Phase::kUnknown; })) {
    throw InputError("graph \"" + graph.name() +
                     "\": no op says its phase, expected \"phase\": \"forward\" (of inference on "
                     "all ops), \"backward\" or \"update\"; without it the passes of the step "
                     "cannot be distinguished");
  }
  const std::vector<bool> follows_backward =
      DependsOn(graph, [&](OpId op) { return graph.op(op).phase == Phase::kBackward; });
  std::vector<Readers> readers(graph.num_ops());
  for (const OpId op : graph.topological_order() | std::views::reverse) {
    Readers& own = readers[op.index()];
    ForEachConsumer(graph, op, [&](OpId consumer) {
      const Phase phase = phases[consumer.index()];
      own.is_backward |= phase == Phase::kBackward || readers[consumer.index()].is_backward;
      (phase == Phase::kUpdate ? own.is_update : own.is_other) = true;
    });
    if (phases[op.index()] == Phase::kUnknown) {
      phases[op.index()] = PhaseByReaders(follows_backward[op.index()], own);
    }
  }
  return phases;
}

std::vector<bool> ParameterOps(const sim::OpGraph& graph) {
  std::vector<bool> is_parameter(graph.num_ops());
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const sim::Op& op = graph.ops()[i];
    bool is_view = graph.num_outputs(OpId(i)) > 0 && op.phase != Phase::kUpdate &&
                   op.flops.count == 0.0 && op.bytes_accessed == Bytes{};
    for (std::size_t k = 0; k < graph.num_outputs(OpId(i)); ++k) {
      is_view = is_view && graph.aliases_params(graph.output(OpId(i), k));
    }
    is_parameter[i] = op.type == "Variable" || is_view;
  }
  return is_parameter;
}

std::vector<bool> WeightGradientOps(const sim::OpGraph& graph, const std::vector<Phase>& phases) {
  std::vector<bool> makes_gradient(graph.num_ops());
  for (const OpId op : graph.topological_order() | std::views::reverse) {
    bool is_gradient = phases[op.index()] == Phase::kBackward;
    ForEachConsumer(graph, op, [&](OpId consumer) {
      const bool adds_up = makes_gradient[consumer.index()] && PassesTermsOn(graph.op(consumer));
      is_gradient = is_gradient && (adds_up || phases[consumer.index()] == Phase::kUpdate);
    });
    makes_gradient[op.index()] = is_gradient;
  }
  return makes_gradient;
}

std::vector<Pass> PassesOf(const sim::OpGraph& graph,
                           const std::vector<Phase>& phases,
                           const std::vector<std::int32_t>& layers) {
  const std::vector<bool> is_parameter = ParameterOps(graph);
  const std::vector<bool> makes_gradient = WeightGradientOps(graph, phases);
  const std::vector<bool> follows_backward =
      DependsOn(graph, [&](OpId op) { return phases[op.index()] == Phase::kBackward; });
  const std::vector<bool> follows_forward = DependsOn(graph, [&](OpId op) {
    return phases[op.index()] == Phase::kForward && !is_parameter[op.index()] &&
           graph.op(op).type != "Const";
  });
  std::vector<bool> leads_on(graph.num_ops());  // to a backward op of another layer
  std::vector<Pass> passes(graph.num_ops());
  for (const OpId op : graph.topological_order() | std::views::reverse) {
    const std::size_t i = op.index();
    ForEachConsumer(graph, op, [&](OpId consumer) {
      const std::size_t reader = consumer.index();
      const bool is_further = layers[reader] != layers[i] || leads_on[reader];
      leads_on[i] =
          leads_on[i] || (!makes_gradient[i] && phases[reader] == Phase::kBackward && is_further);
    });
    const bool is_once =
        phases[i] == Phase::kUpdate && (follows_backward[i] || !follows_forward[i]);
    const bool is_backward = phases[i] == Phase::kBackward;
    passes[i] = is_parameter[i] ? Pass::kParameters
                : is_once       ? Pass::kUpdate
                : !is_backward  ? Pass::kForward
                : leads_on[i]   ? Pass::kInputGradient
                                : Pass::kWeightGradient;
  }
  return passes;
}

}  // namespace opyard::graphs
