#include "sim/io/json/json_cursor.h"

#include <algorithm>

#include "sim/base/quote.h"
#include "sim/io/json/json_text.h"

namespace opyard::sim {
std::string JsonPlace::Text() const {
  if (parent_ == nullptr) {
    return std::string(key_);
  }
  return parent_->Text() + "/" +
         (key_.data() == nullptr ? std::to_string(index_) : PointerToken(key_));
}

std::optional<std::int64_t> JsonCursor::Integer() const {
  if (kind() == JsonKind::kInteger) {
    return node().integer;
  }
  ReportExpected(kind() == JsonKind::kBigInteger ? "an integer that fits int64" : "an integer");
  return std::nullopt;
}

std::optional<std::int64_t> JsonCursor::IntegerIn(std::int64_t low, std::int64_t high) const {
  const std::optional<std::int64_t> integer = Integer();
  if (integer.has_value() && (*integer < low || *integer > high)) {
    ReportExpected("an integer from " + std::to_string(low) + " to " + std::to_string(high));
    return std::nullopt;
  }
  return integer;
}

std::optional<double> JsonCursor::Number() const {
  switch (kind()) {
    case JsonKind::kInteger:
      return static_cast<double>(node().integer);
    case JsonKind::kFloat:
      return node().number;
    case JsonKind::kBigInteger:
      ReportExpected("an integer that fits int64, or a number with a point or an exponent");
      return std::nullopt;
    default:
      ReportExpected("a number");
      return std::nullopt;
  }
}

std::optional<bool> JsonCursor::Bool() const {
  if (!Is(JsonKind::kBool, "true or false")) {
    return std::nullopt;
  }
  return node().integer != 0;
}

std::optional<std::string_view> JsonCursor::Text() const {
  if (!Is(JsonKind::kString, "a text")) {
    return std::nullopt;
  }
  if (node().has_nul) {
    Report("found a text that holds NUL, expected none");
    return std::nullopt;
  }
  return tree_.View(node().text);
}

std::optional<std::string_view> JsonCursor::Name() const {
  const std::optional<std::string_view> text = Text();
  if (text.has_value() && text->empty()) {
    ReportExpected("a text that is not empty");
    return std::nullopt;
  }
  return text;
}

void JsonCursor::ReportExpected(const std::string& expected) const {
  Report("found " + FoundText() + ", expected " + expected);
}

bool JsonCursor::Is(JsonKind kind, const char* expected) const {
  if (node().kind != kind) {
    ReportExpected(expected);
  }
  return node().kind == kind;
}

std::string JsonCursor::FoundText() const {
  switch (kind()) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBool:
      return node().integer != 0 ? "true" : "false";
    case JsonKind::kInteger:
      return std::to_string(node().integer);
    case JsonKind::kBigInteger:
      return "an integer beyond int64";
    case JsonKind::kFloat:
      return NumberText(node().number);
    case JsonKind::kString:
      return Quoted(tree_.View(node().text));
    case JsonKind::kArray:
      return "an array";
    case JsonKind::kObject:
      return "an object";
  }
  return "";
}

// Also reports keys that hold NUL.
void JsonCursor::ReportDuplicateKeys() const {
  std::vector<std::string_view> keys;
  for (std::uint32_t child = node_ + 1; child < node().end; child = tree_.nodes[child].end) {
    keys.push_back(tree_.View(tree_.nodes[child].key));
    if (keys.back().find('\0') != std::string_view::npos) {
      Report("found a key that holds NUL, expected none");
    }
  }
  std::ranges::sort(keys);
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i] == keys[i - 1]) {
      Report("found the key " + Quoted(keys[i]) + " twice, expected it once");
    }
  }
}

void ReportUnknownKey(const JsonCursor& object,
                      std::string_view key,
                      const std::vector<std::string>& known) {
  if (object.is_silent()) {
    object.diagnostics().AddError("", "");
    return;
  }
  object.Report("found the unknown key " + Quoted(key) + ", expected " +
                JoinNames(known, known.size()) + DidYouMean(std::string(key), known));
}

}  // namespace opyard::sim
