#include "agents/learned/go_search/declaration.h"

#include "agents/learned/go/declaration.h"

namespace opyard::agents {

namespace {

// Those of `go`, but for where it begins, and for its network, which is the trained one.
GuidedSearchSettings Defaults() {
  Options none;
  GuidedSearchSettings defaults;
  defaults.go = go::Declaration::Options().Read(none);
  defaults.go.training.mode = go::Mode::kZeroshot;
  defaults.go.training.batch_size = 8;
  defaults.go.start = Start::kHeuristics;
  return defaults;
}

}  // namespace

AgentInfo GuidedSearchDeclaration::Info() {
  return {
      .name = "go_search",
      .kind = AgentKind::kLearned,
      .tasks = {"placement", "scheduling", "fusion"},
      .paper = "",
      .summary =
          "What GO's shipped network decides for a part of the budget, then a local search from "
          "its best plan, or from one of `start` that is better, whose device moves are sampled "
          "by what the network has learnt."};
}

OptionTable<GuidedSearchSettings> GuidedSearchDeclaration::Options() {
  return OptionTable<GuidedSearchSettings>()
      .With({{.name = "share",
              .field = Real(&GuidedSearchSettings::share, 0.0, 1.0),
              .meaning = "share of the budget that GO has"},
             {.name = "search",
              .field = Word(&GuidedSearchSettings::search,
                            {{"local_search", GuidedSearchKind::kLocalSearch},
                             {"simulated_annealing", GuidedSearchKind::kAnnealing}}),
              .meaning = "the agent that goes on from its best plan, at its defaults"},
             {.name = "guided",
              .field = Flag(&GuidedSearchSettings::is_guided),
              .meaning =
                  "whether every second device move is sampled by the network's probabilities: "
                  "of a group that is where it is unlikely, to where it is likely"}})
      .With(&GuidedSearchSettings::go, go::Declaration::Options())
      .WithDefaults(Defaults());
}

}  // namespace opyard::agents
