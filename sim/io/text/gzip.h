// Packed texts.
#pragma once

#include <string>
#include <string_view>

namespace opyard::sim {

// Unpacks one or more gzip members, to kLargestTextBytes (text_file.h) at most. Throws InputError
// at `place`.
[[nodiscard]] std::string Gunzip(std::string_view packed, const std::string& place);

// One gzip member without name or time, so that equal texts give equal files.
[[nodiscard]] std::string Gzip(std::string_view text);

}  // namespace opyard::sim
