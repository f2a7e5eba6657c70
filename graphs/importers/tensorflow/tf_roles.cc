#include "graphs/importers/tensorflow/tf_roles.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "graphs/importers/tensorflow/tf_types.h"
#include "graphs/importers/tensorflow/tf_value.h"

namespace opyard::graphs {
namespace {

constexpr Bytes kLargestFolded{1024};

bool IsUpdateType(std::string_view type) {
  return type == "AssignVariableOp" || type == "AssignAddVariableOp" ||
         type == "AssignSubVariableOp" || type == "Assign" || type == "AssignAdd" ||
         type == "AssignSub" || type.starts_with("ResourceApply") || type.starts_with("Apply") ||
         type.starts_with("ResourceSparseApply") || type.starts_with("ResourceScatter");
}

bool IsVariableType(std::string_view type) {
  return type == "VarHandleOp" || type == "VariableV2" || type == "Variable";
}

bool PassesThrough(std::string_view type) {
  return type == "Identity" || type == "IdentityN" || type == "StopGradient" ||
         type == "PreventGradient";
}

// Joins nodes that share a device; the smallest stands for its set.
class Sets {
 public:
  explicit Sets(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t Find(std::size_t node) {
    while (parent_[node] != node) {
      parent_[node] = parent_[parent_[node]];
      node = parent_[node];
    }
    return node;
  }
  void Join(std::size_t a, std::size_t b) {
    a = Find(a);
    b = Find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

class RoleFinder {
 public:
  explicit RoleFinder(const TfGraph& graph)
      : graph_(graph), sets_(graph.nodes.size()), is_control_source_(graph.nodes.size()) {
    found_.role.resize(graph.nodes.size(), TfRole::kOp);
    found_.variable_tensor.resize(graph.nodes.size());
  }

  TfRoles Run() {
    for (const TfNode& node : graph_.nodes) {
      for (const std::size_t source : node.controls) {
        is_control_source_[source] = true;
      }
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      FindUse(i);
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      FindOther(i);
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      found_.variable.push_back(sets_.Find(i));
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool IsResource(std::size_t node) const {
    const std::string& type = graph_.nodes[node].type;
    return IsVariableType(type) || type == "Placeholder";
  }

  // Reads and updates of resources make variables of what they use.
  void FindUse(std::size_t i) {
    const TfNode& node = graph_.nodes[i];
    if (node.inputs.empty() || !IsResource(node.inputs[0].node)) {
      return;
    }
    const bool is_read = node.type == "ReadVariableOp";
    if (node.type.starts_with("ResourceGather")) {
      found_.role[node.inputs[0].node] = TfRole::kVariable;
      sets_.Join(i, node.inputs[0].node);
    } else if (is_read || IsUpdateType(node.type)) {
      found_.role[i] = is_read ? TfRole::kRead : TfRole::kUpdate;
      JoinVariables(i, is_read);
      LearnFromUse(node, is_read);
    }
  }

  // The variables that node `i` reads or updates share its device.
  void JoinVariables(std::size_t i, bool is_read) {
    const TfNode& node = graph_.nodes[i];
    for (const TfInput& input : node.inputs) {
      if (IsResource(input.node) &&
          (is_read || input.node == node.inputs[0].node ||
           IsVariableType(graph_.nodes[input.node].type) || IsOfNoType(input))) {
        found_.role[input.node] = TfRole::kVariable;
        sets_.Join(i, input.node);
      }
    }
  }

  void LearnFromUse(const TfNode& node, bool is_read) {
    const std::size_t variable = node.inputs[0].node;
    if (is_read && !node.outputs.empty()) {
      Learn(variable, node.outputs[0]);
    } else if (node.inputs.size() > 1) {
      const TfInput& value = node.inputs[1];
      Learn(variable, graph_.nodes[value.node].outputs[value.port]);
    }
  }

  // True for a resource's handle: it has no element type of ours and no size.
  [[nodiscard]] bool IsOfNoType(const TfInput& input) const {
    const TfTensor& tensor = graph_.nodes[input.node].outputs[input.port];
    return tensor.dtype == sim::DType::kOther && tensor.bytes.count == 0;
  }

  void Learn(std::size_t variable, const TfTensor& tensor) {
    TfTensor& known = found_.variable_tensor[variable];
    if (tensor.bytes > known.bytes || !known.shape.has_value()) {
      known = tensor;
    }
  }

  // VarHandleOp says what its handle stands for.
  void LearnFromAttributes(std::size_t i) {
    const TfNode& node = graph_.nodes[i];
    const auto shape = StaticShape(node.attributes.Extents("shape"));
    const std::int64_t type = node.attributes.Type("dtype");
    if (node.type == "VarHandleOp" && shape.has_value() && HasTfElements(type)) {
      const sim::DType dtype = TfDType(type);
      Learn(i, {.shape = shape, .dtype = dtype, .bytes = BytesOf({*shape, dtype})});
    }
  }

  void FindOther(std::size_t i) {
    const TfNode& node = graph_.nodes[i];
    TfRole& role = found_.role[i];
    if (IsVariableType(node.type)) {
      role = TfRole::kVariable;
      if (SizeOf(node).count > 0) {
        Learn(i, node.outputs[0]);
      }
      LearnFromAttributes(i);
    } else if (IsSmallConstant(node)) {
      role = TfRole::kConstant;
    } else if (PassesOn(i)) {
      role = TfRole::kPassThrough;
    } else if (node.type == "NoOp" && !is_control_source_[i]) {
      role = TfRole::kEnd;
    }
  }

  static bool IsSmallConstant(const TfNode& node) {
    return node.type == "Const" && node.controls.empty() && node.inputs.empty() &&
           SizeOf(node) <= kLargestFolded;
  }

  // True if node `i` gives what it reads, and whoever waits for it can wait for the one it reads.
  [[nodiscard]] bool PassesOn(std::size_t i) const {
    const TfNode& node = graph_.nodes[i];
    const bool can_be_left_out = node.inputs.size() == 1 || !is_control_source_[i];
    return PassesThrough(node.type) && node.controls.empty() && !node.inputs.empty() &&
           can_be_left_out && node.outputs.size() <= node.inputs.size();
  }

  static Bytes SizeOf(const TfNode& node) {
    return node.outputs.empty() ? Bytes{} : node.outputs[0].bytes;
  }

  const TfGraph& graph_;
  Sets sets_;
  std::vector<bool> is_control_source_;
  TfRoles found_;
};

}  // namespace

TfRoles FindTfRoles(const TfGraph& graph) {
  return RoleFinder(graph).Run();
}

}  // namespace opyard::graphs
