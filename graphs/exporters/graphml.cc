#include "graphs/exporters/graphml.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <nlohmann/json.hpp>

#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/graph/op_json.h"
#include "sim/io/text/text_file.h"
#include "sim/io/text/utf8.h"

namespace opyard::graphs {
namespace {

using Json = nlohmann::ordered_json;

// A <key>; its id is `id`, or `name` if that is empty.
struct Key {
  std::string_view domain;
  std::string_view name;
  std::string_view type;
  std::string_view id = {};
  std::string_view usual = {};  // the default; "" for none

  [[nodiscard]] std::string_view Id() const { return id.empty() ? name : id; }
};

constexpr auto kKeys = std::to_array<Key>({
    {"graph", "format", "string"},
    {"graph", "name", "string", "graph_name"},
    {"graph", "origin", "string"},
    {"graph", "measured", "string", {}, "with_launch"},
    {"node", "name", "string"},
    {"node", "type", "string"},
    {"node", "dtype", "string"},
    {"node", "phase", "string"},
    {"node", "layer", "int"},
    {"node", "module", "string"},
    {"node", "colocation", "string"},
    {"node", "device_kinds", "string"},
    {"node", "fusion_class", "string"},
    {"node", "flops", "double", {}, "0"},
    {"node", "bytes_accessed", "long"},
    {"node", "param_bytes", "long", {}, "0"},
    {"node", "weight_bytes", "long"},
    {"node", "workspace_bytes", "long", {}, "0"},
    {"node", "release", "double", {}, "0"},
    {"node", "output_bytes", "long"},
    {"node", "outputs", "string"},
    {"node", "gemm", "string"},
    {"node", "conv", "string"},
    {"node", "rnn", "string"},
    {"edge", "tensor", "string"},
    {"edge", "bytes", "long"},
    {"edge", "output", "int"},
    {"edge", "input", "int"},
    {"edge", "control", "boolean", {}, "false"},
});

// `text` with what XML gives a meaning written as references. Throws InputError for what it cannot
// hold at all.
std::string Escaped(std::string_view text) {
  const bool has_no_character = text.find("\xEF\xBF\xBE") != std::string_view::npos ||
                                text.find("\xEF\xBF\xBF") != std::string_view::npos;
  if (const auto flaw = sim::FindTextFlaw(text); flaw.has_value() || has_no_character) {
    throw InputError("GraphML: found " + (flaw.has_value() ? flaw->what : "U+FFFE or U+FFFF") +
                     " in " + Quoted(text) + ", which XML cannot hold; write .graph.json");
  }
  std::string escaped;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '\t':
      case '\n':
      case '\r':
        escaped += "&#" + std::to_string(static_cast<int>(letter)) + ";";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

// The same between double quotes.
std::string EscapedAttribute(std::string_view text) {
  std::string escaped;
  for (const char letter : Escaped(text)) {
    escaped += letter == '"' ? std::string("&quot;") : std::string(1, letter);
  }
  return escaped;
}

class GraphmlWriter {
 public:
  explicit GraphmlWriter(const sim::OpGraph& graph) : graph_(graph) {
    for (std::size_t i = 0; i < graph.num_ops(); ++i) {
      for (const sim::MeasuredTime& time : graph.measured_times(OpId(i))) {
        seconds_key_.emplace(time.where, "");
      }
    }
    for (std::size_t i = 0; auto& [where, id] : seconds_key_) {
      id = "seconds" + std::to_string(i++);
    }
  }

  std::string Run() {
    AppendHead();
    text_ += "  <graph edgedefault=\"directed\">\n    ";
    AppendData("format", "opyard-graph/1");
    AppendData("graph_name", graph_.name());
    if (!graph_.origin().empty()) {
      AppendData("origin", graph_.origin());
    }
    if (graph_.measured() != sim::Measured::kWithLaunch) {
      AppendData("measured", sim::NameOf(graph_.measured()));
    }
    text_ += '\n';
    for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
      AppendNode(OpId(i));
    }
    for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
      AppendEdges(OpId(i));
    }
    return text_ + "  </graph>\n</graphml>\n";
  }

 private:
  void AppendHead() {
    text_ =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
    for (const Key& key : kKeys) {
      AppendKey(key);
    }
    for (const auto& [where, id] : seconds_key_) {
      AppendKey({.domain = "node", .name = "seconds." + where, .type = "double", .id = id});
    }
  }

  void AppendKey(const Key& key) {
    text_ += "  <key id=\"" + std::string(key.Id()) + "\" for=\"" + std::string(key.domain) +
             "\" attr.name=\"" + EscapedAttribute(key.name) + "\" attr.type=\"" +
             std::string(key.type) + "\"";
    text_ +=
        key.usual.empty() ? "/>\n" : "><default>" + std::string(key.usual) + "</default></key>\n";
  }

  void AppendData(std::string_view key, std::string_view value) {
    text_ += "<data key=\"";
    text_ += key;
    text_ += "\">" + Escaped(value) + "</data>";
  }

  void AppendNode(OpId id) {
    std::string line;
    sim::AppendOp(graph_, id, line);
    Json op = Json::parse(line);
    op["bytes_accessed"] = graph_.op(id).bytes_accessed.count;
    op["output_bytes"] = OutputBytes(id);
    text_ += "    <node id=\"n" + std::to_string(id.value) + "\">";
    for (const auto& [name, value] : op.items()) {
      if (name == "seconds") {
        for (const auto& [where, seconds] : value.items()) {
          AppendData(seconds_key_.at(where), seconds.dump());
        }
      } else if (name != "inputs" && name != "control_inputs") {  // which are edges
        OPYARD_CHECK(std::ranges::find(kKeys, name, &Key::name) != kKeys.end(),
                     "each field of an op has a key");
        AppendData(name, value.is_string() ? value.get<std::string>() : value.dump());
      }
    }
    text_ += "</node>\n";
  }

  [[nodiscard]] std::int64_t OutputBytes(OpId id) const {
    Bytes sum;
    for (std::size_t i = 0; i < graph_.num_outputs(id); ++i) {
      sum += graph_.tensor(graph_.output(id, i)).bytes;
    }
    return sum.count;
  }

  void AppendEdges(OpId id) {
    for (std::size_t i = 0; i < graph_.inputs(id).size(); ++i) {
      const sim::Tensor& tensor = graph_.tensor(graph_.inputs(id)[i]);
      const std::string output = std::to_string(tensor.output_index);
      AppendEdgeStart(tensor.producer, id);
      AppendData("tensor", graph_.op(tensor.producer).name + ":" + output);
      AppendData("bytes", std::to_string(tensor.bytes.count));
      AppendData("output", output);
      AppendData("input", std::to_string(i));
      text_ += "</edge>\n";
    }
    for (const OpId before : graph_.control_inputs(id)) {
      AppendEdgeStart(before, id);
      AppendData("control", "true");
      text_ += "</edge>\n";
    }
  }

  void AppendEdgeStart(OpId source, OpId target) {
    text_ += "    <edge source=\"n" + std::to_string(source.value) + "\" target=\"n" +
             std::to_string(target.value) + "\">";
  }

  const sim::OpGraph& graph_;
  std::map<std::string, std::string> seconds_key_;  // where it was measured -> id of the key
  std::string text_;
};

}  // namespace

std::string GraphmlText(const sim::OpGraph& graph) {
  return GraphmlWriter(graph).Run();
}

void WriteGraphmlFile(const sim::OpGraph& graph, const std::filesystem::path& path) {
  sim::WriteTextFile(path, GraphmlText(graph));
}

}  // namespace opyard::graphs
