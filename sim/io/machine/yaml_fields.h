// Small steps that the readers of profiles share.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sim/graph/op.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// Keeps `target` where the reading failed.
template <class T>
void Assign(const std::optional<T>& value, T& target) {
  if (value) {
    target = *value;
  }
}

// Passes `rate` on if it is above zero; else adds a problem that names it as `what`.
[[nodiscard]] std::optional<double> ReadPositiveRate(YamlReader& reader,
                                                     const YamlNode& node,
                                                     std::optional<double> rate,
                                                     const std::string& what);

// Calls `read` for each entry of the map `node`, whose keys are element types; unknown ones become
// problems. `what` names the map.
void ForEachDType(YamlReader& reader,
                  const YamlNode& node,
                  const std::string& what,
                  const std::function<void(DType, const YamlNode&)>& read);

}  // namespace opyard::sim
