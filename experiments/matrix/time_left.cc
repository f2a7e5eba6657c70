#include "experiments/matrix/time_left.h"

#include <algorithm>
#include <cmath>

#include "experiments/text/number_format.h"

namespace opyard::experiments {

TimeLeft::TimeLeft(const MatrixStart& start) : num_jobs_(std::max<std::size_t>(1, start.num_jobs)) {
  for (const MatrixStart::Spent& spent : start.done) {
    ++agents_[spent.agent].num_done;
    agents_[spent.agent].done_s += spent.seconds;
  }
  for (const std::string& agent : start.missing) {
    ++agents_[agent].num_missing;
  }
}

void TimeLeft::Finish(const std::string& agent, double seconds) {
  Agent& of_agent = agents_[agent];
  ++of_agent.num_done;
  of_agent.done_s += seconds;
  of_agent.num_missing -= std::min<std::size_t>(1, of_agent.num_missing);
}

std::optional<TimeLeft::Estimate> TimeLeft::Get(double running_s) const {
  Estimate estimate;
  std::size_t num_missing = 0;
  bool is_known_of_any = false;
  for (const auto& [label, agent] : agents_) {
    num_missing += agent.num_missing;
    if (agent.num_missing > 0 && agent.num_done == 0) {
      estimate.is_whole = false;
    } else if (agent.num_missing > 0) {
      is_known_of_any = true;
      estimate.seconds += agent.done_s / static_cast<double>(agent.num_done) *
                          static_cast<double>(agent.num_missing);
    }
  }
  if (!is_known_of_any) {
    return std::nullopt;
  }
  estimate.seconds = std::max(0.0, estimate.seconds - running_s) /
                     static_cast<double>(std::min(num_jobs_, num_missing));
  return estimate;
}

std::string TextOf(const TimeLeft::Estimate& estimate) {
  constexpr double kMinute = 60.0;
  constexpr double kHour = 3600.0;
  const double seconds = estimate.seconds;
  std::string time;
  if (seconds < kMinute) {
    time = Fixed(std::ceil(seconds), 0) + " s";
  } else if (seconds < kHour) {
    time = Fixed(std::ceil(seconds / kMinute), 0) + " min";
  } else {
    time = Fixed(seconds / kHour, 1) + " h";
  }
  return (estimate.is_whole ? "about " : "at least ") + time + " left";
}

}  // namespace opyard::experiments
