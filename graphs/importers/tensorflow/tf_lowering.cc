#include <algorithm>
#include <limits>
#include <optional>

#include "graphs/builder/op_kind.h"
#include "graphs/importers/tensorflow/tf_graph.h"
#include "graphs/importers/tensorflow/tf_phases.h"
#include "graphs/importers/tensorflow/tf_roles.h"
#include "graphs/importers/tensorflow/tf_work.h"
#include "sim/graph/topological_sort.h"

namespace opyard::graphs {
namespace {

using sim::InputRef;
using sim::OpSpec;

sim::TopologicalOrder SortNodes(const TfGraph& graph) {
  std::vector<sim::EdgeLists::Edge> edges;
  const auto add = [&edges](std::size_t from, std::size_t to) {
    edges.push_back({.from = static_cast<std::int32_t>(from), .to = static_cast<std::int32_t>(to)});
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const TfInput& input : graph.nodes[i].inputs) {
      add(input.node, i);
    }
    for (const std::size_t source : graph.nodes[i].controls) {
      add(source, i);
    }
  }
  return sim::SortTopologically({graph.nodes.size(), edges});
}

bool IsView(std::string_view type) {
  return type == "Reshape" || type == "Squeeze" || type == "ExpandDims" || type == "Identity";
}

class TfLowering {
 public:
  TfLowering(const TfGraph& graph,
             std::span<const std::int32_t> order,
             sim::OpGraphBuilder& builder,
             ImportSummary& summary)
      : graph_(graph),
        builder_(builder),
        summary_(summary),
        roles_(FindTfRoles(graph)),
        phases_(FindTfPhases(graph, order)),
        modules_(FindTfModules(graph, roles_, phases_)),
        values_(graph.nodes.size()),
        op_of_(graph.nodes.size(), -1) {}

  void Lower(std::size_t i) {
    switch (roles_.role[i]) {
      case TfRole::kVariable:
        LowerVariable(i);
        break;
      case TfRole::kConstant:
        summary_.folded.Add("constant up to 1 KiB", graph_.nodes[i].name);
        values_[i].resize(graph_.nodes[i].outputs.size());
        break;
      case TfRole::kPassThrough:
        PassThrough(i);
        break;
      case TfRole::kEnd:
        summary_.folded.Add("NoOp that nothing waits for", graph_.nodes[i].name);
        break;
      case TfRole::kRead:
      case TfRole::kUpdate:
      case TfRole::kOp:
        LowerOp(i);
        break;
    }
  }

  // A graph whose figures would all be wrong is refused.
  void CheckShapes(const std::string& place, Diagnostics& diagnostics) const {
    if (num_heavy_ > 0 && num_heavy_without_shapes_ == num_heavy_) {
      diagnostics.AddError(
          place,
          "found " + std::to_string(num_heavy_) +
              " products and convolutions and not enough shapes for one of them, expected "
              "shapes in attributes and constants; write the graph by "
              "as_graph_def(add_shapes=True)");
    }
  }

 private:
  void LowerVariable(std::size_t i) {
    const TfTensor& tensor = roles_.variable_tensor[i];
    OpSpec op{.name = graph_.nodes[i].name, .type = "Variable"};
    op.outputs.push_back(Output(tensor));
    op.outputs[0].alias = sim::Alias::kParams;
    op.param_bytes = tensor.bytes;
    op.bytes_accessed = Bytes{};
    op.dtype = tensor.dtype;
    op.colocation = graph_.nodes[roles_.variable[i]].name;
    op.phase = phases_[i] == sim::Phase::kUnknown ? phases_[i] : sim::Phase::kForward;
    op.module = modules_[i];
    if (graph_.has_costs) {
      summary_.unknown.Add("size of a variable: the estimator takes unknown shapes for a few bytes",
                           op.name);
    }
    if (!tensor.shape.has_value() && !graph_.has_costs) {
      summary_.unknown.Add("variable without a size, taken as 0 bytes", op.name);
    }
    Add(i, std::move(op));
  }

