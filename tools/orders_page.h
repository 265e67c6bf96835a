// A page on what `flipsat orders` has found, and the pictures on it.
#pragma once

#include <string>

#include "tools/orders.h"

namespace flipsat::tools {

// The whole document.
std::string orders_page(const Orders& orders);

// ---- pictures, as SVG ----
// How many orders end at which cost, beside the e-graph's and the bound.
std::string cost_histogram(const laboratory::Study& study, extract::Objective objective);
// The programs on the way of all orders, and the passes that lead from one to another.
// Its arrow heads are those of `lattice_arrow`, which the page has once.
std::string lattice_graph(const laboratory::Study& study, extract::Objective objective);
std::string lattice_arrow();
// Regret by module and by kind of order; empty where no order matters.
std::string regret_map(const Orders& orders);
// How often swapping two neighbours changes the program.
std::string swap_matrix(const std::vector<laboratory::Swap>& swaps,
                        const std::vector<std::string>& passes, size_t listed);

}  // namespace flipsat::tools
