#include "graphs/builder/graph_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/base/check.h"

namespace opyard::graphs {

GraphBuilder::GraphBuilder(std::string name, std::string origin)
    : name_(std::move(name)), origin_(std::move(origin)) {}

GraphBuilder::Scope::Scope(GraphBuilder& builder, const std::string& name)
    : builder_(builder), length_before_(builder.scope_.size()), module_before_(builder.module_) {
  builder_.scope_ += name + "/";
}

GraphBuilder::Scope::Scope(GraphBuilder& builder,
                           const std::string& name,
                           std::optional<std::string> module)
    : Scope(builder, name) {
  builder_.module_ = std::move(module);
}

GraphBuilder::Scope::~Scope() {
  builder_.scope_.resize(length_before_);
  builder_.module_ = std::move(module_before_);
}

std::optional<std::string> GraphBuilder::Module() const {
  if (module_.has_value()) {
    return *module_;
  }
  if (scope_.empty()) {
    return std::nullopt;
  }
  std::string path = scope_.substr(0, scope_.size() - 1);
  std::ranges::replace(path, '/', '.');
  return path;
}

std::string GraphBuilder::UniqueName(std::string_view name) {
  const std::string full = scope_ + std::string(name);
  std::string unique = full;
  while (true) {
    const auto [entry, is_new] = name_counts_.try_emplace(unique, 0);
    if (is_new) {
      return unique;
    }
    unique = full + "_" + std::to_string(++name_counts_[full]);
  }
}

OpId GraphBuilder::Add(OpNode node) {
  node.layer = layer_;
  node.module = Module();
  node.phase = phase_;
  colocation_parents_.push_back(static_cast<std::int32_t>(nodes_.size()));
  nodes_.push_back(std::move(node));
  return OpId(nodes_.size() - 1);
}

OpId GraphBuilder::Append(const OpDraft& draft) {
  OpNode node{.kind = &GetOpKind(draft.type),
              .name = UniqueName(draft.name.empty() ? draft.type : draft.name),
              .inputs = draft.inputs,
              .num_arguments = draft.inputs.size(),
              .attributes = draft.attributes};
  std::vector<OpId> constants;
  for (const ConstOperand& operand : draft.operands) {
    constants.push_back(Add({.kind = &GetOpKind("Const"),
                             .name = node.name + "/" + std::string(operand.name),
                             .outputs = {{operand.shape, operand.dtype}}}));
    node.inputs.push_back(output(constants.back()));
    node.num_arguments += operand.is_argument ? 1 : 0;
  }
  node.outputs = node.kind->infer(node.arguments());
  const OpId op = Add(std::move(node));
  for (const OpId constant : constants) {
    Colocate(constant, op);
  }
  return op;
}

Tensor GraphBuilder::output(OpId op, std::size_t index) const {
  const TensorType& type = node(op).outputs[index];
  return {.op = op,
          .output = static_cast<std::int32_t>(index),
          .shape = type.shape,
          .dtype = type.dtype};
}

std::vector<Tensor> GraphBuilder::outputs(OpId op) const {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < node(op).outputs.size(); ++i) {
    tensors.push_back(output(op, i));
  }
  return tensors;
}

VariableInfo GraphBuilder::AddVariable(std::string_view name,
                                       const TensorType& type,
                                       bool is_trainable) {
  const OpId variable = Append(
      {.type = "Variable", .attributes = {.dims = type.shape, .dtype = type.dtype}, .name = name});
  nodes_[variable.index()].param_bytes = BytesOf(type);
  VariableInfo info{
      .handle = output(variable), .value = output(variable), .is_trainable = is_trainable};
  if (is_trainable) {
    const std::string read = std::string(name) + "/read";
    info.value = output(Append({.type = "Identity", .inputs = {info.handle}, .name = read}));
    Colocate(variable, info.value.op);
  }
  variables_.push_back(info);
  return info;
}

Tensor GraphBuilder::Weight(std::string_view name, const Shape& shape, sim::DType dtype) {
  return AddVariable(name, {shape, dtype}, true).value;
}

VariableInfo GraphBuilder::State(std::string_view name, const Shape& shape, sim::DType dtype) {
  return AddVariable(name, {shape, dtype}, false);
}

