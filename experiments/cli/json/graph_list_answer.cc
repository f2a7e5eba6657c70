#include "experiments/cli/json/graph_list_answer.h"

#include <nlohmann/json.hpp>

namespace opyard::experiments {

std::string GraphListJson(const std::vector<ListedGraph>& graphs) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ListedGraph& graph : graphs) {
    json.push_back({{"name", graph.name}, {"kind", graph.kind}, {"summary", graph.summary}});
  }
  return json.dump();
}

}  // namespace opyard::experiments
