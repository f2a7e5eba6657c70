#include "experiments/store/expected_matrix.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
void Join(std::vector<T>& into, const std::vector<T>& others) {
  for (const T& other : others) {
    if (std::ranges::find(into, other) == into.end()) {
      into.push_back(other);
    }
  }
}

}  // namespace

std::vector<CellKey> CellsOf(const ExpectedMatrix& matrix) {
  std::vector<CellKey> cells;
  for (const auto& [graph, hardware] : matrix.pairs) {
    for (const ExpectedMatrix::Agent& agent : matrix.agents) {
      for (const std::int64_t seed : agent.seeds) {
        cells.push_back({.graph = graph, .hardware = hardware, .agent = agent.label, .seed = seed});
      }
    }
  }
  return cells;
}

std::string TextOf(const ExpectedMatrix& matrix) {
  Json json = {{"pairs", Json::array()}, {"agents", Json::array()}};
  for (const auto& [graph, hardware] : matrix.pairs) {
    json["pairs"].push_back({graph, hardware});
  }
  for (const ExpectedMatrix::Agent& agent : matrix.agents) {
    json["agents"].push_back({{"label", agent.label}, {"seeds", agent.seeds}});
  }
  return json.dump();
}

std::optional<ExpectedMatrix> ReadMatrix(const std::string& text) {
  ExpectedMatrix matrix;
  try {
    const Json json = Json::parse(text);
    for (const Json& pair : json.at("pairs")) {
      matrix.pairs.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
    }
    for (const Json& agent : json.at("agents")) {
      matrix.agents.push_back({.label = agent.at("label").get<std::string>(),
                               .seeds = agent.at("seeds").get<std::vector<std::int64_t>>()});
    }
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return matrix;
}

ExpectedMatrix Joined(ExpectedMatrix a, const ExpectedMatrix& b) {
  Join(a.pairs, b.pairs);
  for (const ExpectedMatrix::Agent& other : b.agents) {
    const auto own = std::ranges::find(a.agents, other.label, &ExpectedMatrix::Agent::label);
    if (own == a.agents.end()) {
      a.agents.push_back(other);
    } else {
      Join(own->seeds, other.seeds);
    }
  }
  return a;
}

}  // namespace opyard::experiments
