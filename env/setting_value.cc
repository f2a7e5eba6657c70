#include "env/setting_value.h"

#include <algorithm>

namespace opyard::env {
namespace {

struct TextOf {
  std::string operator()(std::monostate /*nothing*/) const { return ""; }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::int64_t count) const { return std::to_string(count); }
  std::string operator()(const std::string& word) const { return word; }
  std::string operator()(const std::vector<std::string>& names) const { return JoinedNames(names); }
  std::string operator()(const WrittenWeights& written) const {
    std::string text = "weighted";
    for (const WrittenWeight& weight : written.weights) {
      text += ":" + ToText(weight.value);
    }
    return text;
  }
};

}  // namespace

std::string SettingText(const SettingValue& value) {
  return std::visit(TextOf(), value);
}

std::vector<std::string> SplitText(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> SplitNames(const std::string& text) {
  return SplitText(text, ',');
}

std::string JoinedNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ",") + name;
  }
  return text;
}

}  // namespace opyard::env
