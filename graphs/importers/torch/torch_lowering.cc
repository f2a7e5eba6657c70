// Turns nodes of ATen ops into ops of ours, as the exporter does (python/opyard/export).
#include <algorithm>
#include <limits>
#include <optional>

#include "graphs/importers/torch/aten_ops.h"
#include "graphs/importers/torch/torch_graph.h"
#include "graphs/importers/torch/torch_structure.h"

namespace opyard::graphs {
namespace {

using sim::InputRef;
using sim::OpSpec;
using sim::OutputSpec;

// A tensor that later nodes may read.
struct Value {
  InputRef ref;
  const OutputSpec* tensor = nullptr;  // in the TorchGraph
  Bytes stored;                        // of the distinct elements
  std::int64_t variable = -1;          // the op whose parameters it shows; -1 for none
};
using Values = std::vector<std::optional<Value>>;  // by port; nothing where no tensor is made

bool IsIdentity(std::string_view name) {
  return name == "detach" || name == "alias" || name == "lift_fresh";
}

bool IsInPlace(std::string_view name) {
  return name.size() > 1 && name.ends_with('_') && !name.starts_with('_');
}

class TorchLowering {
 public:
  TorchLowering(const TorchGraph& graph,
                const std::string& place,
                ImportSummary& summary,
                Diagnostics& diagnostics)
      : graph_(graph),
        place_(place),
        summary_(summary),
        diagnostics_(diagnostics),
        selections_(FindSelections(graph, summary)),
        first_backward_(FirstBackward(graph)),
        values_(graph.nodes.size()) {}

  std::vector<OpSpec> Run() {
    for (node_ = 0; node_ < graph_.nodes.size(); ++node_) {
      const TorchNode& node = graph_.nodes[node_];
      switch (node.kind) {
        case TorchNode::Kind::kPlaceholder:
          LowerPlaceholder(node);
          break;
        case TorchNode::Kind::kGetAttr:
          LowerSource(node, "Const");
          break;
        case TorchNode::Kind::kCall:
          LowerCall(node);
          break;
        case TorchNode::Kind::kOutput:
          LowerOutput(node);
          break;
      }
    }
    return std::move(ops_);
  }

 private:
  // Sources.

  void LowerPlaceholder(const TorchNode& node) {
    const auto rank = static_cast<std::int64_t>(num_placeholders_++);
    if (graph_.num_parameters.has_value()) {
      if (rank < *graph_.num_parameters) {
        LowerVariable(node);
      } else {
        summary_.unknown.Add("input of a joint graph, perhaps a buffer, taken as a Placeholder",
                             node.name);
        LowerSource(node, "Placeholder");
      }
    } else if (node.name.starts_with("p_") || node.name.starts_with("b_")) {
      LowerVariable(node);
    } else {
      LowerSource(node, node.name.starts_with("c_") ? "Const" : "Placeholder");
    }
  }

  void LowerVariable(const TorchNode& node) {
    LowerSource(node, "Variable");
    if (!node.outputs.empty()) {
      OpSpec& op = ops_.back();
      op.outputs[0].alias = sim::Alias::kParams;
      op.param_bytes = op.outputs[0].bytes;
      values_[node_][0]->variable = static_cast<std::int64_t>(ops_.size()) - 1;
    }
  }

  void LowerSource(const TorchNode& node, const char* type) {
    if (node.outputs.empty()) {
      summary_.folded.Add("input that is no tensor", node.name);
      return;
    }
    OpSpec& op = AddOp(node.name, type, {});
    op.phase = sim::Phase::kForward;
    op.bytes_accessed = Bytes{};
    AddOutputs(node, op);
  }

  // Calls.

  void LowerCall(const TorchNode& node) {
    const std::string_view name = BareName(node.op);
    if (IsGetitem(node)) {
      LowerGetitem(node);
    } else if (IsIdentity(name) && node.inputs.size() == 1 && values_[node.inputs[0]].size() == 1) {
      values_[node_] = values_[node.inputs[0]];
      summary_.folded.Add(name, node.name);
    } else if (!InputsFit(node)) {
      diagnostics_.AddError(
          place_ + "/" + std::to_string(node_),
          "found inputs and outputs of more bytes than int64 holds, expected less");
    } else if (name == "convolution_backward" && CanSplit(node)) {
      LowerConvolutionGradients(node);
    } else {
      LowerOp(node, name);
    }
  }

  void LowerGetitem(const TorchNode& node) {
    const std::optional<std::size_t> port = selections_.port[node_];
    const Values& values = values_[node.inputs[0]];
    if (port.has_value() && *port < values.size()) {
      values_[node_] = {values[*port]};
    }
  }

