#include "experiments/graphs/sequence_alignment.h"

#include <algorithm>

namespace opyard::experiments {
namespace {

using Sequence = std::span<const SequenceElement>;

constexpr std::size_t kMostCells = std::size_t{1} << 23U;

// Counts 1 for a pair and, all pairs together, at most 0.5 for their weights.
class Alignment {
 public:
  Alignment(Sequence a, Sequence b) : a_(a), b_(b), best_((a.size() + 1) * (b.size() + 1)) {
    for (const SequenceElement& element : a) {
      total_ += element.weight;
    }
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = b.size(); j-- > 0;) {
        Best(i, j) = std::max({Best(i + 1, j), Best(i, j + 1), WithPair(i, j)});
      }
    }
  }

  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> Pairs() {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0, j = 0; i < a_.size() && j < b_.size();) {
      if (Best(i, j) == WithPair(i, j)) {
        pairs.emplace_back(i++, j++);
      } else {
        (Best(i, j) == Best(i + 1, j) ? i : j) += 1;
      }
    }
    return pairs;
  }

 private:
  // The best value of what begins at `i` and `j`.
  double& Best(std::size_t i, std::size_t j) { return best_[(i * (b_.size() + 1)) + j]; }

  // The same with a pair of both; negative if they are none.
  double WithPair(std::size_t i, std::size_t j) {
    if (a_[i].type != b_[j].type) {
      return -1.0;
    }
    const double part = total_ > 0.0 ? a_[i].weight / total_ / 2.0 : 0.0;
    return Best(i + 1, j + 1) + 1.0 + part;
  }

  Sequence a_;
  Sequence b_;
  double total_ = 0.0;
  std::vector<double> best_;  // [a + 1, b + 1]
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> AlignSequences(Sequence a, Sequence b) {
  if (a.empty() || b.empty() || a.size() + 1 > kMostCells / (b.size() + 1)) {
    return {};
  }
  return Alignment(a, b).Pairs();
}

}  // namespace opyard::experiments
