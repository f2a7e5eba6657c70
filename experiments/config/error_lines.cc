#include "experiments/config/error_lines.h"

#include <sstream>

namespace opyard::experiments {

std::vector<std::string> LinesOf(const Error& error) {
  std::istringstream text(error.what());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    lines.push_back(line);
  }
  return lines;
}

void AddLines(const std::string& place, const Error& error, Diagnostics& diagnostics) {
  for (const std::string& line : LinesOf(error)) {
    diagnostics.AddError(place, line);
  }
}

}  // namespace opyard::experiments
