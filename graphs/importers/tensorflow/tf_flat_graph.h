// The nodes of a graph while its functions are opened: what each is, and what is known of it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graphs/importers/tensorflow/tf_graph.h"
#include "graphs/importers/tensorflow/tf_value.h"

namespace opyard::graphs {

// Grows at its end. Every node stands behind what it reads.
class TfFlatGraph {
 public:
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const TfNode& node(std::size_t index) const { return nodes_[index]; }

  // Appends `node` with `values` as its outputs. `keeps_name`: no other node of the finished graph
  // bears it. Throws InputError without a place beyond kMostImportedNodes nodes, or too many
  // outputs, extents and constants for them.
  void Add(TfNode node, std::vector<TfValue> values, bool keeps_name);

  // The value of an output, which is added with nothing known if the node has fewer.
  [[nodiscard]] const TfValue& ValueOf(const TfInput& input);

  // Drops the nodes from `begin` on, or those of [begin, end), which nothing behind reads.
  void Truncate(std::size_t begin) { Erase(begin, size()); }
  void Erase(std::size_t begin, std::size_t end);

  // Floating-point operations of the nodes from `begin` on.
  [[nodiscard]] double FlopsFrom(std::size_t begin) const;
  // The nodes from `begin` on run `times` as often.
  void Multiply(std::size_t begin, std::int64_t times);
  void MultiplyNode(std::size_t index, std::int64_t times);
  // Outputs of the nodes from `begin` on, as far as `outputs` has them, are not constant after all.
  void ForgetConstants(std::size_t begin, const std::vector<TfInput>& outputs);
  // Gives the name of an opened node to the last of those that make its outputs, or else to the
  // last from `begin` on.
  void NameLast(std::size_t begin,
                const std::vector<TfInput>& outputs,
                const std::string& name,
                bool keeps_name);

  // The nodes, each with a name of its own. Ends the use of this object.
  [[nodiscard]] std::vector<TfNode> Take();

 private:
  struct Known {
    std::vector<TfValue> values;
    bool keeps_name = false;
  };

  void Count(const std::vector<TfValue>& values);

  std::vector<TfNode> nodes_;
  std::vector<Known> known_;
  std::size_t num_outputs_ = 0;
  std::size_t num_kept_ = 0;  // extents and elements of constants, of all that was ever added
};

}  // namespace opyard::graphs
