#include "sim/base/error.h"

#include <algorithm>
#include <numeric>

namespace opyard {
namespace {

// Number of single-character edits between `a` and `b` (Levenshtein distance), O(|a|·|b|).
std::size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

void Diagnostics::AddError(const std::string& place, const std::string& message) {
  ++count_;
  if (lines_.size() < kMostShown) {
    lines_.push_back(place + ": " + message);
  }
}

void Diagnostics::Append(const Diagnostics& others) {
  count_ += others.count_;
  for (const std::string& line : others.lines_) {
    if (lines_.size() < kMostShown) {
      lines_.push_back(line);
    }
  }
}

std::string Diagnostics::Text() const {
  std::string text;
  for (const std::string& line : lines_) {
    text += (text.empty() ? "" : "\n") + line;
  }
  if (count_ > lines_.size()) {
    text += "\n… and " + std::to_string(count_ - lines_.size()) + " more errors";
  }
  return text;
}

void Diagnostics::ThrowIfAny() const {
  if (!empty()) {
    throw InputError(Text());
  }
}

std::string DidYouMean(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestName = 64;
  if (name.size() > kLongestName) {
    return "";
  }
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = EditDistance(name, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? "" : "; did you mean \"" + *best + "\"?";
}

std::string JoinNames(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > most) {
    text += ", … (" + std::to_string(names.size()) + " in all)";
  }
  return text;
}

}  // namespace opyard
