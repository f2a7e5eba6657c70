#include "graphs/microbatches/repeat_microbatches.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

#include "graphs/microbatches/gradient_sums.h"
#include "graphs/microbatches/microbatch_names.h"
#include "graphs/microbatches/passes.h"
#include "graphs/microbatches/step_layers.h"
#include "sim/base/error.h"
#include "sim/graph/op_graph_parts.h"

namespace opyard::graphs {
namespace {

void RefuseMicrobatches(const sim::OpGraph& graph) {
  const auto found = std::ranges::find_if(
      graph.ops(), [](const sim::Op& op) { return FindMicrobatch(op.name).has_value(); });
  if (found != graph.ops().end()) {
    throw InputError("graph \"" + graph.name() + "\": found op \"" + found->name +
                     "\", which is of a micro-batch, expected the graph of a step without them");
  }
}

std::shared_ptr<const sim::OpGraph> Renamed(const sim::OpGraph& graph, const std::string& name) {
  sim::OpGraphBuilder builder(name, graph.origin());
  builder.SetMeasured(graph.measured());
  for (sim::OpSpec& spec : sim::SpecsOf(graph)) {
    builder.AddOp(std::move(spec));
  }
  return builder.Build(name);
}

class MicrobatchRepetition {
 public:
  MicrobatchRepetition(const sim::OpGraph& graph, std::int64_t num_microbatches)
      : graph_(graph),
        num_microbatches_(static_cast<std::int32_t>(num_microbatches)),
        specs_(sim::SpecsOf(graph)) {
    const std::vector<sim::Phase> phases = KnownPhases(graph);
    passes_ = PassesOf(graph, phases, LayersOf(graph, phases));
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      specs_[i].phase = phases[i];
    }
    for (const TensorId gradient : SummedGradients(graph, phases, passes_)) {
      sums_.emplace(gradient, MakeGradientSum(graph, gradient, specs_));
    }
    copies_.resize(specs_.size());
    FindNeededFirst();
    FindSharedLabels();
  }

  std::shared_ptr<const sim::OpGraph> Build(const std::string& name) {
    Number();
    sim::OpGraphBuilder builder(name,
                                std::to_string(num_microbatches_) + " micro-batches" +
                                    (graph_.origin().empty() ? "" : "; " + graph_.origin()));
    builder.SetMeasured(graph_.measured());
    AddOnce(builder, true);
    for (const auto& [gradient, ops] : sums_) {
      builder.AddOp(ops.sum);
    }
    for (std::int32_t k = 0; k < num_microbatches_; ++k) {
      AddMicrobatch(builder, k);
    }
    AddOnce(builder, false);
    return builder.Build(name);
  }

 private:
  [[nodiscard]] bool IsOnce(std::size_t op) const { return RunsOnce(passes_[op]); }

  // Calls `visit` for each op that waits for `op`.
  template <class Visit>
  void ForEachSuccessor(OpId op, const Visit& visit) const {
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      std::ranges::for_each(graph_.consumers(graph_.output(op, i)), visit);
    }
    std::ranges::for_each(graph_.control_consumers(op), visit);
  }

  // Ops that run once and that ops of the micro-batches wait for, and all weights.
  void FindNeededFirst() {
    is_first_.resize(specs_.size());
    for (const OpId op : graph_.topological_order() | std::views::reverse) {
      bool is_needed = passes_[op.index()] == Pass::kParameters;
      ForEachSuccessor(op, [&](OpId next) {
        is_needed = is_needed || !IsOnce(next.index()) || is_first_[next.index()];
      });
      is_first_[op.index()] = is_needed && IsOnce(op.index());
    }
  }

