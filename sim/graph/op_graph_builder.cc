#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "sim/graph/op_graph.h"
#include "sim/graph/op_specs.h"
#include "sim/graph/topological_sort.h"

namespace opyard::sim {
namespace {

std::int32_t Count(std::size_t size) {
  return static_cast<std::int32_t>(size);
}

// Data and control edges between ops; dangling ones are left out.
EdgeLists OpEdges(std::span<const OpSpec> ops) {
  std::vector<EdgeLists::Edge> edges;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::int32_t to = Count(i);
    for (const InputRef& input : ops[i].inputs) {
      if (IsOpIndex(input.op, ops)) {
        edges.push_back({.from = static_cast<std::int32_t>(input.op), .to = to});
      }
    }
    for (const std::int64_t from : ops[i].control_inputs) {
      if (IsOpIndex(from, ops)) {
        edges.push_back({.from = static_cast<std::int32_t>(from), .to = to});
      }
    }
  }
  return {ops.size(), edges};
}

// Array indices of the graph are 32 bits wide.
bool FitsInIndices(std::span<const OpSpec> ops) {
  std::size_t inputs = 0;
  std::size_t control_inputs = 0;
  std::size_t outputs = 0;
  std::size_t dims = 0;
  for (const OpSpec& op : ops) {
    inputs += op.inputs.size();
    control_inputs += op.control_inputs.size();
    outputs += op.outputs.size();
    for (const OutputSpec& output : op.outputs) {
      dims += output.shape.size();
    }
  }
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
  return std::max({ops.size(), inputs, control_inputs, outputs, dims}) <= kMost;
}

// The items of `lists` grouped by what they point at: consumers from inputs. `first` has one range
// per source, `targets` the index that each item points at; each source is listed once per target,
// by ascending index.
template <class Target>
void Invert(const std::vector<std::int32_t>& first,
            const std::vector<Target>& targets,
            std::size_t num_targets,
            std::vector<std::int32_t>& first_source,
            std::vector<OpId>& sources) {
  std::vector<EdgeLists::Edge> edges;
  std::vector<std::int32_t> last_source(num_targets, -1);
  for (std::size_t source = 0; source + 1 < first.size(); ++source) {
    for (std::int32_t i = first[source]; i < first[source + 1]; ++i) {
      const Target target = targets[static_cast<std::size_t>(i)];
      if (std::exchange(last_source[target.index()], Count(source)) != Count(source)) {
        edges.push_back({.from = target.value, .to = Count(source)});
      }
    }
  }
  const EdgeLists lists(num_targets, edges);
  sources.reserve(edges.size());
  for (std::size_t target = 0; target < num_targets; ++target) {
    first_source.push_back(Count(sources.size()));
    for (const std::int32_t source : lists.successors(target)) {
      sources.emplace_back(source);
    }
  }
  first_source.push_back(Count(sources.size()));
}

}  // namespace

// Moves specs that have been checked into the arrays of a graph.
class OpGraphAssembler {
 public:
  OpGraphAssembler(std::vector<OpSpec> specs, OpGraph& graph)
      : specs_(std::move(specs)), graph_(graph) {}

