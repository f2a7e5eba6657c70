// Graphs of an experiment by a pattern of file names: "sets/stg/*.stg".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opyard::experiments {

// True for a path whose last part holds "*". A generator ("random:…") is none.
[[nodiscard]] bool IsGraphPattern(const std::string& reference);

// The files that `pattern` stands for, written like it, sorted by name: "*" is any text, also none,
// but for a dot at the beginning. Its folder is looked for from the current folder, then from
// `folder`; empty if there is no such file. REQUIRES: IsGraphPattern(pattern).
[[nodiscard]] std::vector<std::string> FilesOf(const std::string& pattern,
                                               const std::filesystem::path& folder);

}  // namespace opyard::experiments
