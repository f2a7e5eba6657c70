// The memory in use on each device, its peak, and when the peak was reached.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace opyard::sim {

// Plain counting; who holds what is the engine's business.
class MemoryLedger {
 public:
  struct Account {
    std::int64_t in_use = 0;
    std::int64_t peak = 0;
    std::int64_t peak_ps = 0;  // when the peak was first reached
    std::int64_t capacity = 0;
  };

  void Reset(std::span<const std::int64_t> capacities) {
    accounts_.resize(capacities.size());
    for (std::size_t d = 0; d < capacities.size(); ++d) {
      accounts_[d] = {.capacity = capacities[d]};
    }
  }

  // Takes `bytes` on `device` at `now_ps`.
  // REQUIRES: Fits(device, bytes).
  void Take(std::size_t device, std::int64_t bytes, std::int64_t now_ps) {
    Account& account = accounts_[device];
    account.in_use += bytes;
    if (account.in_use > account.peak) {
      account.peak = account.in_use;
      account.peak_ps = now_ps;
    }
  }

  [[nodiscard]] bool Fits(std::size_t device, std::int64_t bytes) const {
    return accounts_[device].in_use + bytes <= accounts_[device].capacity;
  }

  // As if the device had not held more than `peak`.
  void ResetPeak(std::size_t device, std::int64_t peak) { accounts_[device].peak = peak; }

  // As if `bytes` more had been in use from time 0 on.
  void ShiftPast(std::size_t device, std::int64_t bytes) {
    accounts_[device].in_use += bytes;
    accounts_[device].peak += bytes;
  }

  void Free(std::size_t device, std::int64_t bytes) { accounts_[device].in_use -= bytes; }

  [[nodiscard]] const Account& account(std::size_t device) const { return accounts_[device]; }
  [[nodiscard]] std::span<const Account> accounts() const { return accounts_; }

 private:
  std::vector<Account> accounts_;
};

}  // namespace opyard::sim
