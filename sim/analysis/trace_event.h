// The text of trace events, which are JSON objects.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/units.h"

namespace opyard::sim {

// `text` as a JSON string; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string JsonText(std::string_view text);

// Whole nanoseconds as microseconds: "12.003".
[[nodiscard]] std::string Microseconds(std::int64_t nanoseconds);

// A JSON object that grows by fields.
class ObjectText {
 public:
  void AddText(std::string_view key, std::string_view value) { AddRaw(key, JsonText(value)); }
  void AddNumber(std::string_view key, std::int64_t value) { AddRaw(key, std::to_string(value)); }
  void AddTime(std::string_view key, SimTime value) { AddNumber(key, value.picoseconds); }
  // `json` is the text of a JSON value.
  void AddRaw(std::string_view key, std::string_view json);
  [[nodiscard]] std::string Text() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

// The members of all events: phase ("X" for a span), name, and track as process and thread.
[[nodiscard]] ObjectText Event(const char* phase,
                               std::string_view name,
                               std::int32_t pid,
                               std::int32_t tid);

}  // namespace opyard::sim