  void PassThrough(std::size_t i) {
    const TfNode& node = graph_.nodes[i];
    summary_.folded.Add(node.type == "IdentityN" ? "IdentityN" : "Identity or StopGradient",
                        node.name);
    for (std::size_t port = 0; port < node.outputs.size(); ++port) {
      values_[i].push_back(ValueOf(node.inputs[port]));
    }
    op_of_[i] = op_of_[node.inputs[0].node];
  }

  void LowerOp(std::size_t i) {
    const TfNode& node = graph_.nodes[i];
    const bool is_update = roles_.role[i] == TfRole::kUpdate;
    OpSpec op{.name = node.name,
              .type = is_update ? std::string(BuilderType(node.type)) : node.type};
    for (const TfInput& input : node.inputs) {
      if (const std::optional<InputRef> value = ValueOf(input)) {
        op.inputs.push_back(*value);
      }
    }
    for (const TfTensor& output : node.outputs) {
      op.outputs.push_back(Output(output));
      if (!output.shape.has_value() && output.bytes.count == 0 && !graph_.has_costs) {
        summary_.unknown.Add(op.inputs.empty()
                                 ? "source without a static shape, taken as 0 bytes"
                                 : "output without a static shape, taken as its op's largest input",
                             node.name);
        op.outputs.back().bytes = LargestOf(op.inputs);
      }
    }
    op.dtype = node.outputs.empty() ? sim::DType::kF32 : node.outputs[0].dtype;
    op.phase = phases_[i];
    op.module = modules_[i];
    SetWork(i, op);
    SetStorage(i, op);
    Repeat(node.times, op);
    SetControls(node, op);
    SetColocation(i, op);
    Add(i, std::move(op));
  }

  void SetWork(std::size_t i, OpSpec& op) {
    const TfNode& node = graph_.nodes[i];
    if (graph_.has_costs) {
      SetSeconds(node, op);
      return;
    }
    if (node.type.starts_with("Placeholder") || node.type == "Const" || node.type == "NoOp" ||
        roles_.role[i] == TfRole::kRead) {
      op.bytes_accessed = Bytes{};
      return;
    }
    if (roles_.role[i] == TfRole::kUpdate && SetUpdateWork(i, op)) {
      return;
    }
    std::vector<const TfTensor*> arguments;
    for (const TfInput& input : node.inputs) {
      arguments.push_back(&graph_.nodes[input.node].outputs[input.port]);
    }
    const TfWork work = TfWorkOf(node, arguments);
    const bool is_heavy = IsTfHeavy(node.type);
    num_heavy_ += is_heavy ? 1 : 0;
    num_heavy_without_shapes_ += is_heavy && work.source == TfWork::Source::kNoShapes ? 1 : 0;
    Report(work.source, node);
    op.flops = work.work.flops;
    op.work = work.work.work;
    op.bytes_accessed = work.work.bytes_accessed;
  }

  void SetSeconds(const TfNode& node, OpSpec& op) {
    if (node.seconds.has_value()) {
      op.seconds.push_back({.where = "*", .seconds = *node.seconds});
      summary_.unknown.Add("run time from the estimator's roofline model, not measured", node.name);
    } else {
      summary_.unknown.Add("op without a cost: memory traffic alone", node.name);
    }
  }

  // Assign writes the variable, AssignAdd and AssignSub read it, too.
  bool SetUpdateWork(std::size_t i, OpSpec& op) {
    const TfNode& node = graph_.nodes[i];
    const TfTensor& variable = roles_.variable_tensor[node.inputs[0].node];
    if (!op.type.starts_with("Assign")) {
      return SetOptimizerWork(node, variable, op);
    }
    if (node.inputs.size() < 2) {
      return false;
    }
    const bool reads = op.type != "Assign";
    op.bytes_accessed = variable.bytes + variable.bytes + (reads ? variable.bytes : Bytes{});
    op.flops = Flops{reads && variable.shape.has_value() ? Elements(*variable.shape) : 0.0};
    op.dtype = variable.dtype;
    return true;
  }

