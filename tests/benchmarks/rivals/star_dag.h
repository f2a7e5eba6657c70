// One DAG on a star of equal devices, with plans for it, as tests/benchmarks/side_by_side.py writes
// them for the programs that stand beside opyard. Each op has one output.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

struct Reader {
  int op = 0;
  double bytes = 0.0;  // of the producer's output: the same for all its readers
};

struct StarDag {
  int num_ops = 0;
  int num_devices = 0;
  std::vector<std::int64_t> duration_ps;  // [num_ops]
  std::vector<int> first_reader;          // [num_ops + 1]: of op i from here up to that of i + 1
  std::vector<Reader> all_readers;        // of one op by ascending op
  std::vector<int> num_inputs;            // [num_ops]

  struct Readers {
    const Reader* first;
    const Reader* last;
    const Reader* begin() const { return first; }
    const Reader* end() const { return last; }
  };
  Readers readers(int op) const {
    return {all_readers.data() + first_reader[op], all_readers.data() + first_reader[op + 1]};
  }
};

struct StarPlan {
  std::vector<int> device;    // [num_ops]
  std::vector<int> priority;  // [num_ops]; higher runs first
};

struct StarCase {
  StarDag dag;
  std::vector<StarPlan> plans;
  bool is_fair = false;  // max-min fair links; else one transfer at a time per end of a link
  double bandwidth_bytes_per_s = 0.0;
  double latency_s = 0.0;  // of a route
};

template <class Number>
std::vector<Number> ReadNumbers(std::istream& file, int count) {
  std::vector<Number> numbers(static_cast<std::size_t>(count));
  for (Number& number : numbers) {
    file >> number;
  }
  return numbers;
}

// The words of the file: "serial" or "fair", bandwidth, latency, numbers of ops, devices, edges and
// plans; durations in picoseconds; source, target and bytes of each edge; devices, then priorities
// of each plan.
inline StarCase ReadStarCase(const char* path) {
  std::ifstream file(path);
  StarCase read;
  StarDag& dag = read.dag;
  std::string sharing;
  int num_edges = 0;
  int num_plans = 0;
  file >> sharing >> read.bandwidth_bytes_per_s >> read.latency_s;
  file >> dag.num_ops >> dag.num_devices >> num_edges >> num_plans;
  read.is_fair = sharing == "fair";
  dag.duration_ps = ReadNumbers<std::int64_t>(file, dag.num_ops);
  dag.first_reader.assign(static_cast<std::size_t>(dag.num_ops) + 1, num_edges);
  dag.num_inputs.resize(static_cast<std::size_t>(dag.num_ops));
  for (int edge = 0; edge < num_edges; ++edge) {
    int source = 0;
    Reader reader;
    file >> source >> reader.op >> reader.bytes;
    for (int op = source; op >= 0 && dag.first_reader[op] > edge; --op) {
      dag.first_reader[op] = edge;  // edges come by source
    }
    dag.all_readers.push_back(reader);
    ++dag.num_inputs[static_cast<std::size_t>(reader.op)];
  }
  for (int plan = 0; plan < num_plans; ++plan) {
    auto device = ReadNumbers<int>(file, dag.num_ops);
    auto priority = ReadNumbers<int>(file, dag.num_ops);
    read.plans.push_back({device, priority});
  }
  if (!file) {
    std::cerr << path << ": not a case of side_by_side.py\n";
    std::exit(2);
  }
  return read;
}

// Ready ops and waiting transfers go by priority, then by the instant at which they came, then by
// index.
struct QueueEntry {
  int priority = 0;
  std::int64_t since_ps = 0;
  int op = 0;
  double bytes = 0.0;  // of a transfer

  // Heaps of the standard library keep the greatest in front.
  friend bool operator<(const QueueEntry& a, const QueueEntry& b) {
    if (a.priority != b.priority) {
      return a.priority < b.priority;
    }
    return a.since_ps != b.since_ps ? a.since_ps > b.since_ps : a.op > b.op;
  }
};

// An op's transfers to each device besides its own: priority and bytes by device; −1 for nothing.
struct Sends {
  static constexpr int kMostDevices = 8;
  int priority[kMostDevices];
  double bytes[kMostDevices];
};

inline Sends SendsOf(const StarDag& dag, const StarPlan& plan, int op) {
  Sends sends;
  std::fill_n(sends.priority, Sends::kMostDevices, -1);
  const int home = plan.device[op];
  for (const Reader& reader : dag.readers(op)) {
    const int device = plan.device[reader.op];
    if (device != home) {
      sends.priority[device] = std::max(sends.priority[device], plan.priority[reader.op]);
      sends.bytes[device] = reader.bytes;
    }
  }
  return sends;
}
