// The genetic engine of BRKGA: vectors of random keys that breed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "agents/genetic/chromosome.h"
#include "agents/genetic/gene_sampler.h"
#include "agents/planning/encoding/fitness.h"
#include "sim/base/rng.h"

namespace opyard::agents {

struct PopulationShape {
  std::size_t size = 100;
  std::size_t num_elites = 20;   // 1 <= num_elites < size
  std::size_t num_mutants = 15;  // num_elites + num_mutants <= size
  double elite_bias = 0.7;       // a child's gene comes from its elite parent with this probability
};

struct Member {
  Chromosome genes;
  Fitness fitness;
};

// Members by their place in the population.
struct Parents {
  std::size_t elite = 0;
  std::size_t other = 0;
};

// One of the next generation before it has genes.
struct Newcomer {
  std::optional<Parents> parents;  // nothing: a mutant
  Rng rng;                         // its own, so that newcomers are made in any order
};

// Biased uniform crossover: each gene from `elite` with probability `elite_bias` (to 32 bits), else
// from `other`.
[[nodiscard]] Chromosome Crossover(std::span<const float> elite,
                                   std::span<const float> other,
                                   double elite_bias,
                                   Rng& rng);

// Members sorted by fitness, best first; equals keep their order of arrival.
class Population {
 public:
  // REQUIRES: members.size() == shape.size.
  Population(PopulationShape shape, std::vector<Member> members);

  // The newcomers of the next generation, to be evaluated: children, then mutants; in all
  // size − num_elites.
  [[nodiscard]] std::vector<Newcomer> Breed(Rng& rng) const;
  // The genes of one of them: always the same. Threads may call it together.
  [[nodiscard]] Chromosome GenesOf(const Newcomer& newcomer, const GeneSampler& sampler) const;
  // Goes to the next generation: the elites, who keep their fitness, and `newcomers`.
  // REQUIRES: newcomers.size() == size − num_elites.
  void Replace(std::vector<Member> newcomers);

  [[nodiscard]] std::span<const Member> members() const { return members_; }

 private:
  PopulationShape shape_;
  std::vector<Member> members_;
};

}  // namespace opyard::agents
