// The `flipsat` program.
#include "tools/command_line.h"

int main(int argc, char** argv) { return flipsat::tools::run_command_line(argc, argv); }
