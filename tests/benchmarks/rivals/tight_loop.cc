// The loop that a C++ author writes for one kind of machine: a star, one transfer per tensor and
// destination, priorities. It knows no memory, routes, fusion, limits or other rules, and does not
// say what happened inside. Prints for each plan the makespan and the seconds that it took.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

#include "tests/benchmarks/rivals/star_dag.h"

namespace {

constexpr int kStride = Sends::kMostDevices;  // pair (a, b) is a · kStride + b
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Event {
  std::int64_t time_ps = 0;
  int op = 0;
  int where = 0;  // −1: the op itself ends; else its copy for a pair ends, or begins to flow
  friend bool operator<(const Event& a, const Event& b) { return a.time_ps > b.time_ps; }
};

template <class Entry>
class Heap {
 public:
  void clear() { entries_.clear(); }
  bool empty() const { return entries_.empty(); }
  const Entry& top() const { return entries_.front(); }
  void Push(const Entry& entry) {
    entries_.push_back(entry);
    std::push_heap(entries_.begin(), entries_.end());
  }
  Entry Pop() {
    std::pop_heap(entries_.begin(), entries_.end());
    const Entry last = entries_.back();
    entries_.pop_back();
    return last;
  }

 private:
  std::vector<Entry> entries_;
};

// The common part of both ways of sharing: devices, their queues and what becomes ready.
class Loop {
 public:
  explicit Loop(const StarCase& star) : star_(star), dag_(star.dag) {}
  virtual ~Loop() = default;

  double Run(const StarPlan& plan) {
    plan_ = &plan;
    num_missing_ = dag_.num_inputs;
    events_.clear();
    std::fill_n(is_busy_, kStride, false);
    now_ps_ = 0;
    Reset();
    for (int op = 0; op < dag_.num_ops; ++op) {
      if (num_missing_[op] == 0) {
        ready_[plan.device[op]].Push({plan.priority[op], 0, op});
      }
    }
    StartOps();
    while (Advance()) {
      StartOps();
      StartTransfers();
    }
    return static_cast<double>(now_ps_) * 1e-12;
  }

 protected:
  virtual void Reset() = 0;
  virtual bool Advance() = 0;  // to the next instant, and ends what ends there
  virtual void StartTransfers() = 0;
  virtual void Offer(int op, int pair, int priority, double bytes) = 0;

  void StartOps() {
    for (int device = 0; device < dag_.num_devices; ++device) {
      if (!is_busy_[device] && !ready_[device].empty()) {
        const int op = ready_[device].Pop().op;
        is_busy_[device] = true;
        events_.Push({now_ps_ + dag_.duration_ps[op], op, -1});
      }
    }
  }

  void Deliver(int op, int device) {
    for (const Reader& reader : dag_.readers(op)) {
      if (plan_->device[reader.op] == device && --num_missing_[reader.op] == 0) {
        ready_[device].Push({plan_->priority[reader.op], now_ps_, reader.op});
      }
    }
  }

  void EndOp(int op) {
    const int home = plan_->device[op];
    is_busy_[home] = false;
    Deliver(op, home);
    const Sends sends = SendsOf(dag_, *plan_, op);
    for (int device = 0; device < dag_.num_devices; ++device) {
      if (sends.priority[device] >= 0) {
        Offer(op, home * kStride + device, sends.priority[device], sends.bytes[device]);
      }
    }
  }

  const StarCase& star_;
  const StarDag& dag_;
  const StarPlan* plan_ = nullptr;
  std::vector<int> num_missing_;
  Heap<QueueEntry> ready_[kStride];
  bool is_busy_[kStride] = {};
  Heap<Event> events_;
  std::int64_t now_ps_ = 0;
};

// A transfer has its sender's and its receiver's engine to itself; one whose engines are taken does
// not hold back those behind it.
class SerialLoop final : public Loop {
 public:
  using Loop::Loop;

 private:
  void Reset() override {
    waiting_pairs_ = 0;
    free_rows_ = free_columns_ = ~std::uint64_t{0};
  }

  void Offer(int op, int pair, int priority, double bytes) override {
    waiting_[pair].Push({priority, now_ps_, op, bytes});
    waiting_pairs_ |= std::uint64_t{1} << pair;
  }

