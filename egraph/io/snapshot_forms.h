// What a snapshot is made of, and its two forms as files. For snapshot.cc: clients include
// snapshot.h.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "egraph/arrays.h"

namespace flipsat::egraph::snapshot {

enum DataForm : uint32_t {
  kNoData,       // the graph has no analysis
  kDataByMake,   // left out
  kDataWritten,  // by the client
};

// What a graph has that is no array of it, or stands otherwise in its arrays.
struct Extra {
  std::vector<uint32_t> operators;  // kind and payload of each
  std::vector<uint32_t> unordered;  // kinds
  GrowArray<uint32_t> words;        // those of the graph, names made canonical
  std::vector<Edge> edges;
  uint32_t has_history = 0;
  uint32_t has_given_data = 0;
  uint32_t data_form = kNoData;
  std::vector<uint32_t> data_sizes;  // by class in increasing order: of its piece of `data`
  std::string data;
};

// Streams that do not take all are left bad.
void write_binary(const Arrays& arrays, const Extra& extra, std::ostream& out);
void write_json(const Arrays& arrays, const Extra& extra, std::ostream& out);

// Throw std::runtime_error with what is wrong: a file that is none, of another version, cut off,
// without something, or with another checksum. What the arrays hold may be anything.
void read_binary(std::istream& in, Arrays& arrays, Extra& extra);
void read_json(std::istream& in, Arrays& arrays, Extra& extra);

}  // namespace flipsat::egraph::snapshot
