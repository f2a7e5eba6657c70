// Long work that the calling thread watches over.
#pragma once

#include <functional>

#include "sim/base/interrupt.h"

namespace opyard::bindings {

// RunInterruptibly (bindings.h) that also calls `between` in the caller's thread, with the GIL, a
// hundred times a second. A Python exception in there ends the work as Ctrl-C does.
void RunInterruptibly(InterruptFlag& interrupt,
                      const std::function<void()>& work,
                      const std::function<void()>& between);

}  // namespace opyard::bindings
