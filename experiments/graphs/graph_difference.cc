#include "experiments/graphs/graph_difference.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "sim/io/graph/op_json.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

// Op indices by name.
std::map<std::string_view, OpId> IndexOf(const sim::OpGraph& graph) {
  std::map<std::string_view, OpId> index;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    index.emplace(graph.op(OpId(i)).name, OpId(i));
  }
  return index;
}

// The op as the graph format has it, with its inputs by name.
Json AttributesOf(const sim::OpGraph& graph, OpId op) {
  std::string text;
  sim::AppendOp(graph, op, text);
  Json attributes = Json::parse(text);
  for (const char* key : {"name", "inputs", "control_inputs"}) {
    attributes.erase(key);
  }
  for (const TensorId input : graph.inputs(op)) {
    const sim::Tensor& tensor = graph.tensor(input);
    attributes["inputs"].push_back(graph.op(tensor.producer).name + ":" +
                                   std::to_string(tensor.output_index));
  }
  std::set<std::string> before;
  for (const OpId control : graph.control_inputs(op)) {
    before.insert(graph.op(control).name);
  }
  if (!before.empty()) {
    attributes["control_inputs"] = before;
  }
  return attributes;
}

void CompareOps(const std::string& name,
                const Json& before,
                const Json& after,
                std::vector<AttributeChange>& changes) {
  const auto text = [](const Json& json, const std::string& key) {
    return json.contains(key) ? json.at(key).dump() : std::string();
  };
  std::set<std::string> keys;
  for (const Json* json : {&before, &after}) {
    for (const auto& [key, value] : json->items()) {
      keys.insert(key);
    }
  }
  for (const std::string& key : keys) {
    AttributeChange change{
        .op = name, .attribute = key, .before = text(before, key), .after = text(after, key)};
    if (change.before != change.after) {
      changes.push_back(std::move(change));
    }
  }
}

std::string MeasuredOf(const sim::OpGraph& graph) {
  const bool is_default = graph.measured() == sim::Measured::kWithLaunch;
  return is_default ? "" : Json(sim::NameOf(graph.measured())).dump();
}

// The names of ops of `graph` that `other` does not have.
std::vector<std::string> OnlyIn(const sim::OpGraph& graph,
                                const std::map<std::string_view, OpId>& other) {
  std::vector<std::string> names;
  for (const sim::Op& op : graph.ops()) {
    if (!other.contains(op.name)) {
      names.push_back(op.name);
    }
  }
  return names;
}

}  // namespace

GraphDifference Compare(const sim::OpGraph& before, const sim::OpGraph& after) {
  const std::map<std::string_view, OpId> in_after = IndexOf(after);
  GraphDifference difference{.only_before = OnlyIn(before, in_after),
                             .only_after = OnlyIn(after, IndexOf(before))};
  if (before.measured() != after.measured()) {
    difference.changes.push_back({.op = "",
                                  .attribute = "measured",
                                  .before = MeasuredOf(before),
                                  .after = MeasuredOf(after)});
  }
  for (std::size_t i = 0; i < before.num_ops(); ++i) {
    const std::string& name = before.op(OpId(i)).name;
    if (const auto other = in_after.find(name); other != in_after.end()) {
      CompareOps(name,
                 AttributesOf(before, OpId(i)),
                 AttributesOf(after, other->second),
                 difference.changes);
    }
  }
  difference.has_other_order =
      difference.only_before.empty() && difference.only_after.empty() &&
      !std::ranges::equal(before.ops(), after.ops(), {}, &sim::Op::name, &sim::Op::name);
  return difference;
}

}  // namespace opyard::experiments
