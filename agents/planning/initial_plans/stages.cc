#include "agents/planning/initial_plans/stages.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"

namespace opyard::agents {
namespace {

using Layer = std::int64_t;

double SecondsOf(const env::Problem& problem, OpId op) {
  return problem.costs().time(op, problem.first_accelerator()).seconds();
}

// For each group the value on which its ops spend most time, the least of equals.
std::vector<std::optional<Layer>> MainValues(const env::Problem& problem,
                                             const std::vector<std::optional<Layer>>& of_op) {
  std::vector<std::optional<Layer>> of_group;
  for (const std::vector<OpId>& ops : OpsOfGroups(problem)) {
    std::map<Layer, double> seconds;
    for (const OpId op : ops) {
      if (of_op[op.index()].has_value()) {
        seconds[*of_op[op.index()]] += SecondsOf(problem, op);
      }
    }
    const auto most =
        std::ranges::max_element(seconds, {}, [](const auto& entry) { return entry.second; });
    of_group.push_back(most == seconds.end() ? std::nullopt : std::optional(most->first));
  }
  return of_group;
}

// Each group that has no value takes that of the one before it in topological order, the first ones
// that of the first that has one.
std::vector<Layer> WithoutGaps(const env::Problem& problem,
                               const std::vector<std::optional<Layer>>& values) {
  const std::vector<std::size_t> order = GroupsInTopologicalOrder(problem);
  const auto first =
      std::ranges::find_if(order, [&](std::size_t group) { return values[group].has_value(); });
  Layer before = first == order.end() ? 0 : *values[*first];
  std::vector<Layer> result(values.size());
  for (const std::size_t group : order) {
    before = values[group].value_or(before);
    result[group] = before;
  }
  return result;
}

// One stage per distinct value, ascending.
Stages RankedStages(const std::vector<Layer>& value_of_group) {
  const std::set<Layer> distinct(value_of_group.begin(), value_of_group.end());
  const std::vector<Layer> values(distinct.begin(), distinct.end());
  Stages stages{.stage_of_group = {}, .num_stages = values.size()};
  for (const Layer value : value_of_group) {
    const auto rank = std::ranges::lower_bound(values, value) - values.begin();
    stages.stage_of_group.push_back(static_cast<std::size_t>(rank));
  }
  return stages;
}

bool IsForward(const sim::Op& op) {
  return op.phase == sim::Phase::kForward || op.phase == sim::Phase::kUnknown;
}

// The forward op of the greatest topological index that `op` reads, else the least place of those
// that it reads; nothing if neither has one.
std::optional<Layer> PlaceOfReader(const env::Problem& problem,
                                   OpId op,
                                   const std::vector<std::optional<Layer>>& places) {
  const sim::OpGraph& graph = problem.graph();
  std::optional<Layer> last_forward;
  std::optional<Layer> first_other;
  for (const TensorId tensor : graph.inputs(op)) {
    const OpId producer = graph.tensor(tensor).producer;
    const std::optional<Layer> place = places[producer.index()];
    if (!place.has_value()) {
      continue;
    }
    if (IsForward(graph.op(producer))) {
      last_forward = std::max(last_forward.value_or(*place), *place);
    } else {
      first_other = std::min(first_other.value_or(*place), *place);
    }
  }
  return last_forward.has_value() ? last_forward : first_other;
}

// The parameters that an op reads through `tensor`, if it does.
std::optional<TensorId> ParametersOf(const sim::OpGraph& graph, TensorId tensor) {
  while (graph.tensor(tensor).alias == sim::Alias::kInput) {
    tensor = graph.tensor(tensor).aliased;
  }
  const bool is_weight = graph.tensor(tensor).alias == sim::Alias::kParams;
  return is_weight ? std::optional(tensor) : std::nullopt;
}

// The traits of one layer in the forward pass.
struct LayerTraits {
  std::map<TensorId, int> products_with;  // per weight
  bool has_gate = false;
  bool has_recurrent_op = false;