  // ResourceApplyAdam and the like read and write each variable that they are given. False for one
  // without a rule.
  bool SetOptimizerWork(const TfNode& node, const TfTensor& variable, OpSpec& op) {
    const OpKind* kind = FindOpKind(op.type);
    if (kind == nullptr || !variable.shape.has_value()) {
      return false;
    }
    Bytes bytes;
    for (const TfInput& input : node.inputs) {
      const bool is_variable = roles_.role[input.node] == TfRole::kVariable;
      const Bytes size = is_variable ? roles_.variable_tensor[input.node].bytes
                                     : graph_.nodes[input.node].outputs[input.port].bytes;
      bytes += is_variable ? size + size : size;
    }
    op.flops = Flops{kind->flops * Elements(*variable.shape)};
    op.bytes_accessed = bytes;
    op.dtype = variable.dtype;
    return true;
  }

  void Report(TfWork::Source source, const TfNode& node) {
    switch (source) {
      case TfWork::Source::kRule:
        return;
      case TfWork::Source::kAssumed:
        summary_.unknown.Add("elementwise op type without a rule: 1 FLOP per element", node.type);
        return;
      case TfWork::Source::kNoRule:
        summary_.unknown.Add("op type without a rule: no FLOPs, memory traffic alone", node.type);
        return;
      case TfWork::Source::kNoShapes:
        summary_.unknown.Add(
            IsTfHeavy(node.type)
                ? "product, convolution or recurrent layer without the shapes its FLOPs need: no "
                  "FLOPs, memory traffic alone"
                : "op without the shapes its FLOPs need: memory traffic alone",
            node.name);
        return;
    }
  }

  void SetStorage(std::size_t i, OpSpec& op) {
    if (op.type == "Const") {
      op.param_bytes = op.outputs.empty() ? Bytes{} : op.outputs[0].bytes;
      for (sim::OutputSpec& output : op.outputs) {
        output.alias = sim::Alias::kParams;
      }
    } else if ((roles_.role[i] == TfRole::kRead || roles_.role[i] == TfRole::kUpdate ||
                IsView(op.type)) &&
               op.outputs.size() == 1 && !op.inputs.empty() &&
               ValueOf(graph_.nodes[i].inputs[0]).has_value()) {
      op.outputs[0].alias = sim::Alias::kInput;
    }
  }

  // The work of an op that stands for all iterations of a loop.
  void Repeat(std::int64_t times, OpSpec& op) const {
    if (times == 1) {
      return;
    }
    Bytes bytes = op.param_bytes;
    for (const InputRef& input : op.inputs) {
      bytes += sizes_[Index(input.op)][Index(input.output)];
    }
    for (const sim::OutputSpec& output : op.outputs) {
      bytes += output.bytes;
    }
    bytes = op.bytes_accessed.value_or(bytes);
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
    const bool fits = !__builtin_mul_overflow(bytes.count, times, &bytes.count);
    op.bytes_accessed = Bytes{fits ? std::min(bytes.count, kMost) : kMost};
    op.flops = Flops{op.flops.count * static_cast<double>(times)};
    if (op.work.has_value()) {
      op.work = Repeated(*op.work, times);
    }
  }

  // A batch of `times` as many; nothing where that is beyond int32.
  static std::optional<sim::WorkShape> Repeated(sim::WorkShape work, std::int64_t times) {
    std::int64_t* count = nullptr;
    if (auto* gemm = std::get_if<sim::GemmShape>(&work)) {
      count = &gemm->batch;
    } else if (auto* conv = std::get_if<sim::ConvShape>(&work)) {
      count = &conv->n;
    }
    const bool fits = count != nullptr && !__builtin_mul_overflow(*count, times, count) &&
                      *count <= std::numeric_limits<std::int32_t>::max();
    return fits ? std::optional(work) : std::nullopt;
  }

  void SetControls(const TfNode& node, OpSpec& op) const {
    for (const std::size_t source : node.controls) {
      if (op_of_[source] >= 0) {
        op.control_inputs.push_back(op_of_[source]);
      }
    }
  }

