// Measured run times of ops: from a table or a profiler's trace onto a graph.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "experiments/graphs/profiled_types.h"
#include "experiments/graphs/timing.h"
#include "experiments/graphs/timing_match.h"
#include "sim/graph/op_graph.h"

namespace opyard::experiments {

// Reads either of two files, plain or gzip, distinguished by their first character:
// - a table with a title line, a column `op` (or `name`) and one of `seconds`, `ms`, `us`; others
//   are ignored. Its times are taken to hold launches;
// - a trace of PyTorch's profiler, an object or a bare list, as ReadProfilerTrace does.
// A byte order mark is skipped. `types` are those of the graph that the timings are for. Throws
// InputError naming the place: no such columns or several of times, a time that is negative, not
// finite or above 4.6e6 s.
[[nodiscard]] Timings ReadTimings(const std::filesystem::path& path, const ProfiledTypes& types);

// `graph` with `match.seconds`, which hold what `measured` says, as measured times for `device`, in
// place of those it had for that key. Throws InputError if times of the other kind would stand
// beside them; zeros of ops that only name data are of either.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> WithTimes(const sim::OpGraph& graph,
                                                            const TimingMatch& match,
                                                            const std::string& device,
                                                            sim::Measured measured);

}  // namespace opyard::experiments
