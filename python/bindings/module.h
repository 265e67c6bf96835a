// An HLO module as Python holds it: it never changes, so that threads may share it.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "frontends/file.h"
#include "hlo/module.h"

namespace flipsat::python {

class Module {
 public:
  // As it was read.
  explicit Module(hlo::Module module);
  // As the optimizer made it of `origin`.
  Module(hlo::Module made, const Module& origin);

  // What is written.
  const hlo::Module& module() const { return module_; }
  frontends::FileKind kind() const { return kind_; }
  // What the optimizer and the verifier take: one that is made is read anew, so that the result is
  // the same as by way of a file.
  const hlo::Module& input() const;

 private:
  hlo::Module module_;
  frontends::FileKind kind_;
  bool is_made_ = false;
  mutable std::once_flag once_;
  mutable hlo::Module reread_;
};

}  // namespace flipsat::python
