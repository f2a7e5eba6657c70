#include "experiments/console/notice_printing.h"

namespace opyard::experiments {

void PrintNotice(const Notice& notice, std::ostream& err) {
  err << (notice.kind == NoticeKind::kWarning ? "warning: " : "note: ") << notice.text;
}

NoticeListener NoticesOn(const Console& console) {
  return [&err = console.err](const Notice& notice) { PrintNotice(notice, err); };
}

}  // namespace opyard::experiments
