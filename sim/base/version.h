// Which opyard these headers are of; CMakeLists.txt reads it here.
#pragma once

namespace opyard {

// "MAJOR.MINOR.PATCH". experiments::Version() is that of the library that runs.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace opyard
