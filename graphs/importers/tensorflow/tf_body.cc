#include "graphs/importers/tensorflow/tf_body.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "graphs/importers/tensorflow/tf_op_outputs.h"
#include "sim/base/quote.h"
#include "sim/graph/topological_sort.h"

namespace opyard::graphs {
namespace {

bool ChangesState(std::string_view type) {
  return type.starts_with("Assign") || type.starts_with("ResourceApply") ||
         type.starts_with("ResourceSparseApply") || type.starts_with("ResourceScatter") ||
         type == "StatefulPartitionedCall";
}

bool IsLoopBack(std::string_view from, std::string_view to) {
  return from.ends_with("NextIteration") && to.ends_with("Merge");
}

class Preparation {
 public:
  Preparation(const TfGraphDefinition& graph, std::string place_of_graph, std::string place)
      : graph_(graph), place_of_graph_(std::move(place_of_graph)) {
    body_.place = std::move(place);
  }

  TfBody Run(const std::vector<TfNodeDefinition>& nodes, const TfFunctionDefinition* function) {
    body_.nodes = &nodes;
    function_ = function;
    is_open_ = function != nullptr && function->arguments.empty();
    TakeNames();
    diagnostics_.ThrowIfAny();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      TakeInputs(i);
    }
    diagnostics_.ThrowIfAny();
    Sort();
    if (function != nullptr) {
      TakeReturns();
    }
    body_.num_arguments = argument_of_.size();
    body_.has_signature = !is_open_ || argument_of_.empty();
    diagnostics_.ThrowIfAny();
    return std::move(body_);
  }

 private:
  [[nodiscard]] std::string Place(std::size_t node) const {
    return body_.place + std::to_string(node);
  }

  void TakeNames() {
    const std::vector<TfNodeDefinition>& nodes = *body_.nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!index_of_.try_emplace(nodes[i].name, static_cast<std::int64_t>(i)).second) {
        diagnostics_.AddError(
            Place(i), "found the name " + Quoted(nodes[i].name) + " again, expected it once");
      }
    }
    if (function_ != nullptr) {
      for (const std::string_view argument : function_->arguments) {
        argument_of_.try_emplace(argument, argument_of_.size());
      }
    }
  }

  void TakeInputs(std::size_t i) {
    std::vector<TfBodyInput>& inputs = body_.inputs.emplace_back();
    std::vector<std::int64_t>& controls = body_.controls.emplace_back();
    const TfNodeDefinition& node = (*body_.nodes)[i];
    for (const std::string_view text : node.inputs) {
      const auto found = Find(i, text);
      if (!found.has_value()) {
        continue;
      }
      if (found->node >= 0 && IsLoopBack(TypeOf(found->node), node.type)) {
        body_.loops.push_back({.merge = i, .next = *found});
      } else if (text.starts_with('^')) {
        controls.push_back(found->node);
      } else {
        inputs.push_back(*found);
      }
    }
  }

  [[nodiscard]] std::string_view TypeOf(std::int64_t node) const {
    return (*body_.nodes)[static_cast<std::size_t>(node)].type;
  }

  // "^node", "node", "node:port", and in functions "argument" and "node:output:index".
  std::optional<TfBodyInput> Find(std::size_t i, std::string_view text) {
    const bool is_control = text.starts_with('^');
    std::string_view rest = is_control ? text.substr(1) : text;
    const std::string_view name = rest.substr(0, is_control ? rest.size() : rest.find(':'));
    rest.remove_prefix(name.size());
    const auto source = FindSource(name);
    if (!source.has_value()) {
      diagnostics_.AddError(Place(i),
                            "found the input " + Quoted(text) + ", expected the name of a node");
      return std::nullopt;
    }
    const auto port = rest.empty() ? std::optional(std::size_t{0}) : FindPort(*source, rest);
    if (!port.has_value()) {
      diagnostics_.AddError(Place(i),
                            "found the input " + Quoted(text) +
                                ", expected NODE:PORT with a port up to " +
                                std::to_string(kMostTfPort));
      return std::nullopt;
    }
    return TfBodyInput{.node = *source, .port = *source < 0 ? 0 : *port};
  }

  std::optional<std::int64_t> FindSource(std::string_view name) {
    const auto argument = argument_of_.find(name);
    if (argument != argument_of_.end()) {
      return -1 - static_cast<std::int64_t>(argument->second);
    }
    const auto found = index_of_.find(name);
    if (found != index_of_.end()) {
      return found->second;
    }
    if (!is_open_) {
      return std::nullopt;
    }
    const std::size_t next = argument_of_.size();
    argument_of_.try_emplace(name, next);
    return -1 - static_cast<std::int64_t>(next);
  }

  // `text` is ":port" or ":output:index".
  std::optional<std::size_t> FindPort(std::int64_t source, std::string_view text) const {
    std::string_view number = text.substr(text.rfind(':') + 1);
    std::size_t index = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), index);
    const bool is_number = error == std::errc() && stop == number.data() + number.size();
    if (!is_number || index > kMostTfPort) {
      return std::nullopt;
    }
    if (source < 0 || text.rfind(':') == 0) {
      return index;
    }
    const std::string_view output = text.substr(1, text.rfind(':') - 1);
    const auto callee = graph_.library.find(TypeOf(source));
    if (callee == graph_.library.end()) {
      return FindTfPort(TypeOf(source), output, index);
    }
    const std::vector<std::string_view>& results = callee->second.results;
    const auto result = std::ranges::find(results, output);
    return result == results.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(result - results.begin()) + index);
  }

  void Sort() {
    std::vector<sim::EdgeLists::Edge> edges;
    const auto add = [&edges](std::int64_t from, std::size_t to) {
      if (from >= 0) {
        edges.push_back(
            {.from = static_cast<std::int32_t>(from), .to = static_cast<std::int32_t>(to)});
      }
    };
    for (std::size_t i = 0; i < body_.nodes->size(); ++i) {
      for (const TfBodyInput& input : body_.inputs[i]) {
        add(input.node, i);
      }
      for (const std::int64_t source : body_.controls[i]) {
        add(source, i);
      }
    }
    sim::TopologicalOrder sorted = sim::SortTopologically({body_.nodes->size(), edges});
    for (const sim::Cycle& cycle : sorted.cycles) {
      diagnostics_.AddError(
          place_of_graph_,
          "found " + CycleText(cycle) + ", expected an acyclic graph (loops are not imported)");
    }
    body_.order = std::move(sorted.order);
  }

  [[nodiscard]] std::string CycleText(const sim::Cycle& cycle) const {
    std::string name;
    return sim::CycleText(cycle, [&](std::size_t node) -> const std::string& {
      name = (*body_.nodes)[node].name;
      return name;
    });
  }

  void TakeReturns() {
    const std::size_t last = body_.nodes->size();  // stands for the signature in places
    if (function_->results.empty() && !body_.order.empty() && function_->returns.empty()) {
      const auto node = static_cast<std::int64_t>(body_.order.back());
      for (std::size_t port = 0; port < NumTfOutputs(TypeOf(node)); ++port) {
        body_.returns.push_back({.node = node, .port = port});
      }
    }
    for (const std::string_view result : function_->results) {
      const auto found = function_->returns.find(result);
      const auto source = Find(last, found == function_->returns.end() ? result : found->second);
      body_.returns.push_back(source.value_or(TfBodyInput{}));
    }
    for (const std::string_view name : function_->control_returns) {
      const auto found = index_of_.find(name);
      if (found != index_of_.end()) {
        body_.control_returns.push_back(static_cast<std::size_t>(found->second));
      }
    }
  }

  const TfGraphDefinition& graph_;
  std::string place_of_graph_;
  Diagnostics diagnostics_;
  const TfFunctionDefinition* function_ = nullptr;
  bool is_open_ = false;  // unknown names are arguments
  std::unordered_map<std::string_view, std::int64_t> index_of_;
  std::unordered_map<std::string_view, std::size_t> argument_of_;
  TfBody body_;
};

}  // namespace

