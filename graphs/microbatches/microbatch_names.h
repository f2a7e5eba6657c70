// The names of ops that a step runs once per micro-batch: "NAME@mb3" is NAME in micro-batch 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opyard::graphs {

// Micro-batches count from 0.
[[nodiscard]] std::string NameInMicrobatch(std::string_view name, std::int32_t microbatch);

// The micro-batch that `name` says; nothing without such a suffix.
[[nodiscard]] std::optional<std::int32_t> FindMicrobatch(std::string_view name);

// `name` without the suffix.
[[nodiscard]] std::string_view NameOfAllMicrobatches(std::string_view name);

}  // namespace opyard::graphs
