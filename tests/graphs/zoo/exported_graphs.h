// Graphs that frameworks wrote. They stand outside the project, in ../shared/data/graphs/exported
// beside it (tests run in the project's root); where they are absent, tests that need them are
// skipped.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "sim/io/text/text_file.h"

namespace opyard::graphs {

inline const char* const kExports = "../shared/data/graphs/exported";

// Empty if the file is not there.
inline std::string ReadExportText(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(kExports) / name;
  return std::filesystem::exists(path) ? sim::ReadTextFile(path) : std::string();
}

// Null if the file is not there.
inline nlohmann::json ReadExport(const std::string& name) {
  const std::string text = ReadExportText(name);
  return text.empty() ? nlohmann::json() : nlohmann::json::parse(text);
}

// The number of times that `part` stands in `text`.
inline int CountText(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace opyard::graphs
