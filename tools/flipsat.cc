// The `flipsat` program.
#include "tools/command_line.h"
#ifdef FLIPSAT_MIMALLOC
#include <mimalloc.h>
#endif

int main(int argc, char** argv) {
#ifdef FLIPSAT_MIMALLOC  // e-graphs are millions of small pieces
  mi_option_enable(mi_option_large_os_pages);
#endif
  return flipsat::tools::run_command_line(argc, argv);
}
