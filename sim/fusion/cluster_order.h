// A total order of clusters in which places can be compared and changed in constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/array_index.h"

namespace opyard::sim {

// A ring of elements with ascending labels. Where two neighbours leave no label between them, the
// labels around are spread anew: the smallest aligned range of labels that is sparse enough. A move
// takes amortised O(log n) (Bender, Cole, Demaine, Farach-Colton, Zito 2002, "Two simplified
// algorithms for maintaining order in a list", section 2).
class ClusterOrder {
 public:
  // The elements 0 … n−1 in this order. REQUIRES: n < 2^25.
  void Reset(std::size_t num_elements);

  // `elements`, some of 0 … n−1, in this order; the others are out of it.
  void Reset(std::size_t num_elements, std::span<const std::int32_t> elements);

  [[nodiscard]] std::uint64_t label(std::int32_t element) const { return label_[At(element)]; }
  [[nodiscard]] bool IsBefore(std::int32_t a, std::int32_t b) const { return label(a) < label(b); }

  // Puts `elements` right behind `place` in their present order, and sorts the span by it.
  // REQUIRES: `place` is none of them.
  void MoveBehind(std::int32_t place, std::span<std::int32_t> elements);
  // The same, right before `place`. REQUIRES: all of them are behind it.
  void MoveBefore(std::int32_t place, std::span<std::int32_t> elements);

  // Takes `element` out of the order.
  void Remove(std::int32_t element);
  // `elements`, of which none but `other` is in the order, take the place of `other`, which leaves
  // it unless it is one of them.
  void ReplaceByAll(std::int32_t other, std::span<const std::int32_t> elements);
  // `element`, which is in the order, takes the place of `other`, which leaves it.
  void Replace(std::int32_t other, std::int32_t element);

  // Calls visit(element) for each element in order.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    const auto end = static_cast<std::int32_t>(next_.size()) - 1;
    for (std::int32_t e = next_[At(end)]; e != end; e = next_[At(e)]) {
      visit(e);
    }
  }

 private:
  [[nodiscard]] std::int32_t end() const { return static_cast<std::int32_t>(next_.size()) - 1; }
  [[nodiscard]] std::uint64_t FreeLabelsBehind(std::int32_t place) const;
  void InsertBehind(std::int32_t place, std::int32_t element, std::uint64_t distance);
  void InsertAllBehind(std::int32_t place, std::span<const std::int32_t> elements);
  void SpreadLabelsAround(std::int32_t place);

  // The element n stands for both ends of the order; its label is the least.
  std::vector<std::int32_t> next_;
  std::vector<std::int32_t> previous_;
  std::vector<std::uint64_t> label_;
};

}  // namespace opyard::sim
