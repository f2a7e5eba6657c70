// References that the rewards of learning agents are measured against (docs/formats.md,
// "Experiment"): T_ref, made by the baseline and paid by nobody's budget.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agents/base/search_run.h"
#include "agents/registry.h"
#include "env/problem.h"
#include "experiments/matrix/baseline_search.h"
#include "experiments/store/run_record.h"

namespace opyard::experiments {

// A problem with its reference, and what that took.
struct ReferencedProblem {
  std::shared_ptr<const env::Problem> problem;
  ReferenceRecord record;
};

// True if the agent is given rewards: if it learns.
[[nodiscard]] bool NeedsReference(const std::string& agent, const agents::AgentRegistry& registry);

// `problem` measured against a search of the baseline, or against the rule-based plans of
// env::FindReference, which are simulated then, if it found no feasible plan.
[[nodiscard]] ReferencedProblem Referenced(const env::Problem& problem,
                                           const BaselineSearch& search);
// The same for a run of the baseline.
[[nodiscard]] ReferencedProblem Referenced(const env::Problem& problem, const RunRecord& baseline);
// The same for what a run on the problem was measured against.
[[nodiscard]] ReferencedProblem Referenced(const env::Problem& problem,
                                           const ReferenceRecord& record);

// A run that belongs to no experiment.
struct LoneSearch {
  agents::SearchResult result;
  std::optional<ReferenceRecord> reference;  // of its rewards; nothing for one without rewards
};

// agents::RunSearch for one run that belongs to no experiment. If its agent learns, the reference
// is first made by `single_device`, the default baseline, with the same budget and seed 0; or it is
// `score`, in the units of the objective, if that is given. Throws InputError for a makespan that
// is none.
[[nodiscard]] LoneSearch RunLoneSearch(agents::SearchRequest request,
                                       std::optional<double> score,
                                       const agents::AgentRegistry& registry);

}  // namespace opyard::experiments
