#include "experiments/cli/json/graph_annotate_answer.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace opyard::experiments {

namespace {

using Json = nlohmann::ordered_json;

// The names, sorted.
std::vector<std::string> NamesOf(const std::vector<UnmatchedTimings>& unmatched) {
  std::vector<std::string> names;
  for (const UnmatchedTimings& timings : unmatched) {
    names.push_back(timings.name);
  }
  std::ranges::sort(names);
  return names;
}

Json UnmatchedJson(const TimingMatch& match) {
  Json list = Json::array();
  for (const UnmatchedTimings& timings : match.unmatched) {
    const double share = match.total_s > 0.0 ? timings.seconds / match.total_s : 0.0;
    list.push_back({{"name", timings.name},
                    {"timings", timings.num_timings},
                    {"seconds", timings.seconds},
                    {"share", share}});
  }
  return list;
}

}  // namespace

double Annotation::UnmatchedSeconds() const {
  double seconds = 0.0;
  for (const UnmatchedTimings& timings : match.unmatched) {
    seconds += timings.seconds;
  }
  return seconds;
}

std::string GraphAnnotateJson(const Annotation& annotation) {
  const Json json = {{"ops", annotation.num_ops},
                     {"timings", annotation.num_timings},
                     {"measured", sim::NameOf(annotation.measured)},
                     {"matched_by_name", annotation.match.num_by_name},
                     {"matched_by_order", annotation.match.num_by_order},
                     {"matched_by_neighbours", annotation.match.num_by_neighbours},
                     {"seconds", annotation.match.total_s},
                     {"unmatched_seconds", annotation.UnmatchedSeconds()},
                     {"lost_kernels", annotation.num_lost},
                     {"untimed_ops", annotation.untimed},
                     {"untimed_flops", annotation.untimed_flops},
                     {"untimed_bytes", annotation.untimed_bytes},
                     {"unmatched_timings", NamesOf(annotation.match.unmatched)},
                     {"unmatched", UnmatchedJson(annotation.match)}};
  return json.dump();
}

}  // namespace opyard::experiments
