// The immutable graph of one training or inference step: ops, their tensors, who reads what.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/graph/op.h"

namespace opyard::sim {

// One output of an op, as it is described to OpGraphBuilder.
struct OutputSpec {
  Bytes bytes;
  std::vector<std::int64_t> shape;
  DType dtype = DType::kF32;
  Alias alias = Alias::kNone;
  std::int32_t alias_input = 0;  // for Alias::kInput: position in the op's `inputs`
  bool keep = false;
};

// A tensor by its producer: op index and output index.
struct InputRef {
  std::int64_t op = 0;
  std::int64_t output = 0;
};

// One op as it is described to OpGraphBuilder. docs/formats.md, "Graph", says what unset means.
struct OpSpec {
  std::string name;
  std::string type;
  std::vector<InputRef> inputs;              // in argument order; a tensor may appear twice
  std::vector<std::int64_t> control_inputs;  // op indices: order only
  std::vector<OutputSpec> outputs;
  Flops flops;
  std::optional<Bytes> bytes_accessed;  // default: inputs + outputs + weight_bytes
  Bytes param_bytes;
  std::optional<Bytes> weight_bytes;  // default: param_bytes
  Bytes workspace_bytes;
  SimTime release;  // from 0 to kLargestSeconds
  DType dtype = DType::kF32;
  Phase phase = Phase::kUnknown;
  std::optional<std::int32_t> layer;
  // The dotted path of the network's module, "encoder.0.attention"; "" for the network itself.
  std::optional<std::string> module;
  std::string colocation;  // label; "" for none
  DeviceKindSet device_kinds = DeviceKindSet::All();
  std::optional<FusionClass> fusion_class;  // default: FusionClassOfType(type)
  std::optional<WorkShape> work;
  std::vector<MeasuredTime> seconds;
};

// A validated DAG. Immutable, so it can be shared between threads; made by OpGraphBuilder only.
// Arrays are indexed by OpId and TensorId; a tensor has one producer and any number of consumers.
class OpGraph {
 public:
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& origin() const { return origin_; }
  // The scope of the seconds in `measured_times`.
  [[nodiscard]] Measured measured() const { return measured_as_; }
  [[nodiscard]] std::size_t num_ops() const { return ops_.size(); }
  [[nodiscard]] std::size_t num_tensors() const { return tensors_.size(); }
  [[nodiscard]] std::span<const Op> ops() const { return ops_; }
  [[nodiscard]] std::span<const Tensor> tensors() const { return tensors_; }
  [[nodiscard]] const Op& op(OpId id) const { return ops_[id.index()]; }
  [[nodiscard]] const Tensor& tensor(TensorId id) const { return tensors_[id.index()]; }

  // The tensors that `op` reads, in argument order; one may appear twice.
  [[nodiscard]] std::span<const TensorId> inputs(OpId op) const;
  // The ops that must finish before `op` by a control edge, each once, by ascending index. `op` may
  // read a tensor of theirs, too.
  [[nodiscard]] std::span<const OpId> control_inputs(OpId op) const;
  // The tensor made as output `index` of `op`; outputs of one op have consecutive ids.
  [[nodiscard]] TensorId output(OpId op, std::size_t index) const;
  [[nodiscard]] std::size_t num_outputs(OpId op) const;
  // The ops that read `tensor`, each once, by ascending index.
  [[nodiscard]] std::span<const OpId> consumers(TensorId tensor) const;
  // The ops that wait for `op` through a control edge, each once, by ascending index.
  [[nodiscard]] std::span<const OpId> control_consumers(OpId op) const;

  [[nodiscard]] std::span<const std::int64_t> shape(TensorId tensor) const;
  // Null without a shape block.
  [[nodiscard]] const WorkShape* work_shape(OpId op) const;
  [[nodiscard]] std::span<const MeasuredTime> measured_times(OpId op) const;
  [[nodiscard]] std::span<const std::string> colocation_labels() const { return labels_; }
  // The paths of the modules that ops name, each once, in the order of the ops; modules.h makes the
  // tree of all modules.
  [[nodiscard]] std::span<const std::string> module_paths() const { return module_paths_; }

  // Kahn's order with the smallest op index first; `topological_index` is its inverse.
  [[nodiscard]] std::span<const OpId> topological_order() const { return order_; }
  [[nodiscard]] std::int32_t topological_index(OpId op) const { return index_[op.index()]; }
  // True if the storage of `tensor`, on whatever device, is that of parameters (through any number
  // of aliases).
  [[nodiscard]] bool aliases_params(TensorId tensor) const {
    return aliases_params_[tensor.index()];
  }

  // Data edges (each argument of each op) and control edges.
  [[nodiscard]] std::size_t num_data_edges() const { return inputs_.size(); }
  [[nodiscard]] std::size_t num_control_edges() const { return control_inputs_.size(); }

 private:
  friend class OpGraphBuilder;
  friend class OpGraphAssembler;
  OpGraph() = default;

  std::string name_;
  std::string origin_;
  Measured measured_as_ = Measured::kWithLaunch;
  std::vector<Op> ops_;
  std::vector<Tensor> tensors_;
  std::vector<std::string> labels_;
  std::vector<std::string> module_paths_;
  // Ranges of op i: [first[i], first[i + 1]).
  std::vector<std::int32_t> first_input_;
  std::vector<TensorId> inputs_;
  std::vector<std::int32_t> first_control_input_;
  std::vector<OpId> control_inputs_;
  std::vector<std::int32_t> first_output_;
  std::vector<std::int32_t> first_consumer_;  // of tensor i
  std::vector<OpId> consumers_;
  std::vector<std::int32_t> first_control_consumer_;
  std::vector<OpId> control_consumers_;
  std::vector<std::int32_t> first_dim_;  // of tensor i
  std::vector<std::int64_t> dims_;
  std::vector<std::int32_t> work_index_;  // of op i into works_; -1 for none
  std::vector<WorkShape> works_;
  std::vector<std::int32_t> first_measured_;
  std::vector<MeasuredTime> measured_;
  std::vector<OpId> order_;
  std::vector<std::int32_t> index_;
  std::vector<bool> aliases_params_;
};

// Collects ops and makes the graph. Ops may be added in any order and refer to later ones.
class OpGraphBuilder {
 public:
  explicit OpGraphBuilder(std::string name, std::string origin = "");

  // For readers that learn the name last.
  void Rename(std::string name, std::string origin);
  // Sets the scope of the `seconds` of all ops; Measured::kWithLaunch where it is not said.
  void SetMeasured(Measured measured) { measured_ = measured; }
  // Returns the index of the new op.
  OpId AddOp(OpSpec op);
  [[nodiscard]] std::size_t num_ops() const { return specs_.size(); }

  // Validates once and makes the graph; the builder is empty afterwards. Throws InputError listing
  // every problem as "`place`/ops/3/inputs/0: …". Problems are: names not unique, a dangling index,
  // a cycle, negative or overflowing sizes, an alias to an input that is not there, co-located ops
  // without a device kind in common, a module's path with an empty name, no op at all.
  // O(ops + edges), with a logarithm for the order.
  [[nodiscard]] std::shared_ptr<const OpGraph> Build(const std::string& place = "#");
  // The same, but `diagnostics` that a reader has found already are thrown together with these.
  [[nodiscard]] std::shared_ptr<const OpGraph> Build(const std::string& place,
                                                     Diagnostics diagnostics);

 private:
  std::string name_;
  std::string origin_;
  Measured measured_ = Measured::kWithLaunch;
  std::vector<OpSpec> specs_;
};

}  // namespace opyard::sim
