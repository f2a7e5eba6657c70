#include "graphs/random/arriving_jobs.h"

#include <cmath>
#include <utility>

#include "sim/base/error.h"

namespace opyard::graphs {

ArrivalOptions ReadArrivalOptions(Options& options, std::int64_t num_ops, std::int64_t most_ops) {
  const ArrivalOptions read{.num_jobs = options.Int("jobs", 1, 1, 1000),
                            .interarrival_s = options.Double("interarrival", 0, 0, 3600)};
  if (read.num_jobs > most_ops / num_ops) {
    throw InputError("option jobs: found " + std::to_string(read.num_jobs) + " jobs of " +
                     std::to_string(num_ops) + " ops, expected at most " +
                     std::to_string(most_ops) + " ops in all");
  }
  return read;
}

std::vector<SimTime> SampleReleases(const ArrivalOptions& options, Rng rng) {
  std::vector<SimTime> releases(1);
  for (std::int64_t job = 1; job < options.num_jobs; ++job) {
    const double gap_s = -std::log(1.0 - rng.Uniform()) * options.interarrival_s;
    releases.push_back(releases.back() + SimTime::FromSeconds(gap_s));
  }
  return releases;
}

void AppendJob(std::vector<sim::OpSpec> job,
               const std::string& prefix,
               SimTime release,
               std::vector<sim::OpSpec>& ops) {
  const auto first = static_cast<std::int64_t>(ops.size());
  for (sim::OpSpec& op : job) {
    op.name = prefix + op.name;
    op.release = release;
    for (sim::InputRef& input : op.inputs) {
      input.op += first;
    }
    for (std::int64_t& before : op.control_inputs) {
      before += first;
    }
    ops.push_back(std::move(op));
  }
}

}  // namespace opyard::graphs
