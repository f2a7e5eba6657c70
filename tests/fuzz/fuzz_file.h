// Hands bytes to readers that take a path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace opyard::testing {

// A file of this process in the temporary folder, written anew with each input.
inline std::filesystem::path WriteFuzzFile(const std::uint8_t* data, std::size_t size) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("opyard-fuzz-" + std::to_string(getpid()) + ".yaml");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return path;
}

}  // namespace opyard::testing
