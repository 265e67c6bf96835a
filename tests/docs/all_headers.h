// What the code blocks of docs/egraph see without saying so: every public header of the engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "egraph/analysis.h"
#include "egraph/edges.h"
#include "egraph/egraph.h"
#include "egraph/explain.h"
#include "egraph/extract.h"
#include "egraph/history.h"
#include "egraph/ids.h"
#include "egraph/io/graphviz.h"
#include "egraph/io/input_error.h"
#include "egraph/io/print.h"
#include "egraph/io/serialize.h"
#include "egraph/io/symbols.h"
#include "egraph/io/text.h"
#include "egraph/io/workload.h"
#include "egraph/limits.h"
#include "egraph/match.h"
#include "egraph/node_ranges.h"
#include "egraph/operators.h"
#include "egraph/pattern.h"
#include "egraph/rule.h"
#include "egraph/runner.h"
#include "egraph/scheduler.h"
#include "egraph/term_pool.h"
