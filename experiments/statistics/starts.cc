#include "experiments/statistics/starts.h"

#include <algorithm>

#include "agents/base/search_start.h"
#include "sim/base/error.h"

namespace opyard::experiments {

std::vector<StartGroup> StartGroupsOf(const std::vector<RunRecord>& runs) {
  std::vector<StartGroup> groups;
  for (const RunRecord& run : runs) {
    if (run.start.empty()) {
      continue;
    }
    auto group = std::ranges::find(groups, run.start, &StartGroup::start);
    if (group == groups.end()) {
      group = groups.insert(groups.end(), {.start = run.start, .agents = {}});
    }
    if (std::ranges::find(group->agents, run.cell.agent) == group->agents.end()) {
      group->agents.push_back(run.cell.agent);
    }
  }
  return groups;
}

std::string UnequalStartsText(const std::vector<StartGroup>& groups) {
  if (groups.size() < 2) {
    return "";
  }
  std::string text = "searches begin differently: ";
  for (const StartGroup& group : groups) {
    text += (&group == groups.data() ? "" : "; ") + JoinNames(group.agents) + " at " +
            agents::DescribeStart(group.start) + " (start: " + group.start + ")";
  }
  return text + ". What they reach also depends on that; the parameter `start` sets it";
}

}  // namespace opyard::experiments
