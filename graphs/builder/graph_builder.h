// Writes down a training step in the ops that a framework would run, one typed call per op.
//
// Shapes are checked at each call: a wrong one throws InputError with the op's type, what was found
// and what was expected. FLOPs, traffic and shape blocks follow from the shapes (op_kinds.cc).
// Granularity and type names are those of TensorFlow's training graphs: an operand that such a
// graph passes as a tensor (axes, target shapes, scalars) is a `Const` op beside its reader, placed
// with it.
//
// Determinism: ops are numbered by the order of the calls, names follow from scope and type. So
// never make two ops in the arguments of one call, whose order C++ leaves open.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graphs/builder/op_kind.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// A constant operand of an op.
struct ConstOperand {
  std::string_view name;  // in the framework's words: "axis", "shape"
  Shape shape;
  sim::DType dtype = sim::DType::kI32;
  bool is_argument = false;  // takes part in shape inference and gradients, as an input does
};

// An op that is about to be added.
struct OpDraft {
  std::string_view type;
  std::vector<Tensor> inputs;
  Attributes attributes;
  std::vector<ConstOperand> operands;  // stand behind the inputs
  std::string_view name;               // default: the type
};

// An op that was added.
struct OpNode {
  const OpKind* kind = nullptr;
  std::string name;
  std::vector<Tensor> inputs;  // the arguments, then the other constants
  std::size_t num_arguments = 0;
  Attributes attributes;
  std::vector<TensorType> outputs;
  std::vector<OpId> control_inputs;
  Bytes param_bytes;
  std::optional<std::int32_t> layer;
  std::optional<std::string> module;  // dotted path
  sim::Phase phase = sim::Phase::kForward;
  bool keep = false;

  [[nodiscard]] OpArguments arguments() const {
    return {
        .kind = *kind, .inputs = std::span(inputs).first(num_arguments), .attributes = attributes};
  }
};

// A weight, or what is kept beside weights from step to step.
struct VariableInfo {
  Tensor handle;  // the storage: output of the Variable op
  Tensor value;   // what the model reads
  bool is_trainable = true;
};

enum class Transposed : std::uint8_t { kNone, kFirst, kSecond };

class GraphBuilder {
 public:
  GraphBuilder(std::string name, std::string origin);

  // --- Where the next ops stand.
  // Names of ops added before the scope ends begin with "`name`/". Scopes are modules of the graph:
  // ops in "encoder/layer0" are of "encoder.layer0", ops outside of scopes are left to the ops
  // beside them (sim/graph/modules.h).
  class Scope {
   public:
    Scope(GraphBuilder& builder, const std::string& name);
    // The scope of ops that serve another: they are of its `module`, whatever their names.
    Scope(GraphBuilder& builder, const std::string& name, std::optional<std::string> module);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    GraphBuilder& builder_;
    std::size_t length_before_;
    std::optional<std::optional<std::string>> module_before_;
  };
  // The stage of the model that an expert would keep on one device.
  void SetLayer(std::optional<std::int32_t> layer) { layer_ = layer; }
  [[nodiscard]] std::optional<std::int32_t> layer() const { return layer_; }
  void SetPhase(sim::Phase phase) { phase_ = phase; }

  // --- Sources.
  Tensor Placeholder(std::string_view name, const Shape& shape, sim::DType dtype);
  // A trainable weight and its read; returns what the model reads.
  Tensor Weight(std::string_view name, const Shape& shape, sim::DType dtype = sim::DType::kF32);
  // Kept from step to step without a gradient, as moving averages are.
  VariableInfo State(std::string_view name,
                     const Shape& shape,
                     sim::DType dtype = sim::DType::kF32);
  Tensor Constant(std::string_view name, const Shape& shape, sim::DType dtype = sim::DType::kF32);
  // Uniform in [0, 1).
  Tensor RandomUniform(const Shape& shape);

  // --- Elementwise.
  Tensor Unary(std::string_view type, const Tensor& x);  // as large as `x`: "Relu", "Exp", …
  Tensor Binary(std::string_view type, const Tensor& a, const Tensor& b);
  // `x` and a constant scalar: "AddV2" with an epsilon, "Mul" with a decay.
  Tensor WithScalar(std::string_view type, const Tensor& x, std::string_view scalar);
  Tensor Add(const Tensor& a, const Tensor& b) { return Binary("AddV2", a, b); }
  Tensor Sub(const Tensor& a, const Tensor& b) { return Binary("Sub", a, b); }
  Tensor Mul(const Tensor& a, const Tensor& b) { return Binary("Mul", a, b); }
  Tensor Div(const Tensor& a, const Tensor& b) { return Binary("RealDiv", a, b); }
  Tensor Relu(const Tensor& x) { return Unary("Relu", x); }
  Tensor Tanh(const Tensor& x) { return Unary("Tanh", x); }
  Tensor Sigmoid(const Tensor& x) { return Unary("Sigmoid", x); }
  Tensor AddN(const std::vector<Tensor>& terms);
  Tensor Cast(const Tensor& x, sim::DType dtype);
  Tensor Select(const Tensor& condition, const Tensor& a, const Tensor& b);
  // `a` where `condition` holds, else 0.
  Tensor SelectOrZero(const Tensor& condition, const Tensor& a);
  // 0 where `condition` holds, else `b`.
  Tensor SelectZeroOr(const Tensor& condition, const Tensor& b);
  // Adds `bias` along `axis`.
  Tensor BiasAdd(const Tensor& x, const Tensor& bias, std::int64_t axis);
  // Scales by 1 / (1 − rate) what a random mask keeps. Five ops: random numbers, comparison, cast,
  // scaling, mask.
  Tensor Dropout(const Tensor& x);

