// Texts with a few random edits, for the tests of readers.
#pragma once

#include <functional>
#include <string>

namespace opyard::testing {

// Ten thousand over the four readers of sim: graphs, plans, machines and devices.
inline constexpr int kDamagedFiles = 2500;

// Reads kDamagedFiles copies of `original` with one to four edits each; returns how many of them
// `read` refused with an InputError. Any other exception passes.
[[nodiscard]] int CountRefused(const std::string& original,
                               const std::function<void(const std::string&)>& read);

}  // namespace opyard::testing
