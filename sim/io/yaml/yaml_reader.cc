#include <algorithm>
#include <charconv>
#include <sstream>

#include "sim/io/text/units_text.h"
#include "sim/io/text/utf8.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {
namespace {

std::string Found(const YamlNode& node, const std::string& expected) {
  return "found " + Describe(node) + ", expected " + expected;
}

std::string ToShortText(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// A number without leading plus, spaces or units; from_chars alone would take "inf" and "nan".
template <class T>
std::optional<T> ParseNumber(const std::string& text) {
  const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
  const auto is_digit = [&](std::size_t at) {
    return at < digits.size() && digits[at] >= '0' && digits[at] <= '9';
  };
  const bool is_octal = is_digit(0) && digits[0] == '0' && is_digit(1);  // YAML 1.1; 1.2 disagrees
  if (is_octal || !(is_digit(0) || (digits.starts_with('.') && is_digit(1)))) {
    return std::nullopt;
  }
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

bool LooksLikeText(const std::string& word) {
  return !ParseNumber<double>(word) && word != "true" && word != "false";
}

// True if `text` may name a device, a link, a file.
bool IsName(const std::string& text) {
  constexpr std::size_t kLongestName = 128;
  constexpr std::string_view kForbidden = " \"'\\/";
  return text.size() <= kLongestName && std::ranges::none_of(text, [&](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7F ||
                  kForbidden.find(c) != std::string_view::npos;
         });
}

}  // namespace

std::string Describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kScalar:
      break;
  }
  return "\"" + ShownText(node.text) + "\"";
}

std::string YamlReader::Place(int line, int column) const {
  if (!pointers_.empty()) {
    return file_ + "#" + pointers_[static_cast<std::size_t>(line)];
  }
  return file_ + ":" + std::to_string(line) + ":" + std::to_string(column);
}

void YamlReader::Problem(const YamlNode& node, const std::string& message) {
  ProblemAt(node.line, node.column, message);
}

void YamlReader::ProblemAt(int line, int column, const std::string& message) {
  diagnostics_->AddError(Place(line, column), message);
}

void YamlReader::Warn(const YamlNode& node, const std::string& message) {
  WarnOfSource(node, message);
  oddities_.push_back(warnings_.back());
}

void YamlReader::WarnOfSource(const YamlNode& node, const std::string& message) {
  warnings_.push_back(Place(node.line, node.column) + ": " + message);
}

bool YamlReader::IsPlainScalar(const YamlNode& node) const {
  return node.kind == YamlNode::Kind::kScalar && !node.is_quoted;
}

std::optional<std::string> YamlReader::Text(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kScalar || node.text.empty()) {
    Problem(node, Found(node, "text"));
    return std::nullopt;
  }
  if (!node.is_quoted && !LooksLikeText(node.text)) {
    Problem(node, Found(node, "text (write it in quotes if it is meant as text)"));
    return std::nullopt;
  }
  return node.text;
}

std::optional<std::string> YamlReader::Name(const YamlNode& node) {
  std::optional<std::string> text = Text(node);
  if (text && !IsName(*text)) {
    Problem(node, Found(node, "a name: at most 128 bytes without spaces, quotes or slashes"));
    return std::nullopt;
  }
  return text;
}

std::optional<std::string> YamlReader::Choice(const YamlNode& node,
                                              const std::vector<std::string>& allowed) {
  if (node.kind == YamlNode::Kind::kScalar &&
      std::ranges::find(allowed, node.text) != allowed.end()) {
    return node.text;
  }
  Problem(node, Found(node, "one of " + JoinNames(allowed)) + DidYouMean(node.text, allowed));
  return std::nullopt;
}

std::optional<bool> YamlReader::Bool(const YamlNode& node) {
  if (IsPlainScalar(node) && (node.text == "true" || node.text == "false")) {
    return node.text == "true";
  }
  Problem(node, Found(node, "true or false"));
  return std::nullopt;
}

