// Packs the plans, graphs and machines of the result store (zlib, as small as it can).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opyard::experiments {

[[nodiscard]] std::string Compress(std::string_view text);

// Nothing if `packed` is damaged, cut short, followed by more, or unpacks to more than `most`
// bytes.
[[nodiscard]] std::optional<std::string> Decompress(std::string_view packed, std::size_t most);

}  // namespace opyard::experiments
