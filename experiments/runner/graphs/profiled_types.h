// Which ops of a graph the names in a table or a profile speak of.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "sim/graph/op_graph.h"

namespace opyard::experiments {

// `text` in small letters.
[[nodiscard]] std::string LowerCase(std::string_view text);

// The types of a graph's ops, in small letters.
class ProfiledTypes {
 public:
  explicit ProfiledTypes(const sim::OpGraph& graph);

  // The type that `name` tells, in small letters; "" if the graph has none such. "MM" and
  // "aten::mm" are mm; where the graph has no type mm, an "aten::" name is of the type that
  // importers give that op of PyTorch ("aten::mm" and "aten::addmm" are matmul), unless it is a
  // view, which takes no time.
  [[nodiscard]] std::string TypeIn(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> types_;
};

}  // namespace opyard::experiments
