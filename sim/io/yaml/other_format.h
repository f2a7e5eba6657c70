// Files of other programs, and our own of another kind, where a YAML file of ours is expected: said
// in one line, instead of a list of keys that are unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// "found WHAT, expected WHAT: what to do", if `text` is such a file. `root` is what was read of it,
// null where it is no YAML. With kAny only files of other programs are named.
[[nodiscard]] std::optional<std::string> FindOtherFormat(std::string_view text,
                                                         const YamlNode* root,
                                                         YamlFile expected);

}  // namespace opyard::sim
