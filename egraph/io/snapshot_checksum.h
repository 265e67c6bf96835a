// The checksum of binary snapshots, and streams that keep it. It finds damage, not malice.
#pragma once

#include <cstdint>
#include <cstring>
#include <streambuf>

namespace flipsat::egraph {

// Of bytes, however they are cut into pieces.
class Checksum {
 public:
  void add(const char* bytes, size_t count) {
    length_ += count;
    for (; count > 0 && waiting_ != 0; --count) take(*bytes++);
    uint64_t sum = sum_;
    for (; count >= 8; bytes += 8, count -= 8) sum = step(sum, word_at(bytes));
    sum_ = sum;
    for (; count > 0; --count) take(*bytes++);
  }
  uint64_t value() const { return step(step(sum_, word_), length_); }

 private:
  static uint64_t step(uint64_t sum, uint64_t word) {
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    return sum ^ (sum >> 29);
  }
  // Little-endian on every machine.
  static uint64_t word_at(const char* bytes) {
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i) {
      word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return word;
  }
  void take(char byte) {
    word_ |= uint64_t{static_cast<unsigned char>(byte)} << (8 * waiting_);
    if (++waiting_ < 8) return;
    sum_ = step(sum_, word_);
    word_ = 0;
    waiting_ = 0;
  }

  uint64_t sum_ = 0;
  uint64_t length_ = 0;
  uint64_t word_ = 0;     // the bytes that are no whole word yet
  uint32_t waiting_ = 0;  // how many
};

// Passes blocks of bytes on to or from another buffer and sums them.
class SummingBuffer : public std::streambuf {
 public:
  explicit SummingBuffer(std::streambuf& inner) : inner_(inner) {}
  uint64_t sum() const { return sum_.value(); }

 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    sum_.add(bytes, static_cast<size_t>(count));
    return inner_.sputn(bytes, count);
  }
  std::streamsize xsgetn(char* bytes, std::streamsize count) override {
    const std::streamsize had = inner_.sgetn(bytes, count);
    sum_.add(bytes, static_cast<size_t>(had));
    return had;
  }

 private:
  std::streambuf& inner_;
  Checksum sum_;
};

}  // namespace flipsat::egraph
