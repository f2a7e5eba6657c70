// Runs one DAG on a star of hosts in SimGrid: one op at a time per host in FIFO order, one transfer
// per tensor and destination, max-min fair sharing. Prints the makespan and the seconds that the
// simulation took. Reads: ops devices edges, then duration and host of each op, then source, target
// and bytes of each edge, grouped by source.
#include <chrono>
#include <cstdio>
#include <deque>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

namespace {

struct Reader {
  int op;
  double bytes;
};

struct Dag {
  std::vector<double> duration;
  std::vector<int> host;
  std::vector<std::vector<Reader>> readers;
  std::vector<int> pending;
};

struct Star {
  std::vector<sg4::Host*> hosts;
  std::vector<std::deque<int>> ready;
  std::vector<sg4::SemaphorePtr> num_ready;
};

Dag dag;
Star star;
int num_left = 0;

void CountDown(int op) {
  if (--dag.pending[op] == 0) {
    star.ready[dag.host[op]].push_back(op);
    star.num_ready[dag.host[op]]->release();
  }
}

// Hands the output of `op` to its readers on `host`.
void Deliver(int op, int host) {
  for (const Reader& reader : dag.readers[op]) {
    if (dag.host[reader.op] == host) {
      CountDown(reader.op);
    }
  }
}

// One actor per transfer: only an actor can wait for its end.
void SendTo(int op, int host, double bytes) {
  sg4::Comm::sendto(star.hosts[dag.host[op]], star.hosts[host], static_cast<uint64_t>(bytes));
  Deliver(op, host);
}

void Send(int op) {
  std::map<int, double> bytes_to;
  for (const Reader& reader : dag.readers[op]) {
    if (dag.host[reader.op] != dag.host[op]) {
      bytes_to[dag.host[reader.op]] = reader.bytes;
    }
  }
  for (const auto& [host, bytes] : bytes_to) {
    sg4::Actor::create("sender", star.hosts[dag.host[op]], SendTo, op, host, bytes);
  }
}

void RunHost(int host) {
  while (num_left > 0) {
    star.num_ready[host]->acquire();
    if (star.ready[host].empty()) {
      return;  // woken at the end
    }
    const int op = star.ready[host].front();
    star.ready[host].pop_front();
    sg4::this_actor::execute(dag.duration[op]);
    if (--num_left == 0) {
      for (const sg4::SemaphorePtr& waiting : star.num_ready) {
        waiting->release();
      }
    }
    Deliver(op, host);
    Send(op);
  }
}

void MakeStar(int num_hosts, double bandwidth, double latency) {
  auto* zone = sg4::create_star_zone("star");
  for (int i = 0; i < num_hosts; ++i) {
    auto* host = zone->create_host("host" + std::to_string(i), 1.0);
    auto* link = zone->create_split_duplex_link("link" + std::to_string(i), bandwidth);
    link->set_latency(latency);
    link->seal();
    host->seal();
    zone->add_route(host->get_netpoint(),
                    nullptr,
                    nullptr,
                    nullptr,
                    {{link, sg4::LinkInRoute::Direction::UP}},
                    true);
    star.hosts.push_back(host);
    star.num_ready.push_back(sg4::Semaphore::create(0));
  }
  zone->seal();
  star.ready.resize(num_hosts);
}

int Read(const char* path) {
  std::ifstream file(path);
  int num_ops = 0;
  int num_hosts = 0;
  int num_edges = 0;
  file >> num_ops >> num_hosts >> num_edges;
  dag.duration.resize(num_ops);
  dag.host.resize(num_ops);
  dag.readers.resize(num_ops);
  dag.pending.resize(num_ops);
  for (int op = 0; op < num_ops; ++op) {
    file >> dag.duration[op] >> dag.host[op];
  }
  for (int edge = 0; edge < num_edges; ++edge) {
    int source = 0;
    Reader reader{};
    file >> source >> reader.op >> reader.bytes;
    dag.readers[source].push_back(reader);
    ++dag.pending[reader.op];
  }
  num_left = num_ops;
  return num_hosts;
}

}  // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  const int num_hosts = Read(argv[1]);
  MakeStar(num_hosts, std::stod(argv[2]), std::stod(argv[3]));
  for (int op = 0; op < static_cast<int>(dag.pending.size()); ++op) {
    if (dag.pending[op] == 0) {
      star.ready[dag.host[op]].push_back(op);
      star.num_ready[dag.host[op]]->release();
    }
  }
  for (int host = 0; host < num_hosts; ++host) {
    sg4::Actor::create("worker", star.hosts[host], RunHost, host);
  }
  const auto begin = std::chrono::steady_clock::now();
  engine.run();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  std::printf("%.17g %.6f\n", sg4::Engine::get_clock(), spent.count());
}
