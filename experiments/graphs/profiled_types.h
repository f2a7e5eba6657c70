// Which ops of a graph the names in a table or a profile speak of.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "sim/graph/op_graph.h"

namespace opyard::experiments {

// `text` in small letters.
[[nodiscard]] std::string LowerCase(std::string_view text);

// The types of a graph's ops in small letters, and groups of them that PyTorch runs under one name:
// convolutions of all dimensions and directions, their gradients, all updates of weights.
class ProfiledTypes {
 public:
  explicit ProfiledTypes(const sim::OpGraph& graph);

  // The ops, up to three, of one run of `aten::convolution_backward`.
  static constexpr std::string_view kConvolutionGradients = "gradients of a convolution";
  // The ops of one step of an optimizer.
  static constexpr std::string_view kUpdates = "updates of weights";

  // The group of an op's type: itself, in small letters, if it is alone in it.
  [[nodiscard]] static std::string GroupOf(std::string_view type);

  // The type or group that `name` denotes; "" if the graph has none such. "MM" and "aten::mm" are
  // mm. Where the graph has no type mm, an "aten::" name is of the group of the type that importers
  // give that op of PyTorch: "aten::mm" and "aten::addmm" are matmul. That holds under whatever
  // name a library runs the op ("aten::cudnn_batch_norm"), unless it is a view, which takes no
  // time.
  [[nodiscard]] std::string TypeIn(std::string_view name) const;

  [[nodiscard]] bool HasUpdates() const { return groups_.contains(kUpdates); }

 private:
  [[nodiscard]] std::string GroupOfAten(std::string_view op) const;

  std::set<std::string, std::less<>> written_;  // as the graph writes them
  std::set<std::string, std::less<>> types_;
  std::set<std::string, std::less<>> groups_;
};

// True for an op that stands for the one it calls, of whatever type that is: aten::matmul is an mm,
// a bmm or a mv.
[[nodiscard]] bool StandsForItsPart(std::string_view name);

}  // namespace opyard::experiments
