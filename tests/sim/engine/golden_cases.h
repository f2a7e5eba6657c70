// The runs that tests/golden/engine/ holds the engine to.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/sim/engine/golden_case.h"

namespace opyard::testing {

// One file and what makes its cases.
struct GoldenFile {
  std::string name;  // without folder and ".txt"
  std::vector<GoldenCase> (*make_cases)();
};
void PrintTo(const GoldenFile& file, std::ostream* out);

// Sorted by name. Every rule of a machine has each of its values in some case, alone and in pairs
// that meet in the engine. A new rule brings cases of its own: a file more, or cases at the end of
// one.
[[nodiscard]] std::vector<GoldenFile> GoldenFiles();

}  // namespace opyard::testing
