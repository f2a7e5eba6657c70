// Reads what a path names into memory: a file, a pipe, a device, standard input.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace opyard {

struct InputBytes {
  std::string bytes;
  std::string
      problem;  // why they are not all: "found a folder, expected a file"; empty if they are
};

// All that `path` gives until it ends. "-" is standard input, and a path that names a descriptor
// (DescriptorNamed) is read from where that stands. What gives more than `most_bytes` is refused; a
// regular file before it is read. Blocks while a pipe or a terminal gives nothing; a signal that
// the process handles ends the wait and is a problem.
[[nodiscard]] InputBytes ReadInputFile(const std::filesystem::path& path, std::size_t most_bytes);

// The name of `path` in messages: itself, or "standard input".
[[nodiscard]] std::string InputName(const std::filesystem::path& path);

}  // namespace opyard
