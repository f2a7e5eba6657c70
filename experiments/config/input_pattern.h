// Patterns among the graphs and machines of an experiment, and what they stand for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opyard::experiments {

// True for a path, or the name of a shipped graph, with "*" in its last part ("sets/50/*.stg",
// "gnmt*"), and for a family with "*" in its name ("zoo:*?scale=small").
[[nodiscard]] bool IsGraphPattern(const std::string& reference);

// True for a path or the name of a shipped machine with "*" in its last part ("p100x*-pcie").
[[nodiscard]] bool IsMachinePattern(const std::string& reference);

// The files that `pattern`, a path, stands for: those whose names match, "*" being any text; sorted
// by name, as paths like the pattern's. Searched for from the current folder, then from `folder`.
// Hidden files are among them only if the pattern begins with a point. Empty if there is none.
[[nodiscard]] std::vector<std::string> FilesOf(const std::string& pattern,
                                               const std::filesystem::path& folder);

// The graphs that a pattern stands for: files; for a pattern without "/" that no file matches,
// shipped graphs; families, each with the pattern's options.
[[nodiscard]] std::vector<std::string> GraphsOf(const std::string& pattern,
                                                const std::filesystem::path& folder);

// The same for machines.
[[nodiscard]] std::vector<std::string> MachinesOf(const std::string& pattern,
                                                  const std::filesystem::path& folder);

}  // namespace opyard::experiments
