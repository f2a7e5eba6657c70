#include "tests/support/reference_flows.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace opyard::testing {

ReferenceFlows::ReferenceFlows(std::map<std::string, double> capacities)
    : capacities_(std::move(capacities)) {}

void ReferenceFlows::Start(std::size_t id,
                           const std::set<std::string>& resources,
                           Bytes bytes,
                           SimTime now) {
  MoveTo(now);
  flows_.push_back(
      {.id = id, .resources = resources, .bytes_left = static_cast<double>(bytes.count)});
  has_changed_ = true;
}

std::vector<std::size_t> ReferenceFlows::TakeEnded(SimTime now) {
  std::vector<std::size_t> ended;
  for (const Flow& flow : flows_) {
    if (flow.end == now) {
      ended.push_back(flow.id);
    }
  }
  if (!ended.empty()) {
    MoveTo(now);
    std::erase_if(flows_, [&](const Flow& flow) { return flow.end == now; });
    has_changed_ = true;
  }
  return ended;
}

void ReferenceFlows::ShareAnew(SimTime now) {
  if (!has_changed_) {
    return;
  }
  MoveTo(now);
  const std::map<std::size_t, double> rates = MaxMinRates();
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    flows_[i].rate = rates.at(i);
    flows_[i].end = now + SimTime::FromSeconds(flows_[i].bytes_left / flows_[i].rate);
  }
  has_changed_ = false;
}

std::optional<SimTime> ReferenceFlows::NextEnd() const {
  std::optional<SimTime> next;
  for (const Flow& flow : flows_) {
    next = next ? std::min(next, flow.end) : flow.end;
  }
  return next;
}

// Rates have been constant since `moved_to_`.
void ReferenceFlows::MoveTo(SimTime now) {
  const SimTime elapsed = now - moved_to_;
  for (Flow& flow : flows_) {
    flow.bytes_left = std::max(0.0, flow.bytes_left - flow.rate * elapsed.seconds());
  }
  moved_to_ = now;
}

// Progressive filling: the resource that offers the least to each of its flows without a rate fixes
// them at that share; the rest is divided anew among the others. By position in `flows_`.
std::map<std::size_t, double> ReferenceFlows::MaxMinRates() const {
  std::map<std::string, double> left = capacities_;
  std::map<std::size_t, double> rates;
  while (rates.size() < flows_.size()) {
    std::map<std::string, std::set<std::size_t>> unfixed;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      for (const std::string& resource : flows_[i].resources) {
        if (!rates.contains(i)) {
          unfixed[resource].insert(i);
        }
      }
    }
    const auto share = [&](const auto& entry) {
      return left.at(entry.first) / static_cast<double>(entry.second.size());
    };
    const auto tightest = *std::ranges::min_element(unfixed, {}, share);
    const double rate = share(tightest);
    for (const std::size_t i : tightest.second) {
      rates[i] = rate;
      for (const std::string& resource : flows_[i].resources) {
        left.at(resource) -= rate;
      }
    }
  }
  return rates;
}

}  // namespace opyard::testing