std::optional<std::int64_t> YamlReader::Int(const YamlNode& node,
                                            std::int64_t low,
                                            std::int64_t high) {
  const std::optional<std::int64_t> value =
      IsPlainScalar(node) ? ParseNumber<std::int64_t>(node.text) : std::nullopt;
  if (!value || *value < low || *value > high) {
    Problem(
        node,
        Found(node, "a whole number from " + std::to_string(low) + " to " + std::to_string(high)));
    return std::nullopt;
  }
  return value;
}

std::optional<double> YamlReader::Double(const YamlNode& node, double low, double high) {
  const std::optional<double> value =
      IsPlainScalar(node) ? ParseNumber<double>(node.text) : std::nullopt;
  if (!value || !(*value >= low && *value <= high)) {
    Problem(node, Found(node, "a number from " + ToShortText(low) + " to " + ToShortText(high)));
    return std::nullopt;
  }
  return value;
}

namespace {

// Reads a quantity by `parse`, and reports what is wrong with it.
template <class Parse>
auto ReadQuantity(YamlReader& reader, const YamlNode& node, const char* expected, Parse parse)
    -> decltype(parse(std::string_view()).value) {
  if (node.kind != YamlNode::Kind::kScalar) {
    reader.Problem(node, Found(node, expected));
    return std::nullopt;
  }
  auto reading = parse(node.text);
  if (!reading.value) {
    reader.Problem(node, ShownText(reading.problem, 400));
  }
  return reading.value;
}

}  // namespace

std::optional<Bytes> YamlReader::Size(const YamlNode& node) {
  return ReadQuantity(*this, node, "a size such as 16 GiB", ParseSize);
}

std::optional<double> YamlReader::BytesPerSecond(const YamlNode& node) {
  return ReadQuantity(*this, node, "a rate such as 900 GB/s", ParseBytesPerSecond);
}

std::optional<double> YamlReader::FlopsPerSecond(const YamlNode& node) {
  return ReadQuantity(*this, node, "a rate such as 15.7 TFLOP/s", ParseFlopsPerSecond);
}

std::optional<double> YamlReader::Seconds(const YamlNode& node) {
  return ReadQuantity(*this, node, "a time such as 5 us", ParseSeconds);
}

std::optional<SimTime> YamlReader::Time(const YamlNode& node) {
  const std::optional<double> seconds = Seconds(node);
  if (!seconds) {
    return std::nullopt;
  }
  return SimTime::FromSeconds(*seconds);
}

const std::vector<YamlNode>* YamlReader::Items(const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::kSequence) {
    Problem(node, Found(node, "a list of " + what));
    return nullptr;
  }
  return &node.items;
}

YamlMap::YamlMap(YamlReader& reader, const YamlNode& node, std::string what)
    : reader_(&reader), node_(&node), what_(std::move(what)) {
  if (!is_map()) {
    reader.Problem(node, Found(node, "a map: " + what_));
  }
}

const YamlNode* YamlMap::Optional(const std::string& key) {
  known_.insert(key);
  return node_->Find(key);
}

const YamlNode* YamlMap::Required(const std::string& key) {
  const YamlNode* value = Optional(key);
  if (value == nullptr && is_map()) {
    reader_->Problem(*node_, "key \"" + key + "\" is missing from " + what_);
  }
  return value;
}

void YamlMap::Finish() {
  const std::vector<std::string> known(known_.begin(), known_.end());
  for (const YamlNode::Entry& entry : node_->entries) {
    if (!known_.contains(entry.key)) {
      const std::string hint = DidYouMean(entry.key, known);
      reader_->ProblemAt(entry.line,
                         entry.column,
                         "unknown key \"" + ShownText(entry.key) + "\" in " + what_ +
                             (hint.empty() ? ", expected one of " + JoinNames(known) : hint));
    }
  }
}

}  // namespace opyard::sim
