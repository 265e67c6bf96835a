// --memory: how much a process may hold.
#pragma once

#include <cstdint>
#include <string>

namespace flipsat::tools {

// "512M", "4G", "1.5GiB": in units of 1024, as bytes. Throws UsageError for anything else.
int64_t memory_size(const std::string& text);
// "512 MiB", for messages.
std::string readable_memory(int64_t bytes);

// What this process holds now: pages that are resident.
int64_t resident_bytes();
// The same of what only it can hold: what limit_memory counts.
int64_t private_bytes();

// From now on this process gets no more than that many private bytes; what asks for more calls
// `exhausted`, which must not return. Where the system knows no such limit, nothing happens.
void limit_memory(int64_t bytes, void (*exhausted)());

// What limit_memory does not count: pages of the program and its libraries.
inline constexpr int64_t kMappedBytes = int64_t{32} << 20;

// The same for a command of one process that may hold `bytes` in all (0: no limit): with too little
// it says so and ends with the status of bad usage. Throws UsageError where it holds more already.
void limit_this_process(int64_t bytes);

}  // namespace flipsat::tools
