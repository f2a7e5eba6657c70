#include "experiments/store/fingerprint.h"

#include <nlohmann/json.hpp>

#include "experiments/store/sha256.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/cost_yaml_write.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const sim::GemmEfficiency& gemm) {
  return {gemm.e_max, gemm.h_m, gemm.h_n, gemm.h_k};
}

// True if a device gives what the first version of this list did not know.
bool HasLaterTerms(const sim::CostParameters& cost) {
  sim::CostParameters plain = cost;
  plain.compute_units = 1;
  plain.rnn.clear();
  plain.attention.clear();
  plain.types.clear();
  for (auto& [dtype, gemm] : plain.gemm) {
    gemm = {.efficiency = gemm.efficiency};
  }
  for (auto& [dtype, passes] : plain.conv) {
    for (sim::ConvParameters& pass : passes) {
      pass = {.gemm = pass.gemm, .winograd_gain = pass.winograd_gain};
    }
  }
  return !(plain == cost);
}

Json ToJson(const sim::CostParameters& cost) {
  Json json = {cost.default_sustained_fraction,
               cost.softmax_q,
               cost.memory_efficiency,
               cost.rnn_step_overhead_s};
  for (const auto& [dtype, fraction] : cost.sustained_fraction) {
    json.push_back({"sustained", sim::NameOf(dtype), fraction});
  }
  if (cost.l2.has_value()) {
    json.push_back({"l2", cost.l2->size.count, cost.l2->bandwidth_bytes_per_s});
  }
  for (const auto& [dtype, gemm] : cost.gemm) {
    json.push_back({"gemm", sim::NameOf(dtype), ToJson(gemm.efficiency)});
  }
  for (const auto& [dtype, passes] : cost.conv) {
    for (const sim::ConvParameters& pass : passes) {
      json.push_back({"conv", sim::NameOf(dtype), ToJson(pass.gemm), pass.winograd_gain});
    }
  }
  for (const sim::ClassEfficiency& entry : cost.classes) {
    json.push_back({"class",
                    entry.efficiency.value_or(0.0),
                    entry.efficiency.has_value(),
                    entry.memory_efficiency.value_or(0.0),
                    entry.memory_efficiency.has_value()});
  }
  if (HasLaterTerms(cost)) {
    json.push_back({"cost", sim::CostFlowMap(cost).Text()});
  }
  return json;
}

Json ToJson(const sim::Device& device) {
  Json json = {device.name,
               device.type,
               sim::NameOf(device.kind),
               device.memory.count,
               device.memory_bandwidth_bytes_per_s,
               device.launch_overhead_s,
               ToJson(device.cost)};
  for (const auto& [dtype, peak] : device.peak_flops_per_s) {
    json.push_back({sim::NameOf(dtype), peak});
  }
  if (sim::HasCopyOverhead(device)) {
    json.push_back({"copies", device.copy_overhead_s, device.copy_bandwidth_bytes_per_s});
  }
  if (device.memory_pool != sim::Device::kNoMemoryPool) {
    json.push_back({"memory_pool", device.memory_pool});
  }
  return json;
}

Json ToJson(const sim::Link& link) {
  return {link.name,
          link.between,
          link.bandwidth_bytes_per_s,
          link.latency.picoseconds,
          static_cast<int>(link.duplex)};
}

Json ToJson(const sim::ExplicitRoute& route) {
  return {route.from.value,
          route.to.value,
          route.links,
          route.latency.has_value(),
          route.latency.value_or(SimTime{}).picoseconds};
}

// The rules of simulation; enumerators by their number, which never changes.
Json RulesToJson(const sim::HardwareProfile& hardware) {
  const sim::TransferRules& transfers = hardware.transfers;
  Json rules = {static_cast<int>(hardware.rules),
                hardware.execution.dispatch.picoseconds,
                hardware.execution.gap_after_op.picoseconds,
                hardware.execution.trailing_gaps_count,
                hardware.fusion.max_ops,
                hardware.fusion.max_depth_span,
                static_cast<int>(transfers.sharing),
                transfers.channels.links,
                transfers.channels.egress,
                transfers.channels.ingress,
                transfers.channels.pair,
                static_cast<int>(transfers.one_per),
                transfers.gap_after.picoseconds,
                static_cast<int>(hardware.memory.on_exceed),
                hardware.memory.reserve};
  if (hardware.execution.streams != sim::StreamRule::kSerial) {  // older results have no such rule
    rules.push_back(static_cast<int>(hardware.execution.streams));
  }
  return rules;
}

}  // namespace

std::string Fingerprint(const sim::OpGraph& graph) {
  return Sha256(sim::WriteGraphText(graph, sim::ModulesInText::kLeftOut));
}

std::string Fingerprint(const sim::HardwareProfile& hardware) {
  Json json = {hardware.name, hardware.switches, RulesToJson(hardware)};
  for (const sim::Device& device : hardware.devices) {
    json.push_back(ToJson(device));
  }
  for (const sim::MemoryPool& pool : hardware.memory_pools) {
    json.push_back({"pool", pool.name, pool.memory.count, pool.bandwidth_bytes_per_s});
  }
  for (const sim::Link& link : hardware.links) {
    json.push_back(ToJson(link));
  }
  for (const sim::ExplicitRoute& route : hardware.routes) {
    json.push_back(ToJson(route));
  }
  return Sha256(json.dump());
}

}  // namespace opyard::experiments
