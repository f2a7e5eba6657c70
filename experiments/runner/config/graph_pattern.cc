#include "experiments/runner/config/graph_pattern.h"

#include <algorithm>
#include <string_view>
#include <system_error>

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

}  // namespace

bool IsGraphPattern(const std::string& reference) {
  const std::size_t slash = reference.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  return reference.find('*', name) != std::string::npos && reference.find(':') == std::string::npos;
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

}  // namespace opyard::experiments
