/// \file
/// Reads the command's option values. Every error names the option, the value and what is accepted.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "jobs.hpp"
#include "simulate.hpp"

namespace nearfork::sim {

/// More simulated workers than this are refused: rings take memory in proportion to the square.
inline constexpr std::uint64_t max_workers = 4096;
/// At most so many numbers of workers in one list, and so many seeds a run.
inline constexpr std::size_t max_runs = 256;
inline constexpr std::uint64_t max_seeds = 10'000;

/// A whole number from \p low to \p high in decimal digits. \p why is added to what is accepted.
/// \throws config_error otherwise, as do the others below.
std::uint64_t parse_count(std::string_view text, std::string_view option, std::uint64_t low,
                          std::uint64_t high, std::string_view why = "");
/// Whole numbers from 1 to max_workers, separated by commas.
std::vector<std::size_t> parse_workers(std::string_view text, std::string_view option);
/// Four numbers of steps, from 0.001 to 1000000, for the rings smt, cache, node and remote.
std::array<ticks, ring_count> parse_costs(std::string_view text, std::string_view option);
/// A number from 0 to 1000.
double parse_penalty(std::string_view text, std::string_view option);
steal_end parse_steal_end(std::string_view text, std::string_view option);
victim_policy parse_victims(std::string_view text, std::string_view option);
job_kind parse_job(std::string_view text, std::string_view option);
home_policy parse_home_policy(std::string_view text, std::string_view option);

}  // namespace nearfork::sim
