#include "graphs/importers/hlo/hlo_call_order.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::graphs {
namespace {

constexpr std::size_t kMostLevels = 128;

enum class Mark : unsigned char { kNew, kOpen, kDone };

// A computation whose callees are being visited.
struct Visit {
  std::size_t computation = 0;
  std::vector<std::size_t> callees;
  std::size_t next = 0;
  std::size_t height = 0;  // levels of calls below
};

Visit VisitOf(const HloModule& module, std::size_t index) {
  Visit visit{.computation = index};
  for (const HloInstruction& instruction : module.computations[index].instructions) {
    visit.callees.insert(visit.callees.end(), instruction.called.begin(), instruction.called.end());
  }
  return visit;
}

}  // namespace

std::vector<std::size_t> CalleesFirst(const HloModule& module, const std::string& place) {
  std::vector<std::size_t> order;
  std::vector<Mark> marks(module.computations.size(), Mark::kNew);
  std::vector<std::size_t> heights(module.computations.size());
  std::vector<Visit> stack = {VisitOf(module, module.entry)};
  marks[module.entry] = Mark::kOpen;
  while (!stack.empty()) {
    Visit& visit = stack.back();
    if (visit.next == visit.callees.size()) {
      marks[visit.computation] = Mark::kDone;
      heights[visit.computation] = visit.height;
      order.push_back(visit.computation);
      stack.pop_back();
      continue;
    }
    const std::size_t callee = visit.callees[visit.next];
    const std::string name = Quoted(module.computations[callee].name);
    if (marks[callee] == Mark::kOpen) {
      throw InputError(place + ": found the computation " + name +
                       ", which calls itself, expected calls without a cycle");
    }
    if (marks[callee] == Mark::kNew) {
      marks[callee] = Mark::kOpen;
      stack.push_back(VisitOf(module, callee));
      continue;
    }
    ++visit.next;
    visit.height = std::max(visit.height, heights[callee] + 1);
    if (visit.height > kMostLevels) {
      throw InputError(place + ": found calls nested beyond 128 levels at " + name +
                       ", expected fewer");
    }
  }
  return order;
}

}  // namespace opyard::graphs