  void LowerOp(const TorchNode& node, std::string_view name) {
    const bool is_in_place = IsInPlace(name);
    const std::string_view plain = is_in_place ? name.substr(0, name.size() - 1) : name;
    const AtenOp* known = FindAtenOp(plain);
    const std::vector<Value> inputs = InputsOf(node);
    const bool is_view = known != nullptr && known->is_view && !inputs.empty();
    OpSpec& op = AddOp(node.name, std::string(known == nullptr ? name : known->type), inputs);
    op.phase = PhaseHere();
    op.dtype = ArithmeticDType(node, inputs);
    if (known != nullptr && known->fusion_class != sim::FusionClass::kOpaque) {
      op.fusion_class = known->fusion_class;
    }
    AddOutputs(node, op);
    if (is_view) {
      ShareStorage(op, inputs[0]);
      op.bytes_accessed = Bytes{};
      return;
    }
    if (known == nullptr) {
      summary_.unknown.Add("op type without a rule: no FLOPs, memory traffic alone", name);
    }
    SetWork(node, plain, inputs, op);
    if (is_in_place && !inputs.empty() && node.outputs.size() == 1) {
      UpdateInPlace(op, inputs[0]);
    }
  }

  void SetWork(const TorchNode& node,
               std::string_view name,
               const std::vector<Value>& inputs,
               OpSpec& op) {
    AtenCall call{.name = name};
    for (const Value& input : inputs) {
      call.inputs.push_back({.shape = input.tensor->shape,
                             .dtype = input.tensor->dtype,
                             .bytes = input.tensor->bytes,
                             .stored = input.stored});
    }
    for (const OutputSpec& output : node.outputs) {
      call.outputs.push_back({output.shape, output.dtype, output.bytes, output.bytes});
    }
    const AtenWork work = AtenWorkOf(call);
    if (!work.fits) {
      summary_.unknown.Add("op with other shapes than its type has: no FLOPs, traffic alone",
                           node.name);
    }
    Apply(work.work, op);
  }

  void Apply(const OpWork& work, OpSpec& op) {
    op.flops = work.flops;
    op.work = work.work;
    op.bytes_accessed = work.bytes_accessed;
    if (work.work.has_value() && std::holds_alternative<sim::ConvShape>(*work.work)) {
      summary_.unknown.Add("strides and padding of a convolution, taken from its shapes", op.name);
    } else if (op.type == "MaxPool" || op.type == "AvgPool") {
      summary_.unknown.Add("window of a pooling op: one operation per input element", op.name);
    }
  }

  // The outputs of `op` lie in the storage of `input`, its input 0.
  void ShareStorage(OpSpec& op, const Value& input) {
    for (std::size_t port = 0; port < op.outputs.size(); ++port) {
      op.outputs[port].alias = sim::Alias::kInput;
      Value& value = *values_[node_][port];
      value.stored = std::min(value.stored, input.stored);
      value.variable = input.variable;
    }
  }

  // An op that writes into parameters stays on their device.
  void UpdateInPlace(OpSpec& op, const Value& input) {
    ShareStorage(op, input);
    if (input.variable >= 0) {
      OpSpec& variable = ops_[static_cast<std::size_t>(input.variable)];
      variable.colocation = variable.name;
      op.colocation = variable.name;
    }
  }

  // One getitem per gradient says which ones are wanted.
  [[nodiscard]] bool CanSplit(const TorchNode& node) const {
    return InputsOf(node).size() == 3 && selections_.getitems[node_].size() == 3;
  }

  // Inputs: gradient of the result, image, filter.
  void LowerConvolutionGradients(const TorchNode& node) {
    const std::vector<Value> inputs = InputsOf(node);
    const ConvShapes shapes{.image = inputs[1].tensor->shape,
                            .filter = inputs[2].tensor->shape,
                            .result = inputs[0].tensor->shape};
    const std::string prefix =
        "Conv" + std::to_string(shapes.image.size() < 2 ? 0 : shapes.image.size() - 2) + "D";
    values_[node_].resize(node.outputs.size());
    AddGradient(node, 0, prefix + "BackpropInput", {inputs[0], inputs[2]}, shapes);
    AddGradient(node, 1, prefix + "BackpropFilter", {inputs[0], inputs[1]}, shapes);
    AddGradient(node, 2, "BiasAddGrad", {inputs[0]}, shapes);
  }

