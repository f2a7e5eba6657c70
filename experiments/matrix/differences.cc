#include "experiments/matrix/differences.h"

#include <nlohmann/json.hpp>

#include "experiments/text/number_format.h"
#include "sim/base/error.h"

namespace opyard::experiments {

using Json = nlohmann::json;

void Differences::Add(const std::string& key, const std::string& first, const std::string& second) {
  const std::string line =
      OneLine(key + ": " + before_first_ + " " + first + ", " + before_second_ + " " + second);
  if (seen_.insert(line).second) {
    lines_.push_back(line);
  }
}

void Differences::AddJson(const std::string& key, const Json& first, const Json& second) {
  if (!first.is_object() || !second.is_object()) {
    if (first != second) {
      Add(key, TextOf(first), TextOf(second));
    }
    return;
  }
  Json both = first;
  both.update(second);
  for (const auto& [name, value] : both.items()) {
    AddJson((key.empty() ? "" : key + ".") + name,
            first.value(name, Json()),
            second.value(name, Json()));
  }
}

void Differences::ThrowIfAny(const std::string& place, const std::string& headline) const {
  if (lines_.empty()) {
    return;
  }
  Diagnostics diagnostics;
  diagnostics.AddError(place, headline);
  for (const std::string& line : lines_) {
    diagnostics.AddError(place, line);
  }
  diagnostics.ThrowIfAny();
}

Json ParseStored(const std::string& text) {
  constexpr int kDeepest = 8;
  Json json = Json::parse(
      text,
      [](int depth, Json::parse_event_t /*event*/, Json& /*value*/) { return depth <= kDeepest; },
      false);
  return json.is_discarded() ? Json(text) : json;
}

std::string TextOf(const Json& value) {
  return value.is_null() ? "none" : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace opyard::experiments
