#include "sim/io/graph/graph_json.h"

#include <array>

#include "sim/base/input_file.h"
#include "sim/io/graph/op_json.h"
#include "sim/io/json/json_cursor.h"
#include "sim/io/json/json_kind.h"
#include "sim/io/json/json_text.h"
#include "sim/io/text/text_file.h"

namespace opyard::sim {
namespace {

constexpr std::string_view kGraphFormat = "opyard-graph/1";

constexpr WantedJson kWantedGraph = {
    .what = "a graph (opyard-graph/1)",
    .family = "opyard-graph/",
    .body_key = "ops",
    .advice = "opyard graph convert --help names the formats of other tools that are read"};

// A file that asks for more ops, or for more memory while it is read, is refused.
constexpr std::size_t kMostOps = std::size_t{1} << 21U;
constexpr std::size_t kMostHeldBytes = std::size_t{1} << 30U;

struct Header {
  std::string name;
  std::string origin;
  Measured measured = Measured::kWithLaunch;
};

constexpr auto kGraphFields = std::to_array<JsonField<Header>>({
    {"format",
     [](const JsonCursor& value, Header& /*header*/) {
       const std::optional<std::string_view> format = value.Text();
       if (format.has_value() && *format != kGraphFormat) {
         value.ReportExpected("\"" + std::string(kGraphFormat) + "\"");
       }
     },
     true},
    {"name",
     [](const JsonCursor& value, Header& header) {
       header.name = value.Name().value_or(std::string_view());
     },
     true},
    {"origin",
     [](const JsonCursor& value, Header& header) {
       header.origin = value.Text().value_or(std::string_view());
     }},
    {"measured",
     [](const JsonCursor& value, Header& header) {
       header.measured =
           ReadEnum(value, FindMeasured, "with_launch, kernel").value_or(Measured::kWithLaunch);
     }},
    // The ops themselves are streamed.
    {"ops",
     [](const JsonCursor& value, Header& /*header*/) { value.ForEachItem([](const auto&) {}); },
     true},
});

std::size_t HeldBytes(const OpSpec& op) {
  std::size_t held = sizeof(OpSpec) + op.inputs.size() * sizeof(InputRef) +
                     op.control_inputs.size() * sizeof(std::int64_t) +
                     op.outputs.size() * sizeof(OutputSpec) +
                     op.seconds.size() * sizeof(MeasuredTime) + op.name.size() + op.type.size() +
                     op.module.value_or("").size();
  for (const OutputSpec& output : op.outputs) {
    held += output.shape.size() * sizeof(std::int64_t);
  }
  return held;
}

// Hands the ops of one text to a builder.
class GraphReader {
 public:
  GraphReader(std::string_view text, const std::string& place)
      : text_(text), file_(place), root_(place + "#") {}

  std::shared_ptr<const OpGraph> Run() {
    const JsonTree tree = ParseJson(
        text_,
        file_,
        diagnostics_,
        {.key = "ops",
         .on_element = [this](const JsonTree& op, std::size_t i) { return TakeOp(op, i); }});
    if (tree.nodes.empty()) {  // the parse ended early: what is missing says nothing
      ThrowIfOfAnotherKind(text_, file_, kWantedGraph);
      diagnostics_.ThrowIfAny();
    }
    Header header;
    ReadFields<Header>(JsonCursor(tree, 0, JsonPlace(root_), diagnostics_), kGraphFields, header);
    if (!diagnostics_.empty()) {
      ThrowIfOfAnotherKind(text_, file_, kWantedGraph);
    }
    if (builder_.num_ops() == 0) {
      diagnostics_.ThrowIfAny();  // it was said already why there is none
    }
    builder_.Rename(std::move(header.name), std::move(header.origin));
    builder_.SetMeasured(header.measured);
    return builder_.Build(root_, std::move(diagnostics_));
  }

 private:
  bool TakeOp(const JsonTree& tree, std::size_t index) {
    const JsonPlace root(root_);
    const JsonPlace ops = root.Member("ops");
    if (held_bytes_ > kMostHeldBytes || builder_.num_ops() == kMostOps) {
      diagnostics_.AddError(
          ops.Item(index).Text(),
          "found a graph too large to read, expected at most 2097152 ops and 1 GiB");
      return false;
    }
    OpSpec op = ReadOp(JsonCursor(tree, 0, ops.Item(index), diagnostics_));
    held_bytes_ += HeldBytes(op);
    builder_.AddOp(std::move(op));
    return true;
  }

  std::string_view text_;
  const std::string& file_;
  std::string root_;
  Diagnostics diagnostics_;
  OpGraphBuilder builder_{""};
  std::size_t held_bytes_ = 0;
};

}  // namespace

std::shared_ptr<const OpGraph> ReadGraphFile(const std::filesystem::path& path) {
  return ReadGraphText(ReadTextFile(path), InputName(path));
}

std::shared_ptr<const OpGraph> ReadGraphText(std::string_view text, const std::string& place) {
  EnsureUtf8(text, place);
  return GraphReader(text, place).Run();
}

std::string WriteGraphText(const OpGraph& graph, ModulesInText modules) {
  std::string text =
      "{\"format\": " + JsonString(kGraphFormat) + ", \"name\": " + JsonString(graph.name());
  if (!graph.origin().empty()) {
    text += ", \"origin\": " + JsonString(graph.origin());
  }
  if (graph.measured() != Measured::kWithLaunch) {
    text += ", \"measured\": " + JsonString(NameOf(graph.measured()));
  }
  text += ",\n \"ops\": [";
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    text += i == 0 ? "\n  " : ",\n  ";
    AppendOp(graph, OpId(i), text, modules);
  }
  return text + "]}\n";
}

void WriteGraphFile(const OpGraph& graph, const std::filesystem::path& path) {
  WriteTextFile(path, WriteGraphText(graph));
}

}  // namespace opyard::sim
