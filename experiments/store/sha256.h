// The SHA-256 digest (FIPS 180-4), by which results say which graph and machine they belong to.
#pragma once

#include <string>
#include <string_view>

namespace opyard::experiments {

// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string Sha256(std::string_view bytes);

}  // namespace opyard::experiments
