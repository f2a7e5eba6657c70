#include "graphs/importers/graphml/graphml_node.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "graphs/importers/common/dtype_names.h"
#include "sim/base/quote.h"
#include "sim/io/graph/op_json.h"
#include "sim/io/json/json_text.h"

namespace opyard::graphs {
namespace {

enum class Use {
  kName,
  kType,
  kDType,
  kText,     // as in our format
  kJson,     // as in our format, spelt in JSON
  kLayer,    // a number, or in files of others a word
  kSeconds,  // times `scale`
  kCost,     // seconds without a unit
  kSize,     // of the output
};

struct Word {
  std::string_view name;
  Use use;
  double scale = 1.0;
};

// The attributes that nodes are asked for; of words with one use, the first that a node has counts.
constexpr auto kWords = std::to_array<Word>({
    {"name", Use::kName},
    {"type", Use::kType},
    {"op_type", Use::kType},
    {"op", Use::kType},
    {"dtype", Use::kDType},
    {"phase", Use::kText},
    {"module", Use::kText},
    {"colocation", Use::kText},
    {"fusion_class", Use::kText},
    {"outputs", Use::kJson},
    {"flops", Use::kJson},
    {"bytes_accessed", Use::kJson},
    {"param_bytes", Use::kJson},
    {"weight_bytes", Use::kJson},
    {"workspace_bytes", Use::kJson},
    {"release", Use::kJson},
    {"layer", Use::kLayer},
    {"device_kinds", Use::kJson},
    {"gemm", Use::kJson},
    {"conv", Use::kJson},
    {"rnn", Use::kJson},
    {"seconds", Use::kSeconds, 1.0},
    {"ms", Use::kSeconds, 1e-3},
    {"us", Use::kSeconds, 1e-6},
    {"cost", Use::kCost},
    {"compute_cost", Use::kCost},
    {"time", Use::kCost},
    {"duration", Use::kCost},
    {"weight", Use::kCost},
    {"output_bytes", Use::kSize},
    {"bytes", Use::kSize},
    {"size", Use::kSize},
});

constexpr std::string_view kSecondsAt = "seconds.";  // and a device

std::string NotUsed(std::string_view name) {
  return name.empty() ? "drawing, not used" : "attribute without a meaning here, not used";
}

// "4.0" as "4": other tools turn whole numbers into doubles.
std::string WholeIfItIs(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool is_number = error == std::errc() && stop == end && !text.empty();
  const bool is_whole = is_number && std::abs(number) < 9e15 && std::trunc(number) == number;
  return is_whole && text.find_first_of(".eE") != std::string_view::npos
             ? std::to_string(static_cast<std::int64_t>(number))
             : std::string(text);
}

// Collects the values of one node and makes the op of them.
class NodeReader {
 public:
  NodeReader(const GraphmlElement& node, const std::string& place, GraphmlReading& reading)
      : node_(node), place_(place), reading_(reading) {}

  GraphmlNode Run() {
    for (const GraphmlValue& value : node_.values) {
      if (value.name.starts_with(kSecondsAt)) {
        AddMember(seconds_, value.name.substr(kSecondsAt.size()), value);
      } else if (std::ranges::find(kWords, value.name, &Word::name) == kWords.end()) {
        reading_.summary.unknown.Add(NotUsed(value.name),
                                     value.name.empty() ? node_.id : value.name);
      }
    }
    for (const Word& word : kWords) {
      for (const GraphmlValue& value : node_.values) {
        if (value.name == word.name) {
          Take(word, value);
        }
      }
    }
    return Make();
  }

 private:
  void Take(const Word& word, const GraphmlValue& value) {
    switch (word.use) {
      case Use::kName:
        TakeFirst(value, name_);
        break;
      case Use::kType:
        TakeFirst(value, type_);
        break;
      case Use::kDType:
        TakeDType(value);
        break;
      case Use::kText:
        AddRaw(members_, value.name, sim::JsonString(value.text));
        break;
      case Use::kJson:
        AddMember(members_, value.name, value);
        has_outputs_ |= value.name == "outputs";
        has_work_ |= value.name == "flops";
        break;
      case Use::kLayer:
        TakeLayer(value);
        break;
      case Use::kSeconds:
        TakeSeconds(value, word.scale);
        break;
      case Use::kCost:
        if (TakeSeconds(value, reading_.units.seconds_per_cost)) {
          reading_.summary.unknown.Add("cost without a unit, times the option seconds_per_cost (" +
                                           sim::NumberText(reading_.units.seconds_per_cost) + ")",
                                       value.name);
        }
        break;
      case Use::kSize:
        TakeSize(value);
        break;
    }
  }

  void TakeFirst(const GraphmlValue& value, std::string_view& out) {
    if (out.empty()) {
      out = value.text;
    } else {
      reading_.summary.unknown.Add(NotUsed(value.name), value.name);
    }
  }

  void TakeDType(const GraphmlValue& value) {
    std::optional<sim::DType> dtype = sim::FindDType(value.text);
    dtype = dtype.has_value() ? dtype : DTypeNamed(value.text);
    if (!dtype.has_value()) {
      reading_.summary.unknown.Add("element type without a name of ours, taken as \"other\"",
                                   value.text);
    }
    AddRaw(members_, value.name, sim::JsonString(sim::NameOf(dtype.value_or(sim::DType::kOther))));
  }

