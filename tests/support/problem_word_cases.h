// The cases of problem_words.txt, for the tests of each place where users write them.
#pragma once

#include <algorithm>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

namespace opyard::testing {

// One line: what is written of what, and what comes of it.
struct ProblemWordCase {
  std::string what;  // "tasks", "objective", …
  std::string text;
  bool is_legal = true;
  std::string answer;  // what is printed for it, or a part of why it is refused
  friend std::ostream& operator<<(std::ostream& out, const ProblemWordCase& shown) {
    return out << shown.what << ' ' << shown.text;
  }
};

// Tests run in the project's root.
[[nodiscard]] inline std::vector<ProblemWordCase> ProblemWordCases() {
  const auto trimmed = [](const std::string& part) {
    const std::size_t begin = std::min(part.find_first_not_of(' '), part.size());
    return part.substr(begin, part.find_last_not_of(' ') + 1 - begin);
  };
  std::vector<ProblemWordCase> cases;
  std::ifstream file("tests/support/problem_words.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) {
      continue;
    }
    const std::size_t first = line.find('|');
    const std::size_t second = line.find('|', first + 1);
    const std::string answer = trimmed(line.substr(second + 1));
    const bool is_legal = !answer.starts_with('!');
    cases.push_back({.what = trimmed(line.substr(0, first)),
                     .text = trimmed(line.substr(first + 1, second - first - 1)),
                     .is_legal = is_legal,
                     .answer = is_legal ? answer : trimmed(answer.substr(1))});
  }
  return cases;
}

}  // namespace opyard::testing
