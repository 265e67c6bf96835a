// The `flipsat` program.
#include "tools/command_line.h"
#ifdef FLIPSAT_MIMALLOC
#include <mimalloc.h>

#include <new>

namespace {

// The allocator's own `new` ends the process where there is no memory; this one does what the
// standard says, on which --memory rests.
void* allocate(size_t size, size_t alignment) {
  for (;;) {
    void* memory = alignment == 0 ? mi_malloc(size) : mi_malloc_aligned(size, alignment);
    if (memory != nullptr) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(size_t size) { return allocate(size, 0); }
void* operator new[](size_t size) { return allocate(size, 0); }
void* operator new(size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<size_t>(alignment));
}
#endif

int main(int argc, char** argv) {
#ifdef FLIPSAT_MIMALLOC  // e-graphs are millions of small pieces
  mi_option_enable(mi_option_large_os_pages);
#endif
  return flipsat::tools::run_command_line(argc, argv);
}