  bool Advance() override {
    if (events_.empty()) {
      return false;
    }
    now_ps_ = events_.top().time_ps;
    while (!events_.empty() && events_.top().time_ps == now_ps_) {
      const Event event = events_.Pop();
      if (event.where < 0) {
        EndOp(event.op);
      } else {
        free_rows_ |= RowOf(event.where);
        free_columns_ |= ColumnOf(event.where);
        Deliver(event.op, event.where % kStride);
      }
    }
    return true;
  }

  void StartTransfers() override {
    while (std::uint64_t pairs = waiting_pairs_ & free_rows_ & free_columns_) {
      int first = __builtin_ctzll(pairs);
      for (pairs &= pairs - 1; pairs != 0; pairs &= pairs - 1) {
        const int pair = __builtin_ctzll(pairs);
        first = IsBefore(pair, first) ? pair : first;
      }
      Start(first);
    }
  }

  // The lower destination of one op's copies goes first, and pairs are visited in that order.
  bool IsBefore(int a, int b) const { return waiting_[b].top() < waiting_[a].top(); }

  void Start(int pair) {
    const QueueEntry entry = waiting_[pair].Pop();
    if (waiting_[pair].empty()) {
      waiting_pairs_ &= ~(std::uint64_t{1} << pair);
    }
    free_rows_ &= ~RowOf(pair);
    free_columns_ &= ~ColumnOf(pair);
    const double seconds = star_.latency_s + entry.bytes / star_.bandwidth_bytes_per_s;
    events_.Push({now_ps_ + std::llrint(seconds * 1e12), entry.op, pair});
  }

  static std::uint64_t RowOf(int pair) { return std::uint64_t{0xff} << (pair / kStride * kStride); }
  static std::uint64_t ColumnOf(int pair) { return 0x0101010101010101U << (pair % kStride); }

  Heap<QueueEntry> waiting_[kStride * kStride];
  std::uint64_t waiting_pairs_ = 0;
  std::uint64_t free_rows_ = 0;
  std::uint64_t free_columns_ = 0;
};

// Flows share the two directions of each link max-min fairly. Those of one pair have one rate, so a
// pair counts the bytes that each of its flows has moved since the start, and a flow ends at a
// count.
class FairLoop final : public Loop {
 public:
  using Loop::Loop;

 private:
  struct Flow {
    double end_count = 0.0;
    int op = 0;
    friend bool operator<(const Flow& a, const Flow& b) {
      return a.end_count != b.end_count ? a.end_count > b.end_count : a.op > b.op;
    }
  };
  struct Pair {
    double count = 0.0;
    double bytes_per_s = 0.0;
    std::int64_t end_ps = kNever;  // of its first flow
    std::vector<Flow> flows;       // a heap
  };

  void Reset() override {
    for (Pair& pair : pairs_) {
      pair = {};
    }
    active_ = 0;
    counted_ps_ = 0;
  }

  void Offer(int op, int pair, int /*priority*/, double /*bytes*/) override {
    events_.Push({now_ps_ + std::llrint(star_.latency_s * 1e12), op, pair});
  }
  void StartTransfers() override {}

  bool Advance() override {
    const std::int64_t flow_ps = FirstEnd();
    const std::int64_t event_ps = events_.empty() ? kNever : events_.top().time_ps;
    if (flow_ps == kNever && event_ps == kNever) {
      return false;
    }
    now_ps_ = std::min(flow_ps, event_ps);
    while (!events_.empty() && events_.top().time_ps == now_ps_ && events_.top().where < 0) {
      EndOp(events_.Pop().op);
    }
    const bool has_ended = flow_ps == now_ps_ && EndFlows();
    const bool has_begun = BeginFlows();
    if (has_ended || has_begun) {
      ShareLinks();
    }
    return true;
  }

  std::int64_t FirstEnd() const {
    std::int64_t first = kNever;
    for (std::uint64_t pairs = active_; pairs != 0; pairs &= pairs - 1) {
      first = std::min(first, pairs_[__builtin_ctzll(pairs)].end_ps);
    }
    return first;
  }

  void CountUntilNow() {
    const double seconds = static_cast<double>(now_ps_ - counted_ps_) * 1e-12;
    counted_ps_ = now_ps_;
    for (std::uint64_t pairs = active_; pairs != 0; pairs &= pairs - 1) {
      Pair& pair = pairs_[__builtin_ctzll(pairs)];
      pair.count += pair.bytes_per_s * seconds;
    }
  }

