// The genetic engine of BRKGA: vectors of random keys that breed.
#pragma once

#include <span>
#include <vector>

#include "agents/planning/fitness.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// Keys in [0, 1). float: a population of 512 groups on 9 devices stays below 3 MB.
using Chromosome = std::vector<float>;

struct PopulationShape {
  std::size_t size = 100;
  std::size_t num_elites = 20;   // 1 <= num_elites < size
  std::size_t num_mutants = 15;  // num_elites + num_mutants <= size
  double elite_bias = 0.7;       // a child's key comes from its elite parent with this probability
};

struct Member {
  Chromosome keys;
  Fitness fitness;
};

[[nodiscard]] Chromosome RandomChromosome(std::size_t num_keys, Rng& rng);

// Biased uniform crossover: each key from `elite` with probability `elite_bias`, else from `other`.
[[nodiscard]] Chromosome Crossover(const Chromosome& elite,
                                   const Chromosome& other,
                                   double elite_bias,
                                   Rng& rng);

// Members sorted by fitness, best first; equals keep their order of arrival.
class Population {
 public:
  // REQUIRES: members.size() == shape.size.
  Population(PopulationShape shape, std::vector<Member> members);

  // The chromosomes that the next generation needs judged: children, then mutants;
  // size − num_elites in all.
  [[nodiscard]] std::vector<Chromosome> Breed(Rng& rng) const;
  // Goes to the next generation: the elites, who keep their fitness, and `newcomers`.
  // REQUIRES: newcomers.size() == size − num_elites.
  void Replace(std::vector<Member> newcomers);

  [[nodiscard]] std::span<const Member> members() const { return members_; }

 private:
  PopulationShape shape_;
  std::vector<Member> members_;
};

}  // namespace opyard::agents