  // REQUIRES: no errors in the specs; `order` is their topological order.
  void Run(const std::vector<std::int32_t>& order) {
    for (const OpSpec& spec : specs_) {
      graph_.first_output_.push_back(Count(num_outputs_));
      num_outputs_ += spec.outputs.size();
    }
    graph_.first_output_.push_back(Count(num_outputs_));
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      AddEdges(specs_[i]);
      AddOp(specs_[i]);
      AddOutputs(OpId(i), specs_[i]);
      AddExtras(specs_[i]);
    }
    CloseRanges();
    FillOrder(order);
    FillConsumers();
    FillParamAliases();
  }

 private:
  [[nodiscard]] TensorId TensorOf(const InputRef& input) const {
    return graph_.output(OpId(static_cast<std::size_t>(input.op)),
                         static_cast<std::size_t>(input.output));
  }

  void AddEdges(const OpSpec& spec) {
    graph_.first_input_.push_back(Count(graph_.inputs_.size()));
    for (const InputRef& input : spec.inputs) {
      graph_.inputs_.push_back(TensorOf(input));
    }
    graph_.first_control_input_.push_back(Count(graph_.control_inputs_.size()));
    const auto begin = static_cast<std::ptrdiff_t>(graph_.control_inputs_.size());
    for (const std::int64_t op : spec.control_inputs) {
      graph_.control_inputs_.emplace_back(static_cast<std::size_t>(op));
    }
    std::vector<OpId>& all = graph_.control_inputs_;
    std::sort(all.begin() + begin, all.end());
    all.erase(std::unique(all.begin() + begin, all.end()), all.end());
  }

  // The bytes that `spec` reads and writes, its own weights included.
  [[nodiscard]] Bytes Traffic(const OpSpec& spec, Bytes weights) const {
    Bytes sum = weights;
    for (const InputRef& input : spec.inputs) {
      const OpSpec& producer = specs_[static_cast<std::size_t>(input.op)];
      sum += producer.outputs[static_cast<std::size_t>(input.output)].bytes;
    }
    for (const OutputSpec& output : spec.outputs) {
      sum += output.bytes;
    }
    return sum;
  }

  // The index of `text` among `texts`, to which a new one is added.
  static std::int32_t IndexIn(std::vector<std::string>& texts,
                              std::unordered_map<std::string, std::int32_t>& index,
                              const std::string& text) {
    const auto [entry, is_new] = index.try_emplace(text, Count(texts.size()));
    if (is_new) {
      texts.push_back(text);
    }
    return entry->second;
  }

  std::optional<std::int32_t> LabelIndex(const std::string& label) {
    return label.empty() ? std::nullopt
                         : std::optional(IndexIn(graph_.labels_, label_index_, label));
  }

  std::optional<std::int32_t> ModuleIndex(const std::optional<std::string>& path) {
    return path.has_value() ? std::optional(IndexIn(graph_.module_paths_, module_index_, *path))
                            : std::nullopt;
  }

  void AddOp(OpSpec& spec) {
    const Bytes weights = spec.weight_bytes.value_or(spec.param_bytes);
    const FusionClass fusion_class =
        spec.fusion_class.has_value() ? *spec.fusion_class : FusionClassOfType(spec.type);
    graph_.ops_.push_back({
        .name = std::move(spec.name),
        .type = std::move(spec.type),
        .flops = spec.flops,
        .bytes_accessed =
            spec.bytes_accessed.has_value() ? *spec.bytes_accessed : Traffic(spec, weights),
        .param_bytes = spec.param_bytes,
        .weight_bytes = weights,
        .workspace_bytes = spec.workspace_bytes,
        .release = spec.release,
        .layer = spec.layer,
        .module = ModuleIndex(spec.module),
        .colocation = LabelIndex(spec.colocation),
        .device_kinds = spec.device_kinds,
        .fusion_class = fusion_class,
        .phase = spec.phase,
        .dtype = spec.dtype,
    });
  }

  void AddOutputs(OpId op, const OpSpec& spec) {
    for (std::size_t i = 0; i < spec.outputs.size(); ++i) {
      const OutputSpec& output = spec.outputs[i];
      Tensor tensor{
          .producer = op,
          .output_index = Count(i),
          .bytes = output.bytes,
          .aliased = {},
          .alias = output.alias,
          .keep = output.keep,
          .dtype = output.dtype,
      };
      if (output.alias == Alias::kInput) {
        tensor.aliased = TensorOf(spec.inputs[static_cast<std::size_t>(output.alias_input)]);
      }
      graph_.tensors_.push_back(tensor);
      graph_.first_dim_.push_back(Count(graph_.dims_.size()));
      graph_.dims_.insert(graph_.dims_.end(), output.shape.begin(), output.shape.end());
    }
  }

  void AddExtras(OpSpec& spec) {
    graph_.work_index_.push_back(spec.work.has_value() ? Count(graph_.works_.size()) : -1);
    if (spec.work.has_value()) {
      graph_.works_.push_back(*spec.work);
    }
    graph_.first_measured_.push_back(Count(graph_.measured_.size()));
    std::ranges::move(spec.seconds, std::back_inserter(graph_.measured_));
  }

  void CloseRanges() {
    graph_.first_input_.push_back(Count(graph_.inputs_.size()));
    graph_.first_control_input_.push_back(Count(graph_.control_inputs_.size()));
    graph_.first_dim_.push_back(Count(graph_.dims_.size()));
    graph_.first_measured_.push_back(Count(graph_.measured_.size()));
  }

  void FillOrder(const std::vector<std::int32_t>& order) {
    graph_.index_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      graph_.order_.emplace_back(order[i]);
      graph_.index_[static_cast<std::size_t>(order[i])] = Count(i);
    }
  }

  void FillConsumers() {
    Invert(graph_.first_input_,
           graph_.inputs_,
           graph_.num_tensors(),
           graph_.first_consumer_,
           graph_.consumers_);
    Invert(graph_.first_control_input_,
           graph_.control_inputs_,
           graph_.num_ops(),
           graph_.first_control_consumer_,
           graph_.control_consumers_);
  }

  void FillParamAliases() {
    graph_.aliases_params_.resize(graph_.num_tensors());
    for (const OpId op : graph_.order_) {
      for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
        const TensorId id = graph_.output(op, i);
        const Tensor& tensor = graph_.tensor(id);
        graph_.aliases_params_[id.index()] =
            tensor.alias == Alias::kParams ||
            (tensor.alias == Alias::kInput && graph_.aliases_params(tensor.aliased));
      }
    }
  }

  std::vector<OpSpec> specs_;
  OpGraph& graph_;
  std::size_t num_outputs_ = 0;
  std::unordered_map<std::string, std::int32_t> label_index_;
  std::unordered_map<std::string, std::int32_t> module_index_;
};

