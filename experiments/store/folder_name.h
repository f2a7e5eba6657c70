// Labels as names of folders.
#pragma once

#include <string>

namespace opyard::experiments {

// `label` as the name of a folder: what a file name cannot have becomes "_", and then a digest
// distinguishes labels that have become alike.
[[nodiscard]] std::string FolderName(const std::string& label);

}  // namespace opyard::experiments
