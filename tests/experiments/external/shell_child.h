// Children that are shell scripts: they can break in every way without a line of Python.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace opyard::experiments::testing {

// A command of the shell that sends these bytes to opyard.
inline std::string Send(std::string_view bytes) {
  std::string command = "printf '";
  for (const char byte : bytes) {
    std::array<char, 8> octal{};
    std::snprintf(octal.data(), octal.size(), "\\%03o", static_cast<unsigned char>(byte));
    command += octal.data();
  }
  return command + "' >&3; ";
}

// The same with the number of bytes, least byte first, before them: a message.
inline std::string SendText(std::string_view text) {
  std::string header;
  for (std::size_t i = 0; i < 4; ++i) {
    header += static_cast<char>(static_cast<unsigned char>(text.size() >> (8 * i)));
  }
  return Send(header + std::string(text));
}

inline std::vector<std::string> Shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

}  // namespace opyard::experiments::testing