OpGraphBuilder::OpGraphBuilder(std::string name, std::string origin)
    : name_(std::move(name)), origin_(std::move(origin)) {}

void OpGraphBuilder::Rename(std::string name, std::string origin) {
  name_ = std::move(name);
  origin_ = std::move(origin);
}

OpId OpGraphBuilder::AddOp(OpSpec op) {
  specs_.push_back(std::move(op));
  return OpId(specs_.size() - 1);
}

std::shared_ptr<const OpGraph> OpGraphBuilder::Build(const std::string& place) {
  return Build(place, Diagnostics());
}

std::shared_ptr<const OpGraph> OpGraphBuilder::Build(const std::string& place,
                                                     Diagnostics diagnostics) {
  std::vector<OpSpec> specs = std::exchange(specs_, {});
  if (!FitsInIndices(specs)) {
    throw InputError(place +
                     ": the graph has more parts of one kind than 32-bit indices can count");
  }
  CheckOpSpecs(specs, place, diagnostics);
  const TopologicalOrder sorted = SortTopologically(OpEdges(specs));
  for (const Cycle& cycle : sorted.cycles) {
    const std::string text =
        CycleText(cycle, [&](std::size_t op) -> const std::string& { return specs[op].name; });
    diagnostics.AddError(place + "/ops", "found " + text + ", expected an acyclic graph");
  }
  diagnostics.ThrowIfAny();
  std::shared_ptr<OpGraph> graph(new OpGraph());
  graph->name_ = std::exchange(name_, {});
  graph->origin_ = std::exchange(origin_, {});
  graph->measured_as_ = std::exchange(measured_, Measured::kWithLaunch);
  OpGraphAssembler(std::move(specs), *graph).Run(sorted.order);
  return graph;
}

}  // namespace opyard::sim
