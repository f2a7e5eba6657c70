#include "graphs/microbatches/step_layers.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <ranges>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "graphs/microbatches/microbatch_names.h"
#include "graphs/microbatches/passes.h"

namespace opyard::graphs {
namespace {

using Layer = std::optional<std::int32_t>;

bool IsInFirstMicrobatch(const sim::Op& op) {
  return FindMicrobatch(op.name).value_or(0) == 0;
}

Layer Least(Layer a, Layer b) {
  return !a.has_value() ? b : !b.has_value() ? a : std::min(a, b);
}

// The places of ops in the forward pass, of those of the first micro-batch.
class ForwardPlaces {
 public:
  ForwardPlaces(const sim::OpGraph& graph, const std::vector<sim::Phase>& phases)
      : graph_(graph),
        phases_(phases),
        is_parameter_(ParameterOps(graph)),
        places_(graph.num_ops()) {}

  std::vector<Layer> Find() {
    ForEach([&](std::size_t i) { return IsForward(i); },
            [&](OpId op) { return Layer(graph_.topological_index(op)); });
    ForEachReversed(is_parameter_);
    ForEach([&](std::size_t i) { return !IsForward(i) && !is_parameter_[i]; },
            [&](OpId op) { return PlaceOfReader(op); });
    ForEachReversed(is_parameter_);  // what only the update reads
    ForEachReversed(WeightGradientOps(graph_, phases_));
    return std::move(places_);
  }

 private:
  [[nodiscard]] bool IsForward(std::size_t i) const {
    return phases_[i] == sim::Phase::kForward && !is_parameter_[i];
  }

  template <class Holds, class PlaceOf>
  void ForEach(const Holds& holds, const PlaceOf& place_of) {
    for (const OpId op : graph_.topological_order()) {
      if (holds(op.index()) && IsInFirstMicrobatch(graph_.op(op))) {
        places_[op.index()] = place_of(op);
      }
    }
  }

  // Ops for which `holds` take the least place of their readers, where these have one.
  void ForEachReversed(const std::vector<bool>& holds) {
    for (const OpId op : graph_.topological_order() | std::views::reverse) {
      if (holds[op.index()] && IsInFirstMicrobatch(graph_.op(op))) {
        const Layer least = LeastOfReaders(op);
        places_[op.index()] = least.has_value() ? least : places_[op.index()];
      }
    }
  }

  [[nodiscard]] Layer LeastOfReaders(OpId op) const {
    Layer least;
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      for (const OpId reader : graph_.consumers(graph_.output(op, i))) {
        least = Least(least, places_[reader.index()]);
      }
    }
    return least;
  }

  // That of the last forward op or weight that `op` reads, else of the first of the other ops.
  [[nodiscard]] Layer PlaceOfReader(OpId op) const {
    Layer last_forward;
    Layer first_other;
    for (const TensorId input : graph_.inputs(op)) {
      const std::size_t producer = graph_.tensor(input).producer.index();
      if (IsForward(producer) || is_parameter_[producer]) {
        last_forward = std::max(last_forward, places_[producer]);
      } else {
        first_other = Least(first_other, places_[producer]);
      }
    }
    return last_forward.has_value() ? last_forward : first_other;
  }

  const sim::OpGraph& graph_;
  const std::vector<sim::Phase>& phases_;
  std::vector<bool> is_parameter_;
  std::vector<Layer> places_;
};

// Each op without a layer takes that of the op before it, the first ones that of the first op that
// has one.
void FillGaps(const sim::OpGraph& graph, std::vector<Layer>& layers) {
  const auto order = graph.topological_order();
  const auto first =
      std::ranges::find_if(order, [&](OpId op) { return layers[op.index()].has_value(); });
  Layer before = first == order.end() ? Layer(0) : layers[first->index()];
  for (const OpId op : order) {
    before = layers[op.index()].has_value() ? layers[op.index()] : before;
    layers[op.index()] = before;
  }
}

void CopyFromFirstMicrobatch(const sim::OpGraph& graph, std::vector<Layer>& layers) {
  std::unordered_map<std::string_view, Layer> first;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    if (IsInFirstMicrobatch(graph.ops()[i])) {
      first.emplace(NameOfAllMicrobatches(graph.ops()[i].name), layers[i]);
    }
  }
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const auto found = first.find(NameOfAllMicrobatches(graph.ops()[i].name));
    if (!IsInFirstMicrobatch(graph.ops()[i]) && found != first.end()) {
      layers[i] = found->second;
    }
  }
}

void ShareWithinLabels(const sim::OpGraph& graph, std::vector<Layer>& layers) {
  std::vector<Layer> of_label(graph.colocation_labels().size());
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    if (const auto label = graph.ops()[i].colocation) {
      Layer& shared = of_label[static_cast<std::size_t>(*label)];
      shared = shared.has_value() ? shared : layers[i];
      layers[i] = shared;
    }
  }
}

}  // namespace

std::vector<std::int32_t> LayersOf(const sim::OpGraph& graph,
                                   const std::vector<sim::Phase>& phases) {
  std::vector<Layer> layers;
  for (const sim::Op& op : graph.ops()) {
    layers.emplace_back(op.layer);
  }
  const auto count = std::ranges::count_if(layers, [](Layer l) { return l.has_value(); });
  if (2 * static_cast<std::size_t>(count) < graph.num_ops()) {
    layers = ForwardPlaces(graph, phases).Find();
  }
  FillGaps(graph, layers);
  CopyFromFirstMicrobatch(graph, layers);
  ShareWithinLabels(graph, layers);
  std::vector<std::int32_t> known;
  std::ranges::transform(layers, std::back_inserter(known), [](Layer layer) { return *layer; });
  return known;
}

}  // namespace opyard::graphs
