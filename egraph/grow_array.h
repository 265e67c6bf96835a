// A vector of plain values that grows in place.
//
// The arrays of an e-graph are most of a process's memory. A std::vector copies itself when it
// grows and for that moment holds everything one and a half times. Large arrays here are pages of
// their own, which the system moves without copying and takes back at once, and of which those that
// were never written are not resident.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

// Sanitizers see what `realloc` gives, not what `mmap` does.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#include <sys/mman.h>
#define FLIPSAT_GROW_BY_PAGES 1
#else
#define FLIPSAT_GROW_BY_PAGES 0
#endif

namespace flipsat::egraph {

template <class T>
class GrowArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowArray() = default;
  GrowArray(const GrowArray& other) { assign(other.data_, other.size_); }
  GrowArray(GrowArray&& other) noexcept { swap(other); }
  GrowArray& operator=(GrowArray other) noexcept {
    swap(other);
    return *this;
  }
  ~GrowArray() { free_block(data_, capacity_); }

  T& operator[](size_t i) {
    assert(i < size_);
    return data_[i];
  }
  const T& operator[](size_t i) const {
    assert(i < size_);
    return data_[i];
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  void push_back(T value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }
  // Room for `count` more values, to be written by the caller.
  T* extend(size_t count) {
    if (size_ + count > capacity_) grow(size_ + count);
    T* room = data_ + size_;
    size_ += count;
    return room;
  }
  void append(const T* values, size_t count) {
    if (count > 0) std::memcpy(extend(count), values, count * sizeof(T));
  }
  void resize(size_t count, T value = T()) {
    if (count > capacity_) grow(count);
    for (size_t i = size_; i < count; ++i) data_[i] = value;
    size_ = count;
  }
  void assign(const T* values, size_t count) {
    size_ = 0;
    append(values, count);
  }
  void reserve(size_t count) {
    if (count > capacity_) reallocate(count);
  }
  void clear() { size_ = 0; }
  // Gives the memory back.
  void release() { *this = GrowArray(); }

 private:
  void swap(GrowArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void grow(size_t count) {
    constexpr size_t kFirst = 64 / sizeof(T) > 4 ? 64 / sizeof(T) : 4;
    size_t capacity = capacity_ < kFirst ? kFirst : 2 * capacity_;
    reallocate(capacity < count ? count : capacity);
  }
  void reallocate(size_t capacity) {
    data_ = move_block(data_, capacity_, capacity, size_);
    capacity_ = capacity;
  }

#if FLIPSAT_GROW_BY_PAGES
  static constexpr size_t kPages = size_t{1} << 17;  // bytes from which on a block is pages

  static bool is_pages(size_t capacity) { return capacity * sizeof(T) >= kPages; }
  static T* move_block(T* block, size_t from, size_t to, size_t used) {
    if (!is_pages(to)) return checked(std::realloc(static_cast<void*>(block), to * sizeof(T)));
    if (is_pages(from)) {
      return checked(mremap(block, from * sizeof(T), to * sizeof(T), MREMAP_MAYMOVE));
    }
    T* const pages = checked(
        mmap(nullptr, to * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (used > 0) std::memcpy(static_cast<void*>(pages), block, used * sizeof(T));
    std::free(block);
    return pages;
  }
  static void free_block(T* block, size_t capacity) {
    if (is_pages(capacity)) {
      munmap(block, capacity * sizeof(T));
    } else {
      std::free(block);
    }
  }
  static T* checked(void* block) {
    if (block == nullptr || block == MAP_FAILED) throw std::bad_alloc();
    return static_cast<T*>(block);
  }
#else
  static T* move_block(T* block, size_t, size_t to, size_t) {
    void* const moved = std::realloc(static_cast<void*>(block), to * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    return static_cast<T*>(moved);
  }
  static void free_block(T* block, size_t) { std::free(block); }
#endif

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace flipsat::egraph
