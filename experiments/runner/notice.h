// What is odd about something that was read or simulated, although it is legal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace opyard::experiments {

enum class NoticeKind : std::uint8_t {
  kWarning,  // the figures may not mean what they seem to
  kNote,     // something that its author may have wanted is near
};

struct Notice {
  NoticeKind kind = NoticeKind::kWarning;
  std::string text;  // one or more lines, each ended
};

// Who is told: a console prints it, a server passes it on. Called by whoever finds it, on the
// thread of the call.
using NoticeListener = std::function<void(const Notice&)>;

}  // namespace opyard::experiments
