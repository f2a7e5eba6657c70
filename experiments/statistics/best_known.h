// The best plans that are known, one per problem: the table of a folder that holds them
// (docs/formats.md, "Best known plans").
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/problem.h"
#include "sim/base/error.h"
#include "sim/base/units.h"

namespace opyard::experiments {

// A problem in the words in which it is asked (env/problem_words.h): equal words, equal problem.
// Units of decision are left out: they change what a search tries, not what a plan is worth.
struct ProblemWords {
  std::string graph;  // references
  std::string machine;
  std::string tasks;      // "placement,scheduling"
  std::string objective;  // "makespan"
  std::string queue;      // of plans that decide no priorities
  std::string fusion;     // of plans that decide no fusion
  friend auto operator<=>(const ProblemWords&, const ProblemWords&) = default;
};

// `words` as they are printed, however they were spelt. Adds to `diagnostics` what is none of them.
[[nodiscard]] ProblemWords CanonicalWords(const ProblemWords& words,
                                          const std::string& place,
                                          Diagnostics& diagnostics);

// The worth of a plan, which completes.
struct PlanWorth {
  SimTime makespan;
  double score = 0.0;  // in the units of the objective
};

struct BestKnownPlan {
  ProblemWords problem;
  std::string graph_sha256;    // Fingerprint of the graph
  std::string machine_sha256;  // Fingerprint of the machine
  PlanWorth best;
  std::optional<PlanWorth> expert;  // human_expert's, if its plan completes
  SimTime lower_bound;              // of the makespan: no plan of the problem is faster
  std::string agent;                // the label of the run that found it
  std::int64_t seed = 0;
  std::int64_t evaluations = 0;  // that it had made by then
  std::string version;           // of opyard
  std::string reproduce;         // the command that repeats the run
  std::string file;              // of the plan, "plans/NAME"
  // All that was asked, by name: rules, whose seeds do not count, and what searches or learns, each
  // seed with the most evaluations it was given.
  std::set<std::string> rules;
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> searches;
};

// The effort of the searches behind a best known plan.
struct SearchEffort {
  std::size_t num_agents = 0;                     // rules included
  std::size_t num_seeds = 0;                      // the least of any search; 0 without searches
  std::optional<std::int64_t> least_evaluations;  // of any search and seed
};
[[nodiscard]] SearchEffort EffortOf(const BestKnownPlan& plan);

inline constexpr const char* kBestKnownFile = "best_known.csv";

// The table that `path` means: itself if it ends in .csv, or that of a folder which is no results
// folder of `opyard run`. Nothing if it is neither.
[[nodiscard]] std::optional<std::filesystem::path> FindBestKnown(const std::filesystem::path& path);

// Reads a table; columns may stand in any order, and others are ignored. Throws InputError listing
// what is wrong with it, each with its line: a column that is missing, a word or number that is
// none, a problem that stands there twice, a plan outside of plans/.
[[nodiscard]] std::vector<BestKnownPlan> ReadBestKnown(const std::filesystem::path& path);
[[nodiscard]] std::vector<BestKnownPlan> ReadBestKnownText(std::string_view text,
                                                           const std::string& place);

// The table as ReadBestKnown reads it.
[[nodiscard]] std::string BestKnownCsv(const std::vector<BestKnownPlan>& plans);

// REQUIRES: `words` as CanonicalWords answers them.
[[nodiscard]] env::ProblemSpec SpecOf(const ProblemWords& words,
                                      std::shared_ptr<const sim::OpGraph> graph,
                                      std::shared_ptr<const sim::HardwareProfile> hardware);

}  // namespace opyard::experiments
