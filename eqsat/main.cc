// The `eqsat` command: equality saturation on workload files, rules and terms as text.
#include "eqsat/commands.h"

int main(int argc, char** argv) { return flipsat::eqsat::run_command_line(argc, argv); }
