#include "agents/search/brkga/brkga.h"

#include <utility>

#include "agents/base/make_entry.h"
#include "agents/genetic/brkga_search.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/search/brkga/brkga_settings.h"
#include "agents/search/brkga/tuned_settings.h"

namespace opyard::agents {
namespace {

void SearchByBrkga(const BrkgaSettings& settings,
                   const env::Problem& problem,
                   env::Evaluator& evaluator,
                   Rng& rng,
                   const SearchContext& context) {
  const GeneLayout layout(problem, settings.search.genes);
  BrkgaSearch(settings.search, SamplerOf(problem, layout, settings.betas))
      .Search(problem, evaluator, rng, ToDecisions(problem, context.start));
}

class Brkga final : public Agent {
 public:
  explicit Brkga(const BrkgaSettings& settings) : settings_(settings) {
    static_cast<void>(BrkgaSearch(settings.search));  // refuses what it cannot search with
  }

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    SearchByBrkga(settings_, problem, evaluator, rng, context);
  }

 private:
  BrkgaSettings settings_;
};

// `brkga` as a file of settings has it.
class BrkgaTuned final : public Agent {
 public:
  explicit BrkgaTuned(const TunedOptions& options)
      : for_peak_memory_(ReadTunedSettings(TunedFile(options, TunedFor::kPeakMemory))),
        for_makespan_(ReadTunedSettings(TunedFile(options, TunedFor::kMakespan))) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    const bool is_memory = problem.objective().kind == env::ObjectiveKind::kPeakMemory;
    SearchByBrkga(is_memory ? for_peak_memory_ : for_makespan_, problem, evaluator, rng, context);
  }

 private:
  BrkgaSettings for_peak_memory_;
  BrkgaSettings for_makespan_;
};

AgentInfo BrkgaInfo() {
  return {.name = "brkga",
          .kind = AgentKind::kSearch,
          .tasks = {"placement", "scheduling", "fusion"},
          .paper = "Gonçalves and Resende, J. Heuristics 2011",
          .summary =
              "Genetic algorithm with biased random keys: an affinity per group and device, "
              "a priority per group and, if wanted, per copy.",
          .deviations = {
              "The genes are those of REGAL (Paliwal et al., ICLR 2020), per group, and one for "
              "fusion; the tensors of a group share one per device (`transfer_genes`).",
              "The first population holds the rules' plans, from the best of whose order of ops "
              "priorities are then counted, in twenty levels; {start: random} leaves them out.",
              "Without population and with less than 2,000 evaluations left, the population "
              "is a twentieth of them: many generations rather than few."}};
}

}  // namespace

AgentEntry BrkgaEntry() {
  return MakeEntry<Brkga>(BrkgaInfo(), BrkgaTable());
}

AgentEntry Brkga5kEntry() {
  AgentInfo info = BrkgaInfo();
  info.name = "brkga_5k";
  info.paper = "Paliwal et al., ICLR 2020";
  info.summary =
      "BRKGA as REGAL is measured against, with 5,000 evaluations: `brkga` with start: random, "
      "population: 100, elite_share: 0.2, mutant_share: 0.15.";
  info.deviations = {"Of REGAL's BRKGA only the number of decodes is published, not its settings.",
                     info.deviations.front()};
  return MakeEntry<Brkga>(std::move(info),
                          BrkgaTable().WithDefaults({.search = {.population = 100,
                                                                .elite_share = 0.2,
                                                                .mutant_share = 0.15,
                                                                .start = Start::kRandom},
                                                     .betas = {}}));
}

AgentEntry BrkgaTunedEntry() {
  AgentInfo info = BrkgaInfo();
  info.name = "brkga_tuned";
  info.paper = "Paliwal et al., ICLR 2020";
  info.summary =
      "BRKGA with parameters and Beta distributions, the same for all graphs, that `opyard tune` "
      "found on other graphs: `brkga` with the parameters of a file.";
  info.start = "random";
  info.deviations = {info.deviations.front(),
                     "REGAL's tuned values and how they were found are not published.",
                     "A distribution that all priorities have, or the affinities to all devices, "
                     "would change no decode; only those that can are tuned."};
  AgentEntry entry = MakeEntry<BrkgaTuned>(std::move(info), TunedOptionTable());
  entry.start_of = [](Options& options) {
    const TunedOptions tuned = TunedOptionTable().Read(options);
    return StartWords().NameOf(
        ReadTunedSettings(TunedFile(tuned, TunedFor::kMakespan)).search.start);
  };
  return entry;
}

}  // namespace opyard::agents
