#include "tests/support/golden_text.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace opyard::testing {
namespace {

constexpr std::size_t kMostDifferences = 5;

std::filesystem::path PathOf(const std::string& name) {
  return std::filesystem::path("tests/golden") / name;
}

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteText(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

const std::string& LineOr(const std::vector<std::string>& lines,
                          std::size_t index,
                          const std::string& fallback) {
  return index < lines.size() ? lines[index] : fallback;
}

// The first lines at which the two differ, with the heading that they stand under.
std::string FirstDifferences(const std::string& expected_text, const std::string& found_text) {
  const std::vector<std::string> expected = LinesOf(expected_text);
  const std::vector<std::string> found = LinesOf(found_text);
  const std::string none = "(no line)";
  std::string heading;
  std::string differences;
  std::size_t num_differences = 0;
  for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
    const std::string& ours = LineOr(found, i, none);
    const std::string& theirs = LineOr(expected, i, none);
    heading = ours.starts_with('[') ? ours : heading;
    if (ours != theirs && ++num_differences <= kMostDifferences) {
      differences += "line " + std::to_string(i + 1) + " " + heading + "\n  found:    " + ours +
                     "\n  expected: " + theirs + "\n";
    }
  }
  return std::to_string(num_differences) + " lines differ\n" + differences;
}

}  // namespace

::testing::AssertionResult EqualsGolden(const std::string& name, const std::string& found) {
  const std::filesystem::path path = PathOf(name);
  if (std::getenv("OPYARD_REMAKE_GOLDENS") != nullptr) {
    WriteText(path, found);
  }
  const std::string expected = ReadText(path);
  if (found == expected) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << path.string()
         << (std::filesystem::exists(path) ? ": " + FirstDifferences(expected, found)
                                           : " does not exist\n")
         << "If this change of behaviour is meant, remake the goldens with `./dev goldens` and "
            "commit their difference with it.";
}

std::vector<std::string> GoldensIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code no_such_folder;
  for (const auto& entry : std::filesystem::directory_iterator(PathOf(folder), no_such_folder)) {
    if (entry.path().extension() == ".txt") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace opyard::testing
