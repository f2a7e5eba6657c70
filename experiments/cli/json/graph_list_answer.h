// The answer of `opyard graph list --json`.
#pragma once

#include <string>
#include <vector>

namespace opyard::experiments {

// A graph, or a family of graphs, that can be named.
struct ListedGraph {
  std::string name;
  std::string kind;     // "shipped" or "generated"
  std::string summary;  // "" for shipped ones
};
[[nodiscard]] std::string GraphListJson(const std::vector<ListedGraph>& graphs);

}  // namespace opyard::experiments
