#include "agents/portfolio/auto/auto.h"

#include <memory>
#include <string>
#include <utility>

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/portfolio/auto/account.h"
#include "agents/portfolio/auto/auto_search.h"

namespace opyard::agents {
namespace {

OptionTable<AutoSettings> AutoOptions() {
  return OptionTable<AutoSettings>(
      {{.name = "probe_fraction",
        .field = Real(&AutoSettings::probe_fraction, 0.001, 0.5),
        .meaning = "share of the budget that each search is given before they are compared, and "
                   "the least that one is given later"},
       {.name = "start",
        .field = Word(&AutoSettings::start, StartWords()),
        .meaning = "what the searches begin at the best of: the plans of all rules, partitioners "
                   "and list schedulers (rules); " +
                   SimpleStartMeaning() + "; or a random plan (random)"}});
}

class Auto final : public Agent {
 public:
  using Members = std::shared_ptr<const std::vector<AgentEntry>>;

  Auto(const AutoSettings& settings, Members members)
      : settings_(settings), members_(std::move(members)) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    if (context.start.has_value() || HasOnePlan(problem)) {
      evaluator.Evaluate(context.start.value_or(ToPlan(problem, {})));
    }
    if (HasOnePlan(problem)) {
      return;
    }
    AutoSearch search(settings_, *members_, problem, evaluator, rng);
    if (settings_.start == Start::kHeuristics || !context.start.has_value()) {
      search.EvaluateHeuristics();
    }
    search.RunSearches();
    const std::string text = TextOf(search.TakeAccount());
    if (context.report && !text.empty()) {
      context.report(text);
    }
  }

 private:
  AutoSettings settings_;
  Members members_;
};

}  // namespace

AgentEntry AutoEntry(std::vector<AgentEntry> members) {
  return MakeEntry(
      {.name = "auto",
       .kind = AgentKind::kSearch,
       .tasks = {"placement", "scheduling", "fusion"},
       .paper = "",
       .summary = "A portfolio: rules, partitioners and list schedulers first, then searches from "
                  "the best of their plans, the budget shared by what has paid off."},
      AutoOptions(),
      [shared = std::make_shared<const std::vector<AgentEntry>>(std::move(members))](
          const AutoSettings& settings) { return std::make_unique<Auto>(settings, shared); });
}

}  // namespace opyard::agents
