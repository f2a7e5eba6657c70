// Which opyard this is.
#pragma once

namespace opyard::experiments {

// "MAJOR.MINOR.PATCH", as the build states it.
[[nodiscard]] const char* Version();

}  // namespace opyard::experiments