  // Words have the number of their first appearance, from 0.
  void TakeLayer(const GraphmlValue& value) {
    double number = 0;
    const char* end = value.text.data() + value.text.size();
    const auto [stop, error] = std::from_chars(value.text.data(), end, number);
    const bool is_number = error == std::errc() && stop == end && !value.text.empty();
    if (is_number || reading_.is_ours) {
      AddMember(members_, value.name, value);
      return;
    }
    if (value.text.empty()) {
      return;
    }
    const std::size_t next = reading_.layers.size();
    const auto layer = reading_.layers.try_emplace(std::string(value.text), next).first;
    AddRaw(members_, value.name, std::to_string(layer->second));
    reading_.summary.unknown.Add("layer as a word, numbered by its first appearance", value.text);
  }

  bool TakeSeconds(const GraphmlValue& value, double scale) {
    if (!seconds_.empty()) {
      reading_.summary.unknown.Add(NotUsed(value.name), value.name);
      return false;
    }
    const auto number =
        ReadGraphmlNumber(value, kLargestSeconds / scale, place_, reading_.diagnostics);
    if (number.has_value()) {
      AddRaw(seconds_, "*", sim::NumberText(*number * scale));
    }
    return number.has_value();
  }

  void TakeSize(const GraphmlValue& value) {
    if (has_outputs_ || size_.has_value()) {
      if (value.name != "output_bytes") {  // which follows from the outputs
        reading_.summary.unknown.Add(NotUsed(value.name), value.name);
      }
      return;
    }
    size_ = ReadGraphmlSize(value, place_, reading_);
  }

  // Appends "key": value, if the value is JSON by itself.
  void AddMember(std::string& members, std::string_view key, const GraphmlValue& value) {
    const std::string text = WholeIfItIs(value.text);
    Diagnostics diagnostics;
    static_cast<void>(sim::ParseJson(text, place_ + ": " + PointerToken(value.name), diagnostics));
    if (diagnostics.empty()) {
      AddRaw(members, key, text);
    }
    reading_.diagnostics.Append(diagnostics);
  }

  static void AddRaw(std::string& members, std::string_view key, std::string_view json) {
    members += (members.empty() ? "" : ", ") + sim::JsonString(key) + ": ";
    members += json;
  }

  GraphmlNode Make() {
    const std::string_view name = name_.empty() ? node_.id : name_;
    if (type_.empty()) {
      reading_.summary.unknown.Add("op type, which the file does not hold: opaque", name);
      type_ = "GraphMLNode";
    }
    if (seconds_.empty() && !has_work_ && !reading_.is_ours) {
      reading_.summary.unknown.Add(
          "op without a run time or FLOPs, taken to move its tensors alone", name);
    }
    AddRaw(members_, "name", sim::JsonString(name));
    AddRaw(members_, "type", sim::JsonString(type_));
    if (!seconds_.empty()) {
      AddRaw(members_, "seconds", "{" + seconds_ + "}");
    }
    const std::string root = place_ + "#";
    const sim::JsonTree tree = sim::ParseJson("{" + members_ + "}", root, reading_.diagnostics);
    GraphmlNode node{.has_outputs = has_outputs_, .size = size_};
    if (!tree.nodes.empty()) {
      node.op = sim::ReadOp(sim::JsonCursor(tree, 0, sim::JsonPlace(root), reading_.diagnostics));
    }
    return node;
  }

  const GraphmlElement& node_;
  const std::string& place_;
  GraphmlReading& reading_;
  std::string_view name_;
  std::string_view type_;
  std::string members_;  // of the op's JSON object
  std::string seconds_;  // of its times
  std::optional<Bytes> size_;
  bool has_outputs_ = false;
  bool has_work_ = false;
};

}  // namespace

GraphmlNode ReadGraphmlNode(const GraphmlElement& node,
                            const std::string& place,
                            GraphmlReading& reading) {
  return NodeReader(node, place, reading).Run();
}

std::optional<double> ReadGraphmlNumber(const GraphmlValue& value,
                                        double most,
                                        const std::string& place,
                                        Diagnostics& diagnostics) {
  double number = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (value.text.empty() || error != std::errc() || stop != end || !(number >= 0.0) ||
      number > most) {
    diagnostics.AddError(
        place + ": " + PointerToken(value.name),
        "found " + Quoted(value.text) + ", expected a number from 0 to " + sim::NumberText(most));
    return std::nullopt;
  }
  return number;
}

std::optional<Bytes> ReadGraphmlSize(const GraphmlValue& value,
                                     const std::string& place,
                                     GraphmlReading& reading) {
  const bool has_unit = value.name.ends_with("bytes");
  const double scale = has_unit ? 1.0 : reading.units.bytes_per_size;
  const auto number =
      ReadGraphmlNumber(value, kLargestGraphmlSize / scale, place, reading.diagnostics);
  if (!number.has_value()) {
    return std::nullopt;
  }
  if (!has_unit) {
    reading.summary.unknown.Add(
        "size without a unit, times the option bytes_per_size (" + sim::NumberText(scale) + ")",
        value.name);
  }
  return Bytes{static_cast<std::int64_t>(std::ceil(*number * scale))};
}

}  // namespace opyard::graphs
