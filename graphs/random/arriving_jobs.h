// Jobs that arrive one after another, as parts of one graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/options.h"
#include "sim/base/rng.h"
#include "sim/base/units.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// key            default  range      meaning
// jobs           1        1 … 1,000  independent graphs in one, each of `n` ops
// interarrival   0        0 … 3,600  mean seconds from one job's arrival to the next
struct ArrivalOptions {
  std::int64_t num_jobs = 1;
  double interarrival_s = 0;
};

// Throws InputError for a value out of range, and for more than `most_ops` ops in all jobs of
// `num_ops` each.
[[nodiscard]] ArrivalOptions ReadArrivalOptions(Options& options,
                                                std::int64_t num_ops,
                                                std::int64_t most_ops);

// The release of each job: 0 for the first, then a Poisson process, whose gaps are exponential.
[[nodiscard]] std::vector<SimTime> SampleReleases(const ArrivalOptions& options, Rng rng);

// Appends `job` to `ops`: names get `prefix`, indices count from the first op of the job, and no op
// is ready before `release`.
void AppendJob(std::vector<sim::OpSpec> job,
               const std::string& prefix,
               SimTime release,
               std::vector<sim::OpSpec>& ops);

}  // namespace opyard::graphs
