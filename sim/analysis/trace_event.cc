#include "sim/analysis/trace_event.h"

#include <nlohmann/json.hpp>

namespace opyard::sim {

std::string JsonText(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string Microseconds(std::int64_t nanoseconds) {
  std::string text = std::to_string(nanoseconds / 1000);
  if (const std::int64_t rest = nanoseconds % 1000; rest != 0) {
    const std::string digits = std::to_string(rest);
    text += "." + std::string(3 - digits.size(), '0') + digits;
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

void ObjectText::AddRaw(std::string_view key, std::string_view json) {
  text_ += text_.size() == 1 ? "\"" : ",\"";
  text_.append(key).append("\":").append(json);
}

ObjectText Event(const char* phase, std::string_view name, std::int32_t pid, std::int32_t tid) {
  ObjectText event;
  event.AddText("ph", phase);
  event.AddText("name", name);
  event.AddNumber("pid", pid);
  event.AddNumber("tid", tid);
  return event;
}

}  // namespace opyard::sim
