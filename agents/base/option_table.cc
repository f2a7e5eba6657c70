#include "agents/base/option_table.h"

#include <set>

#include "sim/base/check.h"

namespace opyard::agents {

void CheckOptions(const std::vector<OptionInfo>& options) {
  std::set<std::string> names;
  for (const OptionInfo& option : options) {
    OPYARD_CHECK(names.insert(option.name).second, "option " + option.name + " stands once");
    OPYARD_CHECK(!option.meaning.empty(), "option " + option.name + " has a meaning");
  }
}

}  // namespace opyard::agents
