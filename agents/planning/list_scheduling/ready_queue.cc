#include "agents/planning/list_scheduling/ready_queue.h"

namespace opyard::agents {

void ReadyQueue::Add(Candidate candidate) {
  arriving_.push(candidate);
}

std::optional<ReadyQueue::Candidate> ReadyQueue::FindFirst(SimTime free) {
  while (!arriving_.empty() && arriving_.top().ready <= free) {
    startable_.push(arriving_.top());
    arriving_.pop();
  }
  if (!startable_.empty()) {
    return startable_.top();
  }
  return arriving_.empty() ? std::nullopt : std::optional(arriving_.top());
}

void ReadyQueue::RemoveFirst() {
  if (startable_.empty()) {
    arriving_.pop();
  } else {
    startable_.pop();
  }
}

void ReadyQueue::SetFirstAside(Bytes need) {
  aside_.push({.need = need, .candidate = startable_.empty() ? arriving_.top() : startable_.top()});
  RemoveFirst();
}

void ReadyQueue::BringBack(Bytes room) {
  while (!aside_.empty() && aside_.top().need <= room) {
    Add(aside_.top().candidate);
    aside_.pop();
  }
}

}  // namespace opyard::agents
