// BRKGA as a search that agents run with genes sampled as they like.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agents/base/decisions.h"
#include "agents/genetic/brkga_options.h"
#include "agents/genetic/gene_codec.h"
#include "agents/genetic/gene_sampler.h"
#include "agents/genetic/population.h"
#include "agents/planning/encoding/fitness.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

struct EvaluatedDecisions {
  Decisions decisions;
  Fitness fitness;
};

// Gonçalves and Resende, "Biased random-key genetic algorithms for combinatorial optimization"
// (J. Heuristics 2011), over the genes of gene_layout.h. A generation copies the elites, samples
// mutants afresh, and fills up with children of one elite and one non-elite parent (population.h).
//
// Elites are not evaluated again: every decode is one evaluation, and with a population of 100, 20
// elites and 15 mutants, k generations after the first cost 100 + 80·k of them. A generation is one
// batch, whose members are bred, decoded and evaluated on the evaluator's threads; each samples
// from a generator of its own, so that the result does not depend on the number of threads.
//
// Plans to begin at are evaluated as they are, so that the search is never worse than they. The
// best of them, half of the first population at most, enter it as genes. The priorities of these
// genes are counted from the order of ops of the best plan, if it has one (gene_codec.h).
class BrkgaSearch {
 public:
  // `sampler` samples the first population, but for the starts, and the mutants. Throws InputError
  // for a population of 1, InternalError for what the option table would not let through.
  explicit BrkgaSearch(const BrkgaOptions& options, GeneSampler sampler = {});

  // Searches until the evaluator is done; where only one plan exists, that is evaluated once.
  // `start`, if there is one, is evaluated first, in place of what options.start names. Samples
  // from `rng`. REQUIRES: the sampler is uniform, or has GeneLayout(problem,
  // options.genes).num_genes() genes.
  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const std::optional<Decisions>& start = std::nullopt) const;

  [[nodiscard]] const BrkgaOptions& options() const { return options_; }

 private:
  [[nodiscard]] PopulationShape Shape(const env::Evaluator& evaluator) const;
  // Where to begin, not yet evaluated.
  [[nodiscard]] std::vector<Decisions> Starts(const env::Problem& problem,
                                              const env::Evaluator& evaluator,
                                              const std::optional<Decisions>& given,
                                              Rng& rng) const;
  // Fewer members than a population has only when the budget ended. `starts` come as they were
  // evaluated, the best first.
  [[nodiscard]] std::vector<Member> FirstPopulation(const GeneCodec& codec,
                                                    std::size_t size,
                                                    std::span<const EvaluatedDecisions> starts,
                                                    env::Evaluator& evaluator,
                                                    Rng& rng) const;

  BrkgaOptions options_;
  GeneSampler sampler_;
};

}  // namespace opyard::agents
