// The folder of the shipped data: hardware profiles, graphs, experiment configurations, weights.
#pragma once

#include <filesystem>

namespace opyard {

// The folder that holds hardware_profiles/, graphs/data/, experiments/configs/ and weights/: the
// environment variable OPYARD_DATA if set, else what was installed with the library that this code
// is in, else the source folder of the build.
[[nodiscard]] std::filesystem::path DataRoot();

}  // namespace opyard
