#include "agents/planning/start_queue.h"

namespace opyard::agents {

void StartQueue::Add(Candidate candidate) {
  arriving_.push(candidate);
}

std::optional<StartQueue::Candidate> StartQueue::FindFirst(SimTime free) {
  while (!arriving_.empty() && arriving_.top().ready <= free) {
    startable_.push(arriving_.top());
    arriving_.pop();
  }
  if (!startable_.empty()) {
    return startable_.top();
  }
  return arriving_.empty() ? std::nullopt : std::optional(arriving_.top());
}

void StartQueue::RemoveFirst() {
  if (startable_.empty()) {
    arriving_.pop();
  } else {
    startable_.pop();
  }
}

void StartQueue::SetFirstAside(Bytes need) {
  aside_.push({.need = need, .candidate = startable_.empty() ? arriving_.top() : startable_.top()});
  RemoveFirst();
}

void StartQueue::BringBack(Bytes room) {
  while (!aside_.empty() && aside_.top().need <= room) {
    Add(aside_.top().candidate);
    aside_.pop();
  }
}

}  // namespace opyard::agents
