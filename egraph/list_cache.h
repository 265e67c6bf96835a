// Lists of classes, copied side by side for the length of one search.
//
// The lists of an e-graph are linked: cheap to grow and to join, but walking one waits for memory
// at each step. A search walks the same classes again and again; the first time it writes down what
// it met.
#pragma once

#include <cstdlib>
#include <new>
#include <span>

#include "egraph/grow_array.h"
#include "egraph/ids.h"

namespace flipsat::egraph {

class ListCache {
 public:
  // For names below `bound`; pages are had only when they are written.
  explicit ListCache(size_t bound)
      : places_(static_cast<uint32_t*>(std::calloc(bound + 1, sizeof(uint32_t)))) {
    if (places_ == nullptr) throw std::bad_alloc();
  }
  ~ListCache() { std::free(places_); }
  ListCache(const ListCache&) = delete;
  ListCache& operator=(const ListCache&) = delete;

  // The list of a class; `write(add)` is called once for each class, and calls add(id) in order.
  // The place of the list in `ids` stays; its address does not, when other lists are written.
  template <class Write>
  std::pair<uint32_t, uint32_t> list(ClassId name, Write&& write) {
    uint32_t& place = places_[name];
    if (place == 0) {
      place = static_cast<uint32_t>(ids_.size()) + 1;
      ids_.push_back(0);
      write([&](uint32_t id) { ids_.push_back(id); });
      ids_[place - 1] = static_cast<uint32_t>(ids_.size()) - place;
    }
    return {place, ids_[place - 1]};
  }
  uint32_t operator[](size_t place) const { return ids_[place]; }

 private:
  uint32_t* places_;  // by class: one above where its list's size stands; zero: not yet written
  GrowArray<uint32_t> ids_;
};

}  // namespace flipsat::egraph
