// Notices on the console.
#pragma once

#include <ostream>

#include "experiments/base/notice.h"
#include "experiments/console/console.h"

namespace opyard::experiments {

// "warning: …" or "note: …".
void PrintNotice(const Notice& notice, std::ostream& err);

// A listener that prints notices on standard error. `console` outlives it.
[[nodiscard]] NoticeListener NoticesOn(const Console& console);

}  // namespace opyard::experiments
