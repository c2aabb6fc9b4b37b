// Is it a report of `gcnjit fuzz --json`? Reports come from other machines, by hand or by scripts.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gcnjit::cli {

// Of one campaign: far more than anybody has processors.
constexpr uint64_t kMostShards = 100'000;

// What keeps `report` from being one shard's; empty: nothing. Counts are such that those of
// kMostShards can be added.
std::string WhyNoReport(const nlohmann::json& report);

}  // namespace gcnjit::cli
