#include "agents/learned/go_search/declaration.h"

#include "agents/learned/go/declaration.h"

namespace opyard::agents::go_search {

namespace {

// Those of `go`, but for where it begins, and for its network, which is the trained one.
Settings Defaults() {
  Options none;
  Settings defaults;
  defaults.go = go::Declaration::Options().Read(none);
  defaults.go.training.mode = go::Mode::kZeroshot;
  defaults.go.training.batch_size = 8;
  defaults.go.start = Start::kHeuristics;
  return defaults;
}

}  // namespace

AgentInfo Declaration::Info() {
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

OptionTable<Settings> Declaration::Options() {
  return OptionTable<Settings>()
      .With({{.name = "share",
              .field = Real(&Settings::share, 0.0, 1.0),
              .meaning = "share of the budget that GO has"},
             {.name = "search",
              .field = Word(&Settings::search,
                            {{"local_search", SearchKind::kLocalSearch},
                             {"simulated_annealing", SearchKind::kAnnealing}}),
              .meaning = "the agent that goes on from its best plan, at its defaults"},
             {.name = "guided",
              .field = Flag(&Settings::is_guided),
              .meaning =
                  "whether every second device move is sampled by the network's probabilities: "
                  "of a group that is where it is unlikely, to where it is likely"}})
      .With(&Settings::go, go::Declaration::Options())
      .WithDefaults(Defaults());
}

}  // namespace opyard::agents::go_search