  [[nodiscard]] bool is_cell() const {
    const auto is_shared = [](const auto& entry) { return entry.second > 1; };
    return has_recurrent_op || (has_gate && std::ranges::any_of(products_with, is_shared));
  }
};

void AddTraits(const sim::OpGraph& graph, OpId id, LayerTraits& traits) {
  const sim::Op& op = graph.op(id);
  const sim::WorkShape* shape = graph.work_shape(id);
  traits.has_recurrent_op |= shape != nullptr && std::holds_alternative<sim::RnnShape>(*shape);
  traits.has_gate |= op.type == "Sigmoid";
  if (op.fusion_class == sim::FusionClass::kHeavy) {
    for (const TensorId input : graph.inputs(id)) {
      if (const std::optional<TensorId> weight = ParametersOf(graph, input)) {
        ++traits.products_with[*weight];
      }
    }
  }
}

std::vector<Layer> CellLayers(const sim::OpGraph& graph) {
  std::map<Layer, LayerTraits> traits;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const sim::Op& op = graph.ops()[i];
    if (op.layer.has_value() && op.phase == sim::Phase::kForward) {
      AddTraits(graph, OpId(i), traits[*op.layer]);
    }
  }
  std::vector<Layer> cells;
  for (const auto& [layer, of_layer] : traits) {
    if (of_layer.is_cell()) {
      cells.push_back(layer);
    }
  }
  return cells;
}

bool HasInName(const sim::Op& op, const std::string& word) {
  return !std::ranges::search(op.name, word, {}, [](unsigned char letter) {
            return static_cast<char>(std::tolower(letter));
          }).empty();
}

std::optional<Layer> CellStageOf(const sim::Op& op, const std::vector<Layer>& cells) {
  if (HasInName(op, "attention")) {
    return std::ssize(cells) + 1;
  }
  if (HasInName(op, "embedding")) {
    return 0;
  }
  if (!op.layer.has_value()) {
    return std::nullopt;
  }
  const bool is_above = *op.layer > cells.back();
  return std::ranges::upper_bound(cells, Layer{*op.layer}) - cells.begin() + (is_above ? 1 : 0);
}

}  // namespace

std::optional<Stages> LayerStages(const env::Problem& problem) {
  std::vector<std::optional<Layer>> layers;
  double with_layer = 0.0;
  double without = 0.0;
  for (std::size_t i = 0; i < problem.graph().num_ops(); ++i) {
    const auto& layer = problem.graph().ops()[i].layer;
    layers.emplace_back(layer);
    (layer.has_value() ? with_layer : without) += SecondsOf(problem, OpId(i));
  }
  if (with_layer <= without) {
    return std::nullopt;
  }
  return RankedStages(WithoutGaps(problem, MainValues(problem, layers)));
}

Stages ForwardStages(const env::Problem& problem) {
  const sim::OpGraph& graph = problem.graph();
  std::vector<std::optional<Layer>> places(graph.num_ops());
  for (const OpId op : graph.topological_order()) {
    if (SecondsOf(problem, op) > 0.0) {
      places[op.index()] = IsForward(graph.op(op)) ? graph.topological_index(op)
                                                   : PlaceOfReader(problem, op, places);
    }
  }
  return RankedStages(WithoutGaps(problem, MainValues(problem, places)));
}

std::optional<CellStages> FindCellStages(const env::Problem& problem) {
  const std::vector<Layer> cells = CellLayers(problem.graph());
  if (cells.empty()) {
    return std::nullopt;
  }
  std::vector<std::optional<Layer>> stages;
  for (const sim::Op& op : problem.graph().ops()) {
    stages.push_back(CellStageOf(op, cells));
  }
  CellStages result{.stages = {.stage_of_group = {}, .num_stages = cells.size() + 2},
                    .num_cells = cells.size()};
  for (const Layer stage : WithoutGaps(problem, MainValues(problem, stages))) {
    result.stages.stage_of_group.push_back(static_cast<std::size_t>(stage));
  }
  return result;
}

}  // namespace opyard::agents
