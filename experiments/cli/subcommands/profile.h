// `opyard profile list`, `profile validate` and `profile show`.
#pragma once

#include <string>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct ProfileListOptions {
  bool json = false;
};
// The shipped devices and machines; a machine's kind is that of its first accelerator.
[[nodiscard]] int PrintProfileList(const ProfileListOptions& options, const Console& console);

struct ProfileOptions {
  std::string profile;  // a device or machine file, or the name of a shipped one
  bool json = false;
};
// Reads a device or machine and prints what is odd about it. Throws InputError if it is wrong.
[[nodiscard]] int ValidateProfile(const ProfileOptions& options, const Console& console);

// What it is: devices, matrices of route bandwidth and latency, where its numbers come from.
[[nodiscard]] int ShowProfile(const ProfileOptions& options, const Console& console);

}  // namespace opyard::experiments
