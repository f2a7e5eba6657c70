#include "agents/base/search_start.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

namespace opyard::agents {
namespace {

constexpr const char* kOption = "start";

}  // namespace

std::string StartOf(const AgentEntry& entry, const Options& params) {
  if (entry.start_of != nullptr) {
    Options given = params;
    return entry.start_of(given);
  }
  const auto found = params.values().find(kOption);
  const bool is_option =
      std::ranges::find(entry.info.options, kOption, &OptionInfo::name) != entry.info.options.end();
  return is_option && found != params.values().end() ? ToText(found->second) : entry.info.start;
}

std::string DescribeStart(const std::string& start) {
  constexpr std::array<std::pair<std::string_view, const char*>, 5> kMeanings = {
      {{"rules", "plans of heuristics"},
       {"simple", "plans on one device and contiguous splits"},
       {"single_device", "plans on one device"},
       {"random", "random plans"},
       {"network", "plans that its network samples"}}};
  const auto* const found =
      std::ranges::find(kMeanings, start, &std::pair<std::string_view, const char*>::first);
  return found != kMeanings.end() ? found->second : start;
}

AgentInfo WithOptions(AgentInfo info, std::vector<OptionInfo> options) {
  info.options = std::move(options);
  const auto found = std::ranges::find(info.options, kOption, &OptionInfo::name);
  if (info.start.empty() && found != info.options.end()) {
    info.start = ToText(found->default_value);
  }
  return info;
}

}  // namespace opyard::agents
