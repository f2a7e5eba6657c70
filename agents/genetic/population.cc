#include "agents/genetic/population.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "sim/base/check.h"

namespace opyard::agents {

Chromosome Crossover(std::span<const float> elite,
                     std::span<const float> other,
                     double elite_bias,
                     Rng& rng) {
  // Each word of the generator decides two genes.
  const auto bound = static_cast<std::uint64_t>(std::llround(elite_bias * 0x1p32));
  Chromosome child(elite.size());
  std::size_t i = 0;
  for (; i + 1 < child.size(); i += 2) {
    const std::uint64_t bits = rng.Next();
    child[i] = bits >> 32U < bound ? elite[i] : other[i];
    child[i + 1] = static_cast<std::uint32_t>(bits) < bound ? elite[i + 1] : other[i + 1];
  }
  if (i < child.size()) {
    child[i] = rng.Next() >> 32U < bound ? elite[i] : other[i];
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

std::vector<Newcomer> Population::Breed(Rng& rng) const {
  const std::size_t num_newcomers = shape_.size - shape_.num_elites;
  const std::size_t num_children = num_newcomers - shape_.num_mutants;
  const Rng generation(rng.Next());
  std::vector<Newcomer> newcomers;
  for (std::size_t i = 0; i < num_newcomers; ++i) {
    newcomers.push_back({.parents = std::nullopt, .rng = generation.Fork(i)});
    if (i < num_children) {
      const std::size_t elite = rng.Below(shape_.num_elites);
      newcomers.back().parents = {
          .elite = elite, .other = shape_.num_elites + rng.Below(shape_.size - shape_.num_elites)};
    }
  }
  return newcomers;
}

Chromosome Population::GenesOf(const Newcomer& newcomer, const GeneSampler& sampler) const {
  Rng rng = newcomer.rng;
  if (!newcomer.parents.has_value()) {
    return sampler.Sample(members_.front().genes.size(), rng);
  }
  return Crossover(members_[newcomer.parents->elite].genes,
                   members_[newcomer.parents->other].genes,
                   shape_.elite_bias,
                   rng);
}

void Population::Replace(std::vector<Member> newcomers) {
  OPYARD_CHECK(newcomers.size() == shape_.size - shape_.num_elites,
               "everyone but the elites is new");
  members_.resize(shape_.num_elites);
  std::ranges::move(newcomers, std::back_inserter(members_));
  std::ranges::stable_sort(members_, {}, &Member::fitness);
}

}  // namespace opyard::agents