void GraphBuilder::AddControl(OpId before, OpId after) {
  nodes_[after.index()].control_inputs.push_back(before);
}

std::int32_t GraphBuilder::ColocationRoot(std::int32_t op) {
  auto& parents = colocation_parents_;
  while (parents[static_cast<std::size_t>(op)] != op) {
    std::int32_t& parent = parents[static_cast<std::size_t>(op)];
    parent = parents[static_cast<std::size_t>(parent)];
    op = parent;
  }
  return op;
}

void GraphBuilder::Colocate(OpId a, OpId b) {
  const auto [least, other] = std::minmax({ColocationRoot(a.value), ColocationRoot(b.value)});
  colocation_parents_[static_cast<std::size_t>(other)] = least;
}

// The first Variable of each op's set, else its first op; nothing for an op alone.
std::vector<std::optional<OpId>> GraphBuilder::ColocationHeads() {
  std::vector<std::int32_t> sizes(nodes_.size());
  std::vector<std::optional<OpId>> variables(nodes_.size());
  std::vector<std::optional<OpId>> heads(nodes_.size());
  for (std::size_t op = 0; op < nodes_.size(); ++op) {
    heads[op] = OpId(ColocationRoot(static_cast<std::int32_t>(op)));
    const std::size_t root = heads[op]->index();
    ++sizes[root];
    if (!variables[root] && nodes_[op].kind->type == "Variable") {
      variables[root] = OpId(op);
    }
  }
  for (std::optional<OpId>& head : heads) {
    const std::size_t root = head->index();
    head = sizes[root] == 1 ? std::nullopt : variables[root] ? variables[root] : head;
  }
  return heads;
}

sim::OpSpec GraphBuilder::SpecOf(OpNode& node) const {
  const OpKind& kind = *node.kind;
  const bool is_variable = kind.type == "Variable";
  sim::OpSpec spec{.type = std::string(kind.type),
                   .flops = FlopsOf(node.arguments(), node.outputs[0]),
                   .param_bytes = node.param_bytes,
                   .dtype = node.outputs[0].dtype,
                   .phase = node.phase,
                   .layer = node.layer,
                   .module = std::move(node.module)};
  Bytes written;
  for (const TensorType& type : node.outputs) {
    sim::OutputSpec& output = spec.outputs.emplace_back(
        sim::OutputSpec{.bytes = BytesOf(type), .shape = type.shape, .dtype = type.dtype});
    output.keep = node.keep;
    written += output.bytes;
  }
  if (is_variable || kind.is_in_place) {
    spec.outputs[0].alias = is_variable ? sim::Alias::kParams : sim::Alias::kInput;
  }
  if (kind.traffic != Traffic::kAll) {
    const std::int64_t times = kind.traffic == Traffic::kMoved  ? 2
                               : kind.traffic == Traffic::kMade ? 1
                                                                : 0;
    spec.bytes_accessed = Bytes{times * written.count};
  }
  if (is_variable) {
    spec.weight_bytes = Bytes{0};
  }
  if (kind.work != nullptr) {
    spec.work = kind.work(node.arguments(), node.outputs[0]);
  }
  for (const Tensor& input : node.inputs) {
    spec.inputs.push_back({.op = input.op.value, .output = input.output});
  }
  for (const OpId before : node.control_inputs) {
    spec.control_inputs.push_back(before.value);
  }
  spec.name = std::move(node.name);
  return spec;
}

std::shared_ptr<const sim::OpGraph> GraphBuilder::Build() {
  const std::vector<std::optional<OpId>> heads = ColocationHeads();
  std::vector<sim::OpSpec> specs;
  specs.reserve(nodes_.size());
  for (OpNode& node : nodes_) {
    specs.push_back(SpecOf(node));
  }
  for (std::size_t op = 0; op < specs.size(); ++op) {
    if (heads[op]) {
      specs[op].colocation = specs[heads[op]->index()].name;
      specs[op].layer = specs[heads[op]->index()].layer;
    }
  }
  sim::OpGraphBuilder builder(std::exchange(name_, {}), std::exchange(origin_, {}));
  for (sim::OpSpec& spec : specs) {
    builder.AddOp(std::move(spec));
  }
  *this = GraphBuilder("", "");
  return builder.Build();
}

}  // namespace opyard::graphs