void MarkNeeded(const TfBody& body,
                const TfBodyInput& source,
                std::vector<bool>& nodes,
                std::vector<bool>& arguments) {
  std::vector<std::int64_t> open{source.node};
  while (!open.empty()) {
    const std::int64_t at = open.back();
    open.pop_back();
    const auto index = static_cast<std::size_t>(at < 0 ? -1 - at : at);
    if (at < 0 && index < arguments.size()) {
      arguments[index] = true;
    } else if (at >= 0 && !nodes[index]) {
      nodes[index] = true;
      for (const TfBodyInput& input : body.inputs[index]) {
        open.push_back(input.node);
      }
      open.insert(open.end(), body.controls[index].begin(), body.controls[index].end());
      for (const TfBodyLoop& loop :
           std::ranges::equal_range(body.loops, index, {}, &TfBodyLoop::merge)) {
        open.push_back(loop.next.node);
      }
    }
  }
}

// As TensorFlow prunes functions. Without results all of it is needed.
void FindNeeded(TfBody& body) {
  std::vector<bool> arguments;
  if (body.returns.empty() && body.control_returns.empty()) {
    return;
  }
  body.needed.assign(body.nodes->size(), false);
  for (const TfBodyInput& source : body.returns) {
    MarkNeeded(body, source, body.needed, arguments);
  }
  for (const std::size_t node : body.control_returns) {
    MarkNeeded(body, {.node = static_cast<std::int64_t>(node)}, body.needed, arguments);
  }
  for (std::size_t i = 0; i < body.nodes->size(); ++i) {
    if (ChangesState((*body.nodes)[i].type)) {
      MarkNeeded(body, {.node = static_cast<std::int64_t>(i)}, body.needed, arguments);
    }
  }
}

TfBody PrepareTfGraph(const TfGraphDefinition& graph, const std::string& place) {
  return Preparation(graph, place, place + "#/node/").Run(graph.nodes, nullptr);
}

TfBody PrepareTfFunction(const TfGraphDefinition& graph,
                         std::string_view name,
                         const std::string& place) {
  const TfFunctionDefinition& function = graph.library.at(name);
  const std::string path = place + "#/library/function/" + std::string(name);
  TfBody body = Preparation(graph, path, path + "/node/").Run(function.nodes, &function);
  FindNeeded(body);
  return body;
}

}  // namespace opyard::graphs