  void AddGradient(const TorchNode& node,
                   std::size_t which,
                   const std::string& type,
                   const std::vector<Value>& inputs,
                   const ConvShapes& shapes) {
    const std::optional<std::size_t> port = selections_.port[selections_.getitems[node_][which]];
    if (!port.has_value()) {
      return;
    }
    OpSpec& op = AddOp(node.name + "/" + type, type, inputs);
    const OutputSpec& output = node.outputs[*port];
    op.phase = PhaseHere();
    op.dtype = output.dtype;
    op.outputs.push_back(output);
    values_[node_][*port] =
        Value{.ref = {.op = LastOp(), .output = 0}, .tensor = &output, .stored = output.bytes};
    if (which == 2) {
      op.flops = Flops{Elements(shapes.result)};
      op.fusion_class = sim::FusionClass::kReduction;
      return;
    }
    op.fusion_class = sim::FusionClass::kHeavy;
    const std::optional<OpWork> work = ConvWorkFromShapes(
        which == 0 ? sim::ConvPass::kBackwardData : sim::ConvPass::kBackwardWeight, shapes);
    if (work.has_value()) {
      Apply(*work, op);
    } else {
      summary_.unknown.Add("op with other shapes than its type has: no FLOPs, traffic alone",
                           node.name);
    }
  }

  // Results.

  void LowerOutput(const TorchNode& node) {
    summary_.folded.Add("output", node.name);
    for (const Value& value : InputsOf(node)) {
      ops_[static_cast<std::size_t>(value.ref.op)]
          .outputs[static_cast<std::size_t>(value.ref.output)]
          .keep = true;
    }
  }

  // Parts.

  [[nodiscard]] std::int64_t LastOp() const { return static_cast<std::int64_t>(ops_.size()) - 1; }

  [[nodiscard]] sim::Phase PhaseHere() const {
    return node_ >= first_backward_ ? sim::Phase::kBackward : sim::Phase::kForward;
  }

  OpSpec& AddOp(std::string name, std::string type, const std::vector<Value>& inputs) {
    OpSpec op{.name = std::move(name), .type = std::move(type)};
    for (const Value& input : inputs) {
      op.inputs.push_back(input.ref);
    }
    return ops_.emplace_back(std::move(op));
  }

  void AddOutputs(const TorchNode& node, OpSpec& op) {
    op.outputs = node.outputs;
    if (!node.outputs.empty() && op.inputs.empty()) {
      op.dtype = node.outputs[0].dtype;
    }
    for (std::size_t port = 0; port < node.outputs.size(); ++port) {
      values_[node_].push_back(
          Value{.ref = {.op = LastOp(), .output = static_cast<std::int64_t>(port)},
                .tensor = &node.outputs[port],
                .stored = node.outputs[port].bytes});
    }
  }

  // A node that reads one with several outputs reads all of them.
  [[nodiscard]] std::vector<Value> InputsOf(const TorchNode& node) const {
    std::vector<Value> inputs;
    for (const std::size_t source : node.inputs) {
      for (const std::optional<Value>& value : values_[source]) {
        if (value.has_value()) {
          inputs.push_back(*value);
        }
      }
    }
    return inputs;
  }

  // Sums of their bytes stay within int64, with room to double.
  [[nodiscard]] bool InputsFit(const TorchNode& node) const {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
    std::int64_t sum = 0;
    bool overflows = false;
    for (const Value& input : InputsOf(node)) {
      overflows |= __builtin_add_overflow(sum, input.tensor->bytes.count, &sum);
    }
    for (const OutputSpec& output : node.outputs) {
      overflows |= __builtin_add_overflow(sum, output.bytes.count, &sum);
    }
    return !overflows && sum <= kMost;
  }

  // That of the first floating-point or complex tensor, results first; else of the first tensor.
  static sim::DType ArithmeticDType(const TorchNode& node, const std::vector<Value>& inputs) {
    std::vector<sim::DType> dtypes;
    for (const OutputSpec& output : node.outputs) {
      dtypes.push_back(output.dtype);
    }
    for (const Value& input : inputs) {
      dtypes.push_back(input.tensor->dtype);
    }
    const auto floating = std::ranges::find_if(dtypes, IsCounted);
    if (floating != dtypes.end()) {
      return *floating;
    }
    return dtypes.empty() ? sim::DType::kF32 : dtypes.front();
  }

  const TorchGraph& graph_;
  const std::string& place_;
  ImportSummary& summary_;
  Diagnostics& diagnostics_;
  Selections selections_;
  std::size_t first_backward_;
  std::vector<Values> values_;  // [nodes]
  std::vector<OpSpec> ops_;
  std::size_t node_ = 0;  // being lowered
  std::size_t num_placeholders_ = 0;
};

}  // namespace

void LowerTorchGraph(const TorchGraph& graph,
                     const std::string& place,
                     sim::OpGraphBuilder& builder,
                     ImportSummary& summary,
                     Diagnostics& diagnostics) {
  for (OpSpec& op : TorchLowering(graph, place, summary, diagnostics).Run()) {
    builder.AddOp(std::move(op));
  }
}

}  // namespace opyard::graphs
