// Where the shipped data lie: hardware profiles, graphs, experiment configurations, weights.
#pragma once

#include <filesystem>

namespace opyard {

// The folder that holds hardware_profiles/, graphs/data/, experiments/configs/ and weights/: the
// environment variable OPYARD_DATA if set, else the source folder of the build if it still exists,
// else share/opyard beside the library's folder.
[[nodiscard]] std::filesystem::path DataRoot();

}  // namespace opyard
