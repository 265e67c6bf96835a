// Large neighbourhood search: some classes near each other are decided anew, exactly, while all
// others stay in use or out of it. Other good choices are recombined with the best: what differs is
// decided anew.
#pragma once

#include "egraph/dag/local.h"

namespace flipsat::egraph::dag {

// `selection` builds all roots; it only gets cheaper, or stays as dear. The work done.
uint64_t search_neighbourhoods(const Problem& problem, Selection& selection,
                               std::span<const Selection> others, const LocalOptions& options);

}  // namespace flipsat::egraph::dag
