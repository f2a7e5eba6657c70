#include "experiments/config/input_pattern.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <system_error>

#include "graphs/graph_sources.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

// Greedy, going back to the last "*" only: quadratic at worst.
bool IsMatch(std::string_view name, std::string_view pattern) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = std::string_view::npos;  // the last one met
  std::size_t after_star = 0;                 // where what it stands for ends
  while (at < name.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      after_star = at;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == name[at]) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

// The names of the files in `folder` that match, sorted.
std::vector<std::string> NamesIn(const fs::path& folder, const std::string& pattern) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_hidden = name.starts_with('.') && !pattern.starts_with('.');
    std::error_code ignored;
    if (!is_hidden && IsMatch(name, pattern) && entry->is_regular_file(ignored)) {
      names.push_back(name);
    }
  }
  std::ranges::sort(names);
  return names;
}

bool HasStarInName(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return path.find('*', slash == std::string::npos ? 0 : slash + 1) != std::string::npos;
}

// Those of `names` that match, in their order.
std::vector<std::string> Matching(const std::vector<std::string>& names,
                                  const std::string& pattern) {
  std::vector<std::string> matching;
  std::ranges::copy_if(names, std::back_inserter(matching), [&](const std::string& name) {
    return IsMatch(name, pattern);
  });
  return matching;
}

std::vector<std::string> ShippedGraphNames() {
  std::vector<std::string> names;
  for (const graphs::ShippedGraph& graph : graphs::ListShippedGraphs()) {
    names.push_back(graph.name);
  }
  return names;
}

std::vector<std::string> ShippedMachineNames() {
  std::vector<std::string> names;
  for (const sim::ShippedProfile& profile : sim::ListShippedProfiles()) {
    if (profile.is_machine) {
      names.push_back(profile.name);
    }
  }
  return names;
}

// The families that match, each with the options of `pattern`: "zoo:*?scale=small".
std::vector<std::string> FamiliesOf(const std::string& pattern) {
  const std::size_t query = std::min(pattern.find('?'), pattern.size());
  std::vector<std::string> names;
  for (const auto& source : graphs::GraphSources()) {
    names.push_back(source->name());
  }
  std::vector<std::string> references = Matching(names, pattern.substr(0, query));
  for (std::string& reference : references) {
    reference += pattern.substr(query);
  }
  return references;
}

// Files, or what of `names` matches where no file does and `pattern` is no path.
std::vector<std::string> FilesOrNames(const std::string& pattern,
                                      const fs::path& folder,
                                      std::vector<std::string> (*names)()) {
  std::vector<std::string> files = FilesOf(pattern, folder);
  const bool may_be_name = files.empty() && pattern.find('/') == std::string::npos;
  return may_be_name ? Matching(names(), pattern) : files;
}

}  // namespace

bool IsGraphPattern(const std::string& reference) {
  const std::size_t colon = reference.find(':');
  if (colon == std::string::npos) {
    return HasStarInName(reference);
  }
  return reference.substr(0, reference.find('?')).find('*', colon) != std::string::npos;
}

bool IsMachinePattern(const std::string& reference) {
  return HasStarInName(reference);
}

std::vector<std::string> FilesOf(const std::string& pattern, const fs::path& folder) {
  const fs::path path = pattern;
  const fs::path here = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> names = NamesIn(here, path.filename().string());
  if (names.empty() && here.is_relative()) {
    names = NamesIn(folder / here, path.filename().string());
  }
  for (std::string& name : names) {
    // A bare name keeps a slash, so that it stays a path and never means a shipped graph.
    name = (path.has_parent_path() ? path.parent_path() / name : fs::path("./" + name)).string();
  }
  return names;
}

std::vector<std::string> GraphsOf(const std::string& pattern, const fs::path& folder) {
  return pattern.find(':') == std::string::npos ? FilesOrNames(pattern, folder, ShippedGraphNames)
                                                : FamiliesOf(pattern);
}

std::vector<std::string> MachinesOf(const std::string& pattern, const fs::path& folder) {
  return FilesOrNames(pattern, folder, ShippedMachineNames);
}

}  // namespace opyard::experiments
