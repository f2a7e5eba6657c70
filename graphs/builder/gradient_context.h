// The view of a gradient rule: one forward op, the gradients of its outputs, and a place for those
// of its inputs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graphs/builder/graph_builder.h"

namespace opyard::graphs {

class GradientContext {
 public:
  // `wanted` says which arguments need a gradient; `gradients` has one entry per output.
  GradientContext(GraphBuilder& builder,
                  OpId op,
                  std::vector<bool> wanted,
                  std::vector<std::optional<Tensor>> gradients)
      : builder_(builder),
        op_(op),
        inputs_(ArgumentsOf(builder.node(op))),
        attributes_(builder.node(op).attributes),
        wanted_(std::move(wanted)),
        gradients_(std::move(gradients)),
        results_(inputs_.size()) {}

  // New ops are added here.
  [[nodiscard]] GraphBuilder& builder() { return builder_; }
  [[nodiscard]] std::string_view type() const { return builder_.node(op_).kind->type; }
  [[nodiscard]] const Attributes& attributes() const { return attributes_; }
  [[nodiscard]] const std::vector<Tensor>& inputs() const { return inputs_; }
  [[nodiscard]] const Tensor& input(std::size_t index) const { return inputs_[index]; }
  [[nodiscard]] Tensor output(std::size_t index = 0) const { return builder_.output(op_, index); }
  [[nodiscard]] bool wants(std::size_t input) const { return wanted_[input]; }

  [[nodiscard]] bool has_gradient(std::size_t output) const {
    return gradients_[output].has_value();
  }
  // REQUIRES: has_gradient(output).
  [[nodiscard]] const Tensor& gradient(std::size_t output = 0) const { return *gradients_[output]; }

  // Says the gradient of input `index`; it has the shape of that input.
  void Set(std::size_t index, const Tensor& gradient) { results_[index] = gradient; }
  // The same for an input that was stretched to the shape of the gradient: sums over what was.
  void SetSummed(std::size_t index, const Tensor& gradient);
  [[nodiscard]] const std::vector<std::optional<Tensor>>& results() const { return results_; }

 private:
  static std::vector<Tensor> ArgumentsOf(const OpNode& node) {
    return {node.inputs.begin(),
            node.inputs.begin() + static_cast<std::ptrdiff_t>(node.num_arguments)};
  }

  GraphBuilder& builder_;
  OpId op_;
  std::vector<Tensor> inputs_;
  Attributes attributes_;
  std::vector<bool> wanted_;
  std::vector<std::optional<Tensor>> gradients_;
  std::vector<std::optional<Tensor>> results_;
};

}  // namespace opyard::graphs