  // --- Products and convolutions.
  // Matrices, or batches of them with equal leading extents.
  Tensor MatMul(const Tensor& a, const Tensor& b, Transposed transposed = Transposed::kNone);
  // `image` [batch, channels, height, width], `filter` [filters, channels / groups, height, width].
  // One group per channel is a depthwise convolution.
  Tensor Conv(const Tensor& image, const Tensor& filter, const Window& window);
  // The transposed convolution whose result has shape `image`.
  Tensor ConvTranspose(const Tensor& x,
                       const Tensor& filter,
                       const Window& window,
                       const Shape& image);
  Tensor Pool(std::string_view type, const Tensor& image, const Window& window);

  // --- Reductions and losses.
  Tensor Reduce(std::string_view type, const Tensor& x, const Shape& axes);  // "Sum", "Mean", …
  // Leaves extents of 1.
  Tensor ReduceKeeping(std::string_view type, const Tensor& x, const Shape& axes);
  Tensor L2Loss(const Tensor& x) { return Unary("L2Loss", x); }
  Tensor Softmax(const Tensor& x) { return Unary("Softmax", x); }
  Tensor ArgMax(const Tensor& x, std::int64_t axis);
  // Loss [batch] of `logits` [batch, classes] against `labels` [batch] (numbers) or
  // [batch, classes] (probabilities).
  Tensor CrossEntropy(const Tensor& logits, const Tensor& labels);

  // --- Movement of data.
  Tensor Reshape(const Tensor& x, const Shape& shape);
  Tensor ExpandDims(const Tensor& x, std::int64_t axis);
  Tensor Squeeze(const Tensor& x, const Shape& axes);
  Tensor Transpose(const Tensor& x, const Shape& permutation);
  Tensor Concat(const std::vector<Tensor>& parts, std::int64_t axis);
  std::vector<Tensor> Split(const Tensor& x, std::int64_t count, std::int64_t axis);
  Tensor Slice(const Tensor& x, const Shape& begin, const Shape& size);
  Tensor Pad(const Tensor& x, const Shape& before, const Shape& after);
  Tensor Pack(const std::vector<Tensor>& parts, std::int64_t axis);
  std::vector<Tensor> Unpack(const Tensor& x, std::int64_t axis);
  Tensor Tile(const Tensor& x, const Shape& shape);
  Tensor Gather(const Tensor& table, const Tensor& indices);
  Tensor OneHot(const Tensor& indices, std::int64_t depth);

  // --- Any op of the table; the typed calls come down to this.
  OpId Append(const OpDraft& draft);
  [[nodiscard]] Tensor output(OpId op, std::size_t index = 0) const;
  [[nodiscard]] std::vector<Tensor> outputs(OpId op) const;
  [[nodiscard]] const OpNode& node(OpId op) const { return nodes_[op.index()]; }
  [[nodiscard]] std::size_t num_ops() const { return nodes_.size(); }
  [[nodiscard]] std::span<const VariableInfo> variables() const { return variables_; }

  // --- Rules between ops.
  // `after` starts only when `before` is done.
  void AddControl(OpId before, OpId after);
  // All outputs of `op` are held to the end of the step.
  void Keep(OpId op) { nodes_[op.index()].keep = true; }
  // Both share a device and, in the graph, the layer: that of the first Variable among all that
  // share it, else of the first op.
  void Colocate(OpId a, OpId b);
  // More bytes that stay resident with `variable`, as optimiser state does.
  void AddResident(OpId variable, Bytes bytes) { nodes_[variable.index()].param_bytes += bytes; }

  // The graph; the builder is empty afterwards.
  [[nodiscard]] std::shared_ptr<const sim::OpGraph> Build();

 private:
  std::string UniqueName(std::string_view name);
  [[nodiscard]] std::optional<std::string> Module() const;
  OpId Add(OpNode node);
  VariableInfo AddVariable(std::string_view name, const TensorType& type, bool is_trainable);
  std::int32_t ColocationRoot(std::int32_t op);
  [[nodiscard]] std::vector<std::optional<OpId>> ColocationHeads();
  [[nodiscard]] sim::OpSpec SpecOf(OpNode& node) const;

  std::string name_;
  std::string origin_;
  std::string scope_;
  std::optional<std::optional<std::string>> module_;  // that of the next ops, if not of `scope_`
  std::optional<std::int32_t> layer_;
  sim::Phase phase_ = sim::Phase::kForward;
  std::vector<OpNode> nodes_;
  std::vector<VariableInfo> variables_;
  std::unordered_map<std::string, std::int32_t> name_counts_;
  std::vector<std::int32_t> colocation_parents_;  // disjoint sets; the root is the least op
};

}  // namespace opyard::graphs
