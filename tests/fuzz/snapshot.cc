// Fuzz target of the reader of snapshots: any bytes are read or refused; what was read is written
// so that it reads the same, and goes on as a sound e-graph. The checksum of the binary form is
// mended first, which else would hide what is behind it.
#include "egraph/io/snapshot.h"

#include <sstream>
#include <stdexcept>

#include "egraph/io/snapshot_checksum.h"
#include "egraph/runner.h"
#include "tests/fuzz/require.h"

namespace {

using namespace flipsat;
using namespace flipsat::egraph;

std::string mended(std::string bytes) {
  constexpr size_t kMagic = 8, kSum = 8;
  if (bytes.size() < kMagic + kSum || bytes[0] != '\x89') return bytes;
  Checksum sum;
  sum.add(bytes.data() + kMagic, bytes.size() - kMagic - kSum);
  for (size_t i = 0; i < kSum; ++i) {
    bytes[bytes.size() - kSum + i] = static_cast<char>(sum.value() >> (8 * i));
  }
  return bytes;
}

std::string written(const EGraph& graph) {
  std::ostringstream out;
  write_snapshot(graph, out);
  return out.str();
}

EGraph read(const std::string& bytes) {
  std::istringstream in(bytes);
  return read_snapshot(in, "fuzz");
}

// Rules for whatever operators there are, that match, add and merge.
RuleSet some_rules(const EGraph& graph) {
  const ClassVar x{"x"}, y{"y"};
  RuleSet rules;
  for (OperatorId op = 0; op < std::min(graph.operators().size(), 4u); ++op) {
    const Kind kind = graph.operators().kind(op);
    const std::string number = std::to_string(op);
    rules.add(Rule("turn" + number, node(kind, {x, y})).to(exact(op, {y, x})));
    rules.add(Rule("drop" + number, node(kind, {x})).to(x));
    rules.add(Rule("wrap" + number, node(kind)).to(exact(op, {exact(op)})));
  }
  return rules;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    EGraph graph = read(mended({reinterpret_cast<const char*>(data), size}));
    graph.check();
    const std::string once = written(graph);
    fuzz::require(written(read(once)) == once, "a written snapshot is another");
    RunOptions options;
    options.limits.iterations = 2;
    options.limits.nodes = graph.node_count() + 1000;
    const RuleSet rules = some_rules(graph);
    run(graph, rules, options);
    graph.check();
  } catch (const InputError&) {
  } catch (const std::length_error&) {  // no more epochs
  }
  return 0;
}
