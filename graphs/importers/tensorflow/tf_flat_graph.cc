#include "graphs/importers/tensorflow/tf_flat_graph.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "graphs/importers/common/importer.h"
#include "graphs/importers/tensorflow/tf_types.h"
#include "graphs/importers/tensorflow/tf_work.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

constexpr std::size_t kMostOutputs = std::size_t{1} << 22U;    // of all nodes
constexpr std::size_t kMostConstants = std::size_t{1} << 24U;  // elements kept; then they are not
constexpr std::size_t kMostKept = std::size_t{1} << 26U;
constexpr std::int64_t kMostTimes = std::int64_t{1} << 40;

TfTensor TensorOf(const TfValue& value) {
  TfTensor tensor{.shape = value.shape, .dtype = TfDType(value.type)};
  if (value.shape.has_value() && HasTfElements(value.type)) {
    tensor.bytes = BytesOf({*value.shape, tensor.dtype});
  } else if (value.num_elements.has_value() && HasTfElements(value.type)) {
    tensor.bytes = BytesOf({{*value.num_elements}, tensor.dtype});
  }
  return tensor;
}

bool PassesOn(const TfNode& node) {
  return (node.type == "Identity" || node.type == "IdentityN" || node.type == "StopGradient") &&
         node.controls.empty();
}

}  // namespace

void TfFlatGraph::Add(TfNode node, std::vector<TfValue> values, bool keeps_name) {
  if (nodes_.size() == kMostImportedNodes) {
    throw InputError(
        "found more nodes than can be read once functions are opened, expected at most 1048576");
  }
  Count(values);
  for (TfValue& value : values) {
    if (num_kept_ > kMostConstants) {
      value.constant.reset();
    }
    node.outputs.push_back(TensorOf(value));
  }
  nodes_.push_back(std::move(node));
  known_.push_back({.values = std::move(values), .keeps_name = keeps_name});
}

void TfFlatGraph::Count(const std::vector<TfValue>& values) {
  num_outputs_ += values.size();
  for (const TfValue& value : values) {
    num_kept_ += value.shape.has_value() ? value.shape->size() : 0;
    num_kept_ +=
        value.constant.has_value() && num_kept_ <= kMostConstants ? value.constant->size() : 0;
  }
  if (num_outputs_ > kMostOutputs || num_kept_ > kMostKept) {
    throw InputError("found too many outputs, expected at most 4194304 in all");
  }
}

const TfValue& TfFlatGraph::ValueOf(const TfInput& input) {
  std::vector<TfValue>& values = known_[input.node].values;
  if (input.port >= values.size()) {
    num_outputs_ += input.port + 1 - values.size();
    if (num_outputs_ > kMostOutputs) {
      throw InputError("found too many outputs, expected at most 4194304 in all");
    }
    const TfValue unknown{.type = values.empty() ? 0 : values[0].type};
    values.resize(input.port + 1, unknown);
    nodes_[input.node].outputs.resize(input.port + 1, TensorOf(unknown));
  }
  return values[input.port];
}

void TfFlatGraph::Erase(std::size_t begin, std::size_t end) {
  const std::size_t dropped = end - begin;
  for (std::size_t i = begin; i < end; ++i) {
    num_outputs_ -= known_[i].values.size();
  }
  const auto first = static_cast<std::ptrdiff_t>(begin);
  const auto last = static_cast<std::ptrdiff_t>(end);
  nodes_.erase(nodes_.begin() + first, nodes_.begin() + last);
  known_.erase(known_.begin() + first, known_.begin() + last);
  for (std::size_t i = begin; i < nodes_.size(); ++i) {
    for (TfInput& input : nodes_[i].inputs) {
      input.node -= input.node >= end ? dropped : 0;
    }
    for (std::size_t& source : nodes_[i].controls) {
      source -= source >= end ? dropped : 0;
    }
  }
}

double TfFlatGraph::FlopsFrom(std::size_t begin) const {
  double flops = 0.0;
  std::vector<const TfTensor*> arguments;
  for (std::size_t i = begin; i < nodes_.size(); ++i) {
    arguments.clear();
    for (const TfInput& input : nodes_[i].inputs) {
      arguments.push_back(&nodes_[input.node].outputs[input.port]);
    }
    flops += TfWorkOf(nodes_[i], arguments).work.flops.count * static_cast<double>(nodes_[i].times);
  }
  return flops;
}

void TfFlatGraph::Multiply(std::size_t begin, std::int64_t times) {
  for (std::size_t i = begin; i < nodes_.size(); ++i) {
    MultiplyNode(i, times);
  }
}

void TfFlatGraph::MultiplyNode(std::size_t index, std::int64_t times) {
  std::int64_t& count = nodes_[index].times;
  const bool fits = !__builtin_mul_overflow(count, times, &count);
  count = fits ? std::min(count, kMostTimes) : kMostTimes;
}

void TfFlatGraph::ForgetConstants(std::size_t begin, const std::vector<TfInput>& outputs) {
  for (const TfInput& output : outputs) {
    if (output.node >= begin && output.port < known_[output.node].values.size()) {
      known_[output.node].values[output.port].constant.reset();
    }
  }
}

void TfFlatGraph::NameLast(std::size_t begin,
                           const std::vector<TfInput>& outputs,
                           const std::string& name,
                           bool keeps_name) {
  if (size() <= begin) {
    return;
  }
  std::optional<std::size_t> found;
  for (const TfInput& output : outputs) {
    TfInput at = output;
    while (at.node >= begin && PassesOn(nodes_[at.node]) &&
           at.port < nodes_[at.node].inputs.size()) {
      at = nodes_[at.node].inputs[at.port];
    }
    if (at.node >= begin && nodes_[at.node].type != "Const") {
      found = std::max(found.value_or(at.node), at.node);
    }
  }
  const std::size_t last = found.value_or(size() - 1);
  nodes_[last].name = name;
  known_[last].keeps_name = keeps_name;
}

std::vector<TfNode> TfFlatGraph::Take() {
  std::unordered_set<std::string> used;
  std::unordered_map<std::string, std::size_t> num_taken;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (known_[i].keeps_name) {
      used.insert(nodes_[i].name);
    }
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::string& name = nodes_[i].name;
    if (known_[i].keeps_name || used.insert(name).second) {
      continue;
    }
    std::size_t& count = num_taken[name];
    do {
      ++count;
    } while (!used.insert(name + "_" + std::to_string(count)).second);
    name += "_" + std::to_string(count);
  }
  return std::move(nodes_);
}

}  // namespace opyard::graphs
