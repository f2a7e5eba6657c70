#include "agents/search/brkga/brkga.h"

#include <utility>

#include "agents/base/make_entry.h"
#include "agents/genetic/brkga_options.h"
#include "agents/genetic/brkga_search.h"

namespace opyard::agents {
namespace {

class Brkga final : public Agent {
 public:
  explicit Brkga(const BrkgaOptions& options) : search_(options) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    search_.Search(problem, evaluator, rng, context.start);
  }

 private:
  BrkgaSearch search_;
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
              "The first population holds the rules' plans; {start: random} leaves them out.",
              "Without population and with less than 2,000 evaluations left, the population "
              "is a twentieth of them: many generations rather than few."}};
}

}  // namespace

AgentEntry BrkgaEntry() {
  return MakeEntry<Brkga>(BrkgaInfo(), BrkgaOptionTable());
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
  return MakeEntry<Brkga>(
      std::move(info),
      BrkgaOptionTable().WithDefaults(
          {.population = 100, .elite_share = 0.2, .mutant_share = 0.15, .start = Start::kRandom}));
}

}  // namespace opyard::agents
