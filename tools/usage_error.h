// The command line asks for something that cannot be done. Printed as it is; exit status 2.
#pragma once

#include <stdexcept>

namespace flipsat::tools {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace flipsat::tools
