#include "agents/learned/common/size_table.h"

#include "sim/base/error.h"

namespace opyard::agents {

void ConfigEntry::Refuse(const std::string& found, const std::string& expected) const {
  throw InputError(path_.string() + ": config " + name_ + ": found " + found + ", expected " +
                   expected);
}

double ConfigEntry::NumberIn(double least, double most, const std::string& range) const {
  const double value = Number();
  if (!(value >= least && value <= most)) {
    Refuse(Text(), range);
  }
  return value;
}

std::int64_t ConfigEntry::SizeIn(std::int64_t least, std::int64_t most) const {
  return static_cast<std::int64_t>(NumberIn(static_cast<double>(least),
                                            static_cast<double>(most),
                                            std::to_string(least) + " to " + std::to_string(most)));
}

std::int64_t ConfigEntry::SizeBelow(std::int64_t end) const {
  const std::int64_t size = Size();
  if (size >= end) {
    Refuse(std::to_string(size), "less than " + std::to_string(end));
  }
  return size;
}

}  // namespace opyard::agents
