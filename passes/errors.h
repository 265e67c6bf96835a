// What a pass can do to a compiler run besides rewriting: stop it.
#pragma once

#include <stdexcept>
#include <string>

namespace flipsat::passes {

// A pass made a module that the verifier of well-formedness refuses. In mode `sound` that is a
// fault of ours; in mode `literal` it is what the compiler's pass would have done.
class IllFormedModule : public std::logic_error {
 public:
  IllFormedModule(const std::string& pass, const std::string& reason)
      : std::logic_error(pass + " made a module that is not well formed: " + reason) {}
};

// The compiler ends itself here, with this message.
class FatalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace flipsat::passes
