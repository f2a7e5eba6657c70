#include "agents/search/brkga/population.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/base/check.h"

namespace opyard::agents {

Chromosome RandomChromosome(std::size_t num_keys, Rng& rng) {
  Chromosome keys(num_keys);
  for (float& key : keys) {
    // 24 random bits: the cast to float must not round up to 1.
    key = static_cast<float>(rng.Next() >> 40U) * 0x1p-24F;
  }
  return keys;
}

Chromosome Crossover(const Chromosome& elite,
                     const Chromosome& other,
                     double elite_bias,
                     Rng& rng) {
  Chromosome child(elite.size());
  for (std::size_t i = 0; i < child.size(); ++i) {
    child[i] = rng.Uniform() < elite_bias ? elite[i] : other[i];
  }
  return child;
}

Population::Population(PopulationShape shape, std::vector<Member> members)
    : shape_(shape), members_(std::move(members)) {
  OPYARD_CHECK(shape.num_elites >= 1 && shape.num_elites < shape.size &&
                   shape.num_elites + shape.num_mutants <= shape.size,
               "elites and mutants fit into the population, and someone is not elite");
  OPYARD_CHECK(members_.size() == shape.size, "the population is complete");
  std::ranges::stable_sort(members_, {}, &Member::fitness);
}

std::vector<Chromosome> Population::Breed(Rng& rng) const {
  const std::size_t num_children = shape_.size - shape_.num_elites - shape_.num_mutants;
  std::vector<Chromosome> newcomers;
  for (std::size_t i = 0; i < num_children; ++i) {
    const std::size_t elite = rng.Below(shape_.num_elites);
    const std::size_t other = shape_.num_elites + rng.Below(shape_.size - shape_.num_elites);
    newcomers.push_back(
        Crossover(members_[elite].keys, members_[other].keys, shape_.elite_bias, rng));
  }
  for (std::size_t i = 0; i < shape_.num_mutants; ++i) {
    newcomers.push_back(RandomChromosome(members_.front().keys.size(), rng));
  }
  return newcomers;
}

void Population::Replace(std::vector<Member> newcomers) {
  OPYARD_CHECK(newcomers.size() == shape_.size - shape_.num_elites,
               "everyone but the elites is new");
  members_.resize(shape_.num_elites);
  std::ranges::move(newcomers, std::back_inserter(members_));
  std::ranges::stable_sort(members_, {}, &Member::fitness);
}

}  // namespace opyard::agents