  // Labels of ops that hold parameters or run once. Ops with parameters that run once per
  // micro-batch are given one where they have none.
  void FindSharedLabels() {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const bool holds_parameters = specs_[i].param_bytes > Bytes{};
      if (holds_parameters && !IsOnce(i) && specs_[i].colocation.empty()) {
        specs_[i].colocation = specs_[i].name;
      }
      if (holds_parameters || IsOnce(i)) {
        shared_labels_.insert(specs_[i].colocation);
      }
    }
    for (const auto& [gradient, ops] : sums_) {
      shared_labels_.insert(ops.sum.colocation);
    }
  }

  // The place of each copy among the ops of the result, in the order in which Build adds them.
  void Number() {
    std::int64_t next = 0;
    const auto number_once = [&](bool first) {
      for (std::size_t i = 0; i < specs_.size(); ++i) {
        if (IsOnce(i) && is_first_[i] == first) {
          copies_[i] = {next++};
        }
      }
    };
    number_once(true);
    for (const auto& [gradient, ops] : sums_) {
      sum_index_[gradient] = next++;
    }
    for (std::int32_t k = 0; k < num_microbatches_; ++k) {
      for (std::size_t i = 0; i < specs_.size(); ++i) {
        if (!IsOnce(i)) {
          copies_[i].push_back(next++);
          ForEachSumOf(OpId(i),
                       [&](TensorId gradient) { add_indices_[gradient].push_back(next++); });
        }
      }
    }
    number_once(false);
  }

  template <class Visit>
  void ForEachSumOf(OpId op, const Visit& visit) const {
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      if (sums_.contains(graph_.output(op, i))) {
        visit(graph_.output(op, i));
      }
    }
  }

  void AddMicrobatch(sim::OpGraphBuilder& builder, std::int32_t microbatch) {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      if (!IsOnce(i)) {
        builder.AddOp(CopyOf(i, microbatch));
        ForEachSumOf(OpId(i),
                     [&](TensorId gradient) { builder.AddOp(AddOf(gradient, microbatch)); });
      }
    }
  }

  [[nodiscard]] std::int64_t CopyIndex(std::int64_t op, std::int32_t microbatch) const {
    const std::vector<std::int64_t>& copies = copies_[static_cast<std::size_t>(op)];
    return copies.size() == 1 ? copies[0] : copies[static_cast<std::size_t>(microbatch)];
  }

  [[nodiscard]] sim::OpSpec CopyOf(std::size_t op, std::int32_t microbatch) const {
    sim::OpSpec copy = specs_[op];
    copy.name = NameInMicrobatch(copy.name, microbatch);
    if (!copy.colocation.empty() && !shared_labels_.contains(copy.colocation)) {
      copy.colocation = NameInMicrobatch(copy.colocation, microbatch);
    }
    if (microbatch > 0) {
      copy.param_bytes = Bytes{};  // weight_bytes, what a run reads of them, stays
    }
    for (sim::InputRef& input : copy.inputs) {
      input.op = CopyIndex(input.op, microbatch);
    }
    for (std::int64_t& before : copy.control_inputs) {
      before = CopyIndex(before, microbatch);
    }
    ForEachSumOf(OpId(op), [&](TensorId gradient) {
      copy.outputs[static_cast<std::size_t>(graph_.tensor(gradient).output_index)].keep = false;
    });
    return copy;
  }

  [[nodiscard]] sim::OpSpec AddOf(TensorId gradient, std::int32_t microbatch) const {
    sim::OpSpec add = sums_.at(gradient).add;
    const sim::Tensor& tensor = graph_.tensor(gradient);
    add.name = NameInMicrobatch(add.name, microbatch);
    add.inputs = {
        {.op = sum_index_.at(gradient), .output = 0},
        {.op = CopyIndex(tensor.producer.value, microbatch), .output = tensor.output_index}};
    return add;
  }

  void AddOnce(sim::OpGraphBuilder& builder, bool first) {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      if (IsOnce(i) && is_first_[i] == first) {
        builder.AddOp(OnceOf(i));
      }
    }
  }

  // Inputs that the micro-batches make are sums of gradients, else those of the last micro-batch.
  [[nodiscard]] sim::OpSpec OnceOf(std::size_t op) const {
    sim::OpSpec once = specs_[op];
    std::set<std::int64_t> waits_for;
    for (std::size_t i = 0; i < once.inputs.size(); ++i) {
      const std::vector<std::int64_t>& copies = SourcesOf(graph_.inputs(OpId(op))[i]);
      waits_for.insert(copies.begin(), copies.end() - 1);
      const bool is_sum = sums_.contains(graph_.inputs(OpId(op))[i]);
      once.inputs[i] = {.op = copies.back(), .output = is_sum ? 0 : once.inputs[i].output};
    }
    for (const std::int64_t before : once.control_inputs) {
      const std::vector<std::int64_t>& copies = copies_[static_cast<std::size_t>(before)];
      waits_for.insert(copies.begin(), copies.end());
    }
    once.control_inputs.assign(waits_for.begin(), waits_for.end());
    return once;
  }

  // The ops that add `tensor` up, else the copies of its producer.
  [[nodiscard]] const std::vector<std::int64_t>& SourcesOf(TensorId tensor) const {
    const auto adds = add_indices_.find(tensor);
    return adds != add_indices_.end() ? adds->second
                                      : copies_[graph_.tensor(tensor).producer.index()];
  }

  const sim::OpGraph& graph_;
  std::int32_t num_microbatches_;
  std::vector<sim::OpSpec> specs_;
  std::vector<Pass> passes_;
  std::map<TensorId, GradientSum> sums_;
  std::vector<bool> is_first_;           // of op i: it runs once, before the micro-batches
  std::set<std::string> shared_labels_;  // that stay in all micro-batches
  std::vector<std::vector<std::int64_t>> copies_;  // of op i: one, or one per micro-batch
  std::map<TensorId, std::int64_t> sum_index_;
  std::map<TensorId, std::vector<std::int64_t>> add_indices_;  // one per micro-batch
};

}  // namespace

std::shared_ptr<const sim::OpGraph> RepeatMicrobatches(
    const std::shared_ptr<const sim::OpGraph>& graph,
    std::int64_t num_microbatches,
    const std::string& name) {
  RefuseMicrobatches(*graph);
  if (num_microbatches == 1) {
    return graph->name() == name ? graph : Renamed(*graph, name);
  }
  return MicrobatchRepetition(*graph, num_microbatches).Build(name);
}

}  // namespace opyard::graphs
