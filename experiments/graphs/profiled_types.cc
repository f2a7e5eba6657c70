#include "experiments/graphs/profiled_types.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "experiments/graphs/runtime_names.h"
#include "graphs/importers/torch/aten_ops.h"

namespace opyard::experiments {
namespace {

constexpr std::string_view kConvolutions = "convolutions";
constexpr std::string_view kAten = "aten::";

// "conv2d", "conv1dtranspose" and what follows: "backpropinput".
bool IsConvolution(std::string_view type, std::string_view direction) {
  if (!type.starts_with("conv") || !type.ends_with(direction)) {
    return false;
  }
  type.remove_prefix(4);
  type.remove_suffix(direction.size());
  const bool has_dimensions =
      type.size() >= 2 && type[0] >= '1' && type[0] <= '3' && type[1] == 'd';
  return has_dimensions && (type.size() == 2 || type.substr(2) == "transpose");
}

// Without namespace and the underscore of ops that work in place.
std::string_view PlainName(std::string_view name) {
  name.remove_prefix(name.starts_with(kAten) ? kAten.size() : 0);
  name.remove_suffix(name.ends_with('_') ? 1 : 0);
  return name;
}

bool IsView(std::string_view op) {
  const graphs::AtenOp* found = graphs::FindAtenOp(op);
  return found != nullptr && found->is_view;
}

}  // namespace

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return lower;
}

ProfiledTypes::ProfiledTypes(const sim::OpGraph& graph) {
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    written_.insert(graph.op(OpId(i)).type);
    types_.insert(LowerCase(graph.op(OpId(i)).type));
    groups_.insert(GroupOf(graph.op(OpId(i)).type));
    groups_.insert(std::string(FindTypeRunAs(LowerCase(graph.op(OpId(i)).type))));
  }
}

std::string ProfiledTypes::GroupOf(std::string_view type) {
  std::string lower = LowerCase(type);
  if (IsConvolution(lower, "")) {
    return std::string(kConvolutions);
  }
  if (IsConvolution(lower, "backpropinput") || IsConvolution(lower, "backpropfilter")) {
    return std::string(kConvolutionGradients);
  }
  return lower == "applygradient" ? std::string(kUpdates) : lower;
}

std::string ProfiledTypes::TypeIn(std::string_view name) const {
  const std::string lower = LowerCase(name);
  std::string_view type = lower;
  const bool is_aten = type.starts_with(kAten);
  type.remove_prefix(is_aten ? kAten.size() : 0);
  // "Transpose" is a view, which takes no time; "transpose", in ATen's own words, may be measured.
  const bool is_view = is_aten && IsView(PlainName(type)) && !written_.contains(type);
  if (types_.contains(type) && !is_view) {
    return is_aten ? GroupOf(type) : std::string(type);
  }
  return is_aten ? GroupOfAten(PlainName(type)) : "";
}

std::string ProfiledTypes::GroupOfAten(std::string_view op) const {
  const std::string_view other = FindOpRunAs(op);
  std::string group;
  if (op == "convolution_backward" || other == "convolution_backward") {
    group = kConvolutionGradients;
  } else if (IsUpdateOfMany(op)) {
    group = kUpdates;
  } else {
    const graphs::AtenOp* own = graphs::FindAtenOp(op);
    const graphs::AtenOp* found = own == nullptr ? graphs::FindAtenOp(other) : own;
    group = found == nullptr || found->is_view ? "" : GroupOf(found->type);
  }
  return !group.empty() && groups_.contains(group) ? group : "";
}

bool StandsForItsPart(std::string_view name) {
  constexpr std::array<std::string_view, 5> kComposites = {
      "matmul", "einsum", "tensordot", "inner", "matmul_backward"};
  const std::string lower = LowerCase(name);
  return lower.starts_with(kAten) &&
         std::ranges::find(kComposites, PlainName(lower)) != kComposites.end();
}

}  // namespace opyard::experiments
