// Types of HLO values: "f32[2,3]{1,0}" and tuples of them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/builder/shape.h"
#include "graphs/importers/hlo/hlo_scanner.h"

namespace opyard::graphs {

// A range of the tensors of a type.
struct TensorRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

struct HloType {
  // Nested tuples flattened; a plain type is one tensor.
  std::vector<TensorType> tensors;
  // For a tuple, the first of `tensors` that belongs to each of its elements.
  std::vector<std::size_t> elements;
  std::string_view text;  // as it stands in the file
  bool is_tuple = false;
  bool has_bounds = false;   // extents like <=16, which were taken as their bounds
  bool has_unknown = false;  // extents that are ?
};

struct HloTypeOptions {
  std::optional<std::int64_t> unknown_extent;  // of ?
  std::size_t most_tensors = 0;                // in one type
};

// The reason why a type could not be read: what was found, and what was expected.
struct HloTypeProblem {
  std::string found;
  std::string expected;
};

// Takes a type, or returns why there is none.
[[nodiscard]] std::optional<HloTypeProblem> TakeType(HloScanner& scanner,
                                                     const HloTypeOptions& options,
                                                     HloType& type);

// The tensors of element `index` of a tuple; nothing if it has no such element.
[[nodiscard]] std::optional<TensorRange> TensorsOfElement(const HloType& type, std::size_t index);
// The tensors at `path`, "{1,0}" being element 0 of element 1. Nothing if there is no such place.
[[nodiscard]] std::optional<TensorRange> TensorsAt(const HloType& type,
                                                   std::span<const std::int64_t> path);

}  // namespace opyard::graphs
