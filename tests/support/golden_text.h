// Texts that behaviour is held to: the files of tests/golden/, compared whole and remade by one
// command, `./dev goldens`.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace opyard::testing {

// True if tests/golden/`name` holds `found`; else says which lines differ first, under which
// heading (the last line before them that begins with "["), and what remakes the file. With
// OPYARD_REMAKE_GOLDENS set in the environment the file is written first. One test a file, because
// tests run side by side. Tests run in the project's root.
[[nodiscard]] ::testing::AssertionResult EqualsGolden(const std::string& name,
                                                      const std::string& found);

// The names of the files in tests/golden/`folder`, without folder and ".txt", sorted.
[[nodiscard]] std::vector<std::string> GoldensIn(const std::string& folder);

}  // namespace opyard::testing
