// XLA's HLO text, line by line: computations, instructions, their shapes and attributes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graphs/builder/shape.h"
#include "graphs/importers/common/import_summary.h"
#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

struct HloInstruction {
  std::string_view name;    // without %
  std::string_view opcode;  // "get-tuple-element"
  // The tensors of the result, nested tuples flattened; a plain result is one.
  std::vector<TensorType> outputs;
  // Of a tuple: the first of `outputs` that belongs to each of its elements.
  std::vector<std::size_t> elements;
  std::vector<std::size_t> operands;  // instructions of the same computation, all before this one
  std::string_view arguments;         // the text between the parentheses
  std::string_view attributes;        // the text after them
  bool is_root = false;
  bool is_tuple = false;
};

struct HloComputation {
  std::string_view name;
  std::vector<HloInstruction> instructions;
};

// Views of the file, which lives longer.
struct HloModule {
  std::vector<HloComputation> computations;  // in the order of the file: callees first
  std::unordered_map<std::string_view, std::size_t> index_of;  // by name
  std::size_t entry = 0;
};

// Throws InputError "FILE:LINE: found, expected". Unknown element types are counted in `summary`.
// Linear in the file's size.
[[nodiscard]] HloModule ReadHloModule(const ImportFile& file, ImportSummary& summary);

// The value of `key` in "…, key=value, …", braces included: "{1,0}". Nothing if it is not there.
[[nodiscard]] std::optional<std::string_view> FindAttribute(std::string_view attributes,
                                                            std::string_view key);
// The integers of "{0,1}", "2x2" or "7"; of pads like "1_1x0_2" all four. The first 4096 of them.
[[nodiscard]] std::vector<std::int64_t> IntegersOf(std::string_view text);

}  // namespace opyard::graphs
