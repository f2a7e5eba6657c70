// XLA's HLO text as it stands: the module's header, its computations and their instructions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graphs/importers/common/import_summary.h"
#include "graphs/importers/common/importer.h"
#include "graphs/importers/hlo/hlo_type.h"

namespace opyard::graphs {

struct HloInstruction {
  std::string_view name;    // without %
  std::string_view opcode;  // "get-tuple-element"
  HloType type;
  std::vector<std::size_t> operands;  // instructions of the same computation, all before this one
  // The computations that run as part of it: what a fusion or a call calls, condition and body of
  // a loop, branches in order. Not what a reduction applies to its elements.
  std::vector<std::size_t> called;
  std::string_view arguments;   // the text between the parentheses
  std::string_view attributes;  // the text after them
};

struct HloComputation {
  std::string_view name;
  std::vector<HloInstruction> instructions;  // never empty
  std::size_t root = 0;

  [[nodiscard]] const HloInstruction& root_instruction() const { return instructions[root]; }
};

// Views of the file, which lives longer.
struct HloModule {
  std::string_view header;                                     // attributes of the module
  std::vector<HloComputation> computations;                    // in the order of the file
  std::unordered_map<std::string_view, std::size_t> index_of;  // by name
  std::size_t entry = 0;
  bool has_unknown_extents = false;
};

// Throws InputError "FILE:LINE: found, expected". `unknown_extent` stands for each ?; without it,
// one is refused. Linear in the file's size.
[[nodiscard]] HloModule ReadHloModule(const ImportFile& file,
                                      std::optional<std::int64_t> unknown_extent,
                                      ImportSummary& summary);

// The number of a parameter; nothing for other instructions. Below 1048576.
[[nodiscard]] std::optional<std::size_t> ParameterNumber(const HloInstruction& instruction);

}  // namespace opyard::graphs
