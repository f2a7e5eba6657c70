#include "graphs/importers/graphml/graphml_edges.h"

#include <algorithm>
#include <map>
#include <utility>

namespace opyard::graphs {
namespace {

constexpr std::size_t kMostGraphmlOutputs = std::size_t{1} << 22U;  // of all nodes

class Connector {
 public:
  Connector(const GraphmlDocument& document,
            std::vector<GraphmlNode>& nodes,
            GraphmlReading& reading)
      : document_(document), nodes_(nodes), reading_(reading) {}

  void Run(std::vector<GraphmlEdge>& edges) {
    FindLargest(edges);
    for (GraphmlEdge& edge : edges) {
      if (edge.is_control) {
        nodes_[edge.target].op.control_inputs.push_back(static_cast<std::int64_t>(edge.source));
      } else if (nodes_[edge.source].has_outputs) {
        MatchOutput(edge);
      } else {
        MakeOutput(edge);
      }
    }
    for (GraphmlNode& node : nodes_) {
      if (!node.has_outputs && node.op.outputs.empty() && node.size.value_or(Bytes{}).count > 0) {
        node.op.outputs.push_back({.bytes = *node.size, .dtype = node.op.dtype});
      }
    }
    FillInputs(edges);
  }

 private:
  void FindLargest(const std::vector<GraphmlEdge>& edges) {
    for (const GraphmlEdge& edge : edges) {
      largest_ = std::max(largest_, edge.bytes.value_or(Bytes{}));
    }
    for (const GraphmlNode& node : nodes_) {
      largest_ = std::max(largest_, node.size.value_or(Bytes{}));
      for (const sim::OutputSpec& output : node.op.outputs) {
        largest_ = std::max(largest_, output.bytes);
      }
    }
  }

  // The source lists its outputs: the edge must name one.
  void MatchOutput(GraphmlEdge& edge) {
    const std::vector<sim::OutputSpec>& outputs = nodes_[edge.source].op.outputs;
    if (!edge.output.has_value() && outputs.size() == 1) {
      edge.output = 0;
    }
    if (!edge.output.has_value() || static_cast<std::size_t>(*edge.output) >= outputs.size()) {
      Report(edge,
             "found " +
                 (edge.output.has_value() ? "the output " + std::to_string(*edge.output)
                                          : std::string("no output")) +
                 ", expected one of the " + std::to_string(outputs.size()) + " of the source");
      edge.output = 0;
    } else if (edge.bytes.has_value() &&
               *edge.bytes != outputs[static_cast<std::size_t>(*edge.output)].bytes) {
      reading_.summary.unknown.Add("size of an edge, other than its source says: not used",
                                   nodes_[edge.source].op.name);
    }
  }

  void MakeOutput(GraphmlEdge& edge) {
    sim::OpSpec& source = nodes_[edge.source].op;
    const Bytes bytes = SizeOf(edge);
    if (!edge.output.has_value()) {
      const auto next = static_cast<std::int64_t>(source.outputs.size());
      edge.output = output_of_.try_emplace({edge.source, bytes}, next).first->second;
      if (!reading_.is_ours) {
        reading_.summary.unknown.Add("edge without an output: edges of one size carry one tensor",
                                     source.name);
      }
    }
    const auto index = static_cast<std::size_t>(*edge.output);
    if (index >= source.outputs.size()) {
      num_outputs_ += index + 1 - source.outputs.size();
      if (num_outputs_ > kMostGraphmlOutputs) {
        throw InputError(document_.PlaceOf(edge.offset) +
                         ": found too many outputs, expected at most 4194304 in all");
      }
      source.outputs.resize(index + 1, {.dtype = source.dtype});
    }
    source.outputs[index].bytes = std::max(source.outputs[index].bytes, bytes);
  }

  Bytes SizeOf(const GraphmlEdge& edge) {
    const GraphmlNode& source = nodes_[edge.source];
    if (edge.bytes.has_value() || source.size.has_value()) {
      return edge.bytes.has_value() ? *edge.bytes : *source.size;
    }
    reading_.summary.unknown.Add("size of a tensor, taken to be the largest of the file (" +
                                     std::to_string(largest_.count) + " bytes)",
                                 source.op.name);
    return largest_;
  }

  void FillInputs(const std::vector<GraphmlEdge>& edges) {
    std::vector<const GraphmlEdge*> data;
    for (const GraphmlEdge& edge : edges) {
      if (!edge.is_control) {
        data.push_back(&edge);
      }
    }
    std::ranges::stable_sort(data, {}, [](const GraphmlEdge* edge) {
      return std::pair(edge->target, edge->input.value_or(-1));
    });
    for (const GraphmlEdge* edge : data) {
      std::vector<sim::InputRef>& inputs = nodes_[edge->target].op.inputs;
      const auto next = static_cast<std::int64_t>(inputs.size());
      if (edge->input.value_or(next) != next) {
        Report(*edge,
               "found the input " + std::to_string(*edge->input) + ", expected " +
                   std::to_string(next) + ": each from 0 once, or none at all");
      }
      inputs.push_back(
          {.op = static_cast<std::int64_t>(edge->source), .output = edge->output.value_or(0)});
    }
  }

  void Report(const GraphmlEdge& edge, const std::string& message) {
    reading_.diagnostics.AddError(document_.PlaceOf(edge.offset), message);
  }

  const GraphmlDocument& document_;
  std::vector<GraphmlNode>& nodes_;
  GraphmlReading& reading_;
  Bytes largest_;
  std::map<std::pair<std::size_t, Bytes>, std::int64_t> output_of_;  // by source and size
  std::size_t num_outputs_ = 0;
};

}  // namespace

void ConnectGraphml(std::vector<GraphmlEdge>& edges,
                    const GraphmlDocument& document,
                    std::vector<GraphmlNode>& nodes,
                    GraphmlReading& reading) {
  Connector(document, nodes, reading).Run(edges);
}

}  // namespace opyard::graphs