  bool EndFlows() {
    CountUntilNow();
    for (std::uint64_t pairs = active_; pairs != 0; pairs &= pairs - 1) {
      const int index = __builtin_ctzll(pairs);
      Pair& pair = pairs_[index];
      if (pair.end_ps != now_ps_) {
        continue;
      }
      std::pop_heap(pair.flows.begin(), pair.flows.end());
      const Flow flow = pair.flows.back();
      pair.flows.pop_back();
      if (pair.flows.empty()) {
        active_ &= ~(std::uint64_t{1} << index);
      }
      Deliver(flow.op, index % kStride);
    }
    return true;
  }

  bool BeginFlows() {
    bool has_begun = false;
    while (!events_.empty() && events_.top().time_ps == now_ps_ && events_.top().where >= 0) {
      if (!has_begun) {
        CountUntilNow();
      }
      has_begun = true;
      const Event event = events_.Pop();
      Pair& pair = pairs_[event.where];
      if (pair.flows.empty()) {
        pair.count = 0.0;
      }
      pair.flows.push_back({pair.count + dag_.readers(event.op).begin()->bytes, event.op});
      std::push_heap(pair.flows.begin(), pair.flows.end());
      active_ |= std::uint64_t{1} << event.where;
    }
    return has_begun;
  }

  // Progressive filling: the resource with the least for each flow on it is full first.
  void ShareLinks() {
    double left[2 * kStride];
    double num_flows[2 * kStride] = {};
    std::fill_n(left, 2 * kStride, star_.bandwidth_bytes_per_s);
    for (std::uint64_t pairs = active_; pairs != 0; pairs &= pairs - 1) {
      const int index = __builtin_ctzll(pairs);
      const auto flows = static_cast<double>(pairs_[index].flows.size());
      num_flows[index / kStride] += flows;
      num_flows[kStride + index % kStride] += flows;
    }
    for (std::uint64_t open = active_; open != 0;) {
      int fullest = -1;
      double least = std::numeric_limits<double>::infinity();
      for (int i = 0; i < 2 * kStride; ++i) {
        if (num_flows[i] > 0.0 && left[i] < least * num_flows[i]) {
          least = left[i] / num_flows[i];
          fullest = i;
        }
      }
      open = Fix(open, fullest, least, left, num_flows);
    }
  }

  // Gives the pairs that use resource `fullest` their rate; returns those without one.
  std::uint64_t Fix(std::uint64_t open, int fullest, double rate, double* left, double* num_flows) {
    for (std::uint64_t pairs = open; pairs != 0; pairs &= pairs - 1) {
      const int index = __builtin_ctzll(pairs);
      const int row = index / kStride;
      const int column = kStride + index % kStride;
      if (row != fullest && column != fullest) {
        continue;
      }
      Pair& pair = pairs_[index];
      const auto flows = static_cast<double>(pair.flows.size());
      pair.bytes_per_s = rate;
      const double bytes_left = std::max(pair.flows.front().end_count - pair.count, 0.0);
      pair.end_ps = now_ps_ + std::llrint(bytes_left / rate * 1e12);
      for (const int resource : {row, column}) {
        left[resource] -= rate * flows;
        num_flows[resource] -= flows;
      }
      open &= ~(std::uint64_t{1} << index);
    }
    return open;
  }

  Pair pairs_[kStride * kStride];
  std::uint64_t active_ = 0;  // pairs with flows
  std::int64_t counted_ps_ = 0;
};

void RunAll(Loop& loop, const StarCase& star) {
  loop.Run(star.plans.back());  // grows its arrays
  for (const StarPlan& plan : star.plans) {
    const auto begin = std::chrono::steady_clock::now();
    const double makespan_s = loop.Run(plan);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    std::printf("%.17g %.9f\n", makespan_s, spent.count());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: tight_loop CASE\n", stderr);
    return 2;
  }
  const StarCase star = ReadStarCase(argv[1]);
  SerialLoop serial(star);
  FairLoop fair(star);
  RunAll(star.is_fair ? static_cast<Loop&>(fair) : serial, star);
}
