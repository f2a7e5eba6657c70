#include "graphs/microbatches/batch_tensors.h"

#include <algorithm>
#include <string>

#include "graphs/microbatches/gradient_sums.h"
#include "graphs/microbatches/passes.h"
#include "graphs/microbatches/step_layers.h"
#include "sim/base/error.h"
#include "sim/graph/element_bytes.h"

namespace opyard::graphs {
namespace {

std::int64_t NumElements(const sim::Tensor& tensor) {
  return tensor.bytes.count * 8 / sim::ElementBits(tensor.dtype);
}

class BatchTensors {
 public:
  BatchTensors(const sim::OpGraph& graph, std::int64_t divisor, std::optional<std::int64_t> batch)
      : graph_(graph),
        divisor_(divisor),
        batch_(batch),
        phases_(KnownPhases(graph)),
        passes_(PassesOf(graph, phases_, LayersOf(graph, phases_))),
        makes_gradient_(WeightGradientOps(graph, phases_)),
        has_placeholders_(std::ranges::any_of(
            graph.ops(), [](const sim::Op& op) { return op.type == "Placeholder"; })) {}

  std::vector<bool> Find() {
    FindDependent();
    std::vector<bool> shrinks(graph_.num_tensors());
    for (const OpId op : graph_.topological_order()) {
      for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
        const TensorId id = graph_.output(op, i);
        const sim::Tensor& tensor = graph_.tensor(id);
        const bool is_whole_view = tensor.alias == sim::Alias::kInput &&
                                   graph_.tensor(tensor.aliased).bytes == tensor.bytes;
        shrinks[id.index()] =
            MayShrink(op) && !IsGradient(id) &&
            (is_whole_view ? shrinks[tensor.aliased.index()] : HoldsBatch(op, id));
      }
    }
    return shrinks;
  }

 private:
  [[nodiscard]] bool IsSource(OpId op) const {
    const std::size_t i = op.index();
    if (has_placeholders_) {
      return graph_.op(op).type == "Placeholder" && HasBatchInFront(op);
    }
    return phases_[i] == sim::Phase::kForward && passes_[i] != Pass::kParameters &&
           graph_.op(op).type != "Const" && graph_.inputs(op).empty();
  }

  [[nodiscard]] bool HasBatchInFront(OpId op) const {
    if (!batch_.has_value()) {
      return true;
    }
    const auto shape = graph_.shape(graph_.output(op, 0));
    return std::ranges::find(shape.first(std::min<std::size_t>(2, shape.size())), *batch_) !=
           shape.first(std::min<std::size_t>(2, shape.size())).end();
  }

  // Which ops depend on an input of the step, and which on nothing but sources that are neither
  // inputs nor weights nor constants.
  void FindDependent() {
    depends_on_input_.resize(graph_.num_ops());
    is_free_.resize(graph_.num_ops());
    bool has_input = false;
    for (const OpId op : graph_.topological_order()) {
      const std::size_t i = op.index();
      const std::string& type = graph_.op(op).type;
      depends_on_input_[i] = graph_.num_outputs(op) > 0 && IsSource(op);
      has_input = has_input || depends_on_input_[i];
      is_free_[i] = passes_[i] != Pass::kParameters && type != "Placeholder" &&
                    (type != "Const" || !graph_.inputs(op).empty());
      for (const TensorId input : graph_.inputs(op)) {
        const OpId producer = graph_.tensor(input).producer;
        depends_on_input_[i] = depends_on_input_[i] || depends_on_input_[producer.index()];
        is_free_[i] =
            is_free_[i] && (is_free_[producer.index()] || graph_.op(producer).type == "Const");
      }
    }
    if (!has_input) {
      throw InputError("graph \"" + graph_.name() + "\": found no input of the step, expected " +
                       (batch_.has_value() ? "an op of type Placeholder whose first or second "
                                             "extent is the batch, " +
                                                 std::to_string(*batch_)
                                           : "an op of type Placeholder, or a forward op without "
                                             "inputs that is no weight"));
    }
  }

  [[nodiscard]] bool MayShrink(OpId op) const {
    const std::size_t i = op.index();
    const bool is_free = is_free_[i] && batch_.has_value();
    return !RunsOnce(passes_[i]) && !makes_gradient_[i] && (depends_on_input_[i] || is_free);
  }

  // True for a gradient of a weight beside other results of its op, as that of a normalisation is.
  [[nodiscard]] bool IsGradient(TensorId id) const {
    const sim::Tensor& tensor = graph_.tensor(id);
    const auto readers = graph_.consumers(id);
    const bool is_result = tensor.keep && readers.empty();
    const bool is_read_once = std::ranges::any_of(
        readers, [&](OpId reader) { return RunsOnce(passes_[reader.index()]); });
    return phases_[tensor.producer.index()] == sim::Phase::kBackward && (is_result || is_read_once);
  }

  [[nodiscard]] bool HoldsBatch(OpId op, TensorId id) const {
    const auto shape = graph_.shape(id);
    if (NumElements(graph_.tensor(id)) < divisor_) {
      return false;
    }
    return batch_.has_value() && !shape.empty() ? FindBatchExtent(shape, *batch_).has_value()
                                                : bool{depends_on_input_[op.index()]};
  }

  const sim::OpGraph& graph_;
  std::int64_t divisor_;
  std::optional<std::int64_t> batch_;
  std::vector<sim::Phase> phases_;
  std::vector<Pass> passes_;
  std::vector<bool> makes_gradient_;
  bool has_placeholders_;
  std::vector<bool> depends_on_input_;  // of op i
  std::vector<bool> is_free_;           // of op i
};

}  // namespace

std::optional<std::size_t> FindBatchExtent(std::span<const std::int64_t> shape,
                                           std::int64_t batch) {
  auto found = std::ranges::find(shape, batch);
  if (found == shape.end()) {
    found = std::ranges::find_if(
        shape, [batch](std::int64_t extent) { return extent > 0 && extent % batch == 0; });
  }
  return found == shape.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(found - shape.begin()));
}

std::vector<bool> FindBatchTensors(const sim::OpGraph& graph,
                                   std::int64_t divisor,
                                   std::optional<std::int64_t> batch) {
  return BatchTensors(graph, divisor, batch).Find();
}

}  // namespace opyard::graphs
