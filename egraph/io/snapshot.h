// Snapshots: an e-graph written to a stream, and read back as it was.
//
//   std::ofstream out("graph.snapshot", std::ios::binary);
//   write_snapshot(graph, out);
//   std::ifstream in("graph.snapshot", std::ios::binary);
//   EGraph again = read_snapshot(in, "graph.snapshot");
//
// What is read has the same ids, and goes on like the graph that was written: the same rules make
// the same e-graph of it, node for node. Operators, unordered kinds, directed edges, history and
// epochs are kept; checkpoints (`EGraph::push`) are not. A client keeps what payloads mean.
//
// Two forms: binary (magic number, version, the arrays as little-endian words, checksum), which
// reads and writes at the speed of memory, and JSON of the same arrays, for other tools. A reader
// tells them apart by the first byte.
//
// A file is not trusted, checksum or not. Whatever its bytes are, reading ends in time and memory
// linear in its size: with an e-graph that holds every invariant (`EGraph::check`), or with an
// InputError that says what is wrong.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "egraph/egraph.h"
#include "egraph/io/input_error.h"

namespace flipsat::egraph {

enum class SnapshotFormat : uint8_t { kBinary, kJson };

// The graph must be rebuilt (std::logic_error). Analysis data are written where the analysis says
// how (`Analysis::writes_data`), and otherwise left out, to be made again by the reader: if the
// client has handed data over to `EGraph::add`, that is a std::logic_error. Throws
// std::ios_base::failure where the stream does not take it.
void write_snapshot(const EGraph& graph, std::ostream& out,
                    SnapshotFormat format = SnapshotFormat::kBinary);

// `file` is for messages alone. The binary form ends where it ends, and the stream may go on; JSON
// must be all that is left. With an analysis, classes have the data that were written, or those of
// the fix-point of `make` and `merge`; data that were written are skipped where none is given.
EGraph read_snapshot(std::istream& in, const std::string& file,
                     std::unique_ptr<Analysis> analysis = nullptr);

}  // namespace flipsat::egraph