  void SetColocation(std::size_t i, OpSpec& op) {
    if (roles_.role[i] == TfRole::kRead || roles_.role[i] == TfRole::kUpdate) {
      op.colocation = graph_.nodes[roles_.variable[i]].name;
    } else {
      op.colocation = graph_.nodes[i].colocate_with;
    }
  }

  static sim::OutputSpec Output(const TfTensor& tensor) {
    return {.bytes = tensor.bytes, .shape = tensor.shape.value_or(Shape()), .dtype = tensor.dtype};
  }

  [[nodiscard]] Bytes LargestOf(const std::vector<InputRef>& inputs) const {
    Bytes largest;
    for (const InputRef& input : inputs) {
      largest = std::max(largest, sizes_[Index(input.op)][Index(input.output)]);
    }
    return largest;
  }

  static std::size_t Index(std::int64_t value) { return static_cast<std::size_t>(value); }

  // Nothing for a constant that was folded away.
  [[nodiscard]] std::optional<InputRef> ValueOf(const TfInput& input) const {
    const auto& values = values_[input.node];
    return input.port < values.size() ? values[input.port] : std::nullopt;
  }

  void Add(std::size_t i, OpSpec op) {
    const std::size_t num_outputs = std::max(op.outputs.size(), graph_.nodes[i].outputs.size());
    op.outputs.resize(num_outputs);
    op_of_[i] = static_cast<std::int64_t>(builder_.num_ops());
    std::vector<Bytes>& sizes = sizes_.emplace_back();
    for (std::size_t port = 0; port < num_outputs; ++port) {
      sizes.push_back(op.outputs[port].bytes);
      values_[i].push_back(InputRef{.op = op_of_[i], .output = static_cast<std::int64_t>(port)});
    }
    builder_.AddOp(std::move(op));
  }

  const TfGraph& graph_;
  sim::OpGraphBuilder& builder_;
  ImportSummary& summary_;
  TfRoles roles_;
  std::vector<sim::Phase> phases_;                            // [nodes]
  std::vector<std::optional<std::string>> modules_;           // [nodes]
  std::vector<std::vector<std::optional<InputRef>>> values_;  // [nodes][ports]
  std::vector<std::int64_t> op_of_;                           // [nodes]; −1 for none
  std::vector<std::vector<Bytes>> sizes_;                     // [ops][outputs]
  std::size_t num_heavy_ = 0;                                 // products, convolutions
  std::size_t num_heavy_without_shapes_ = 0;
};

// All outputs together stay far below int64, so that sums of a few of them do.
bool SizesFit(const TfGraph& graph) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
  std::int64_t sum = 0;
  for (const TfNode& node : graph.nodes) {
    for (const TfTensor& output : node.outputs) {
      if (__builtin_add_overflow(sum, output.bytes.count, &sum) || sum > kMost) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

void LowerTfGraph(const TfGraph& graph,
                  const std::string& place,
                  sim::OpGraphBuilder& builder,
                  ImportSummary& summary,
                  Diagnostics& diagnostics) {
  if (!SizesFit(graph)) {
    diagnostics.AddError(place,
                         "found outputs of more bytes than int64 holds together, expected less");
    diagnostics.ThrowIfAny();
  }
  const sim::TopologicalOrder sorted = SortNodes(graph);
  for (const sim::Cycle& cycle : sorted.cycles) {
    const std::string text = sim::CycleText(
        cycle, [&](std::size_t node) -> const std::string& { return graph.nodes[node].name; });
    diagnostics.AddError(place,
                         "found " + text + ", expected an acyclic graph (loops are not imported)");
  }
  diagnostics.ThrowIfAny();
  TfLowering lowering(graph, sorted.order, builder, summary);
  for (const std::int32_t node : sorted.order) {
    lowering.Lower(static_cast<std::size_t>(node));
  }
  lowering.CheckShapes(place, diagnostics);
}

}  // namespace opyard::graphs
