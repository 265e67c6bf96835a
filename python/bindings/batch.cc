// A batch whose work is done elsewhere (flipsat.batch): the files are those of the command, since
// the same object writes them.
#include "tools/batch/batch.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "frontends/file.h"
#include "python/bindings/bindings.h"
#include "python/bindings/strings.h"
#include "python/bindings/words.h"
#include "tools/batch/options.h"
#include "tools/memory.h"
#include "tools/usage_error.h"

namespace flipsat::python {
namespace {

std::string content(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

nb::bytes to_bytes_object(const std::string& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

// Where the files are read and written: not in a worker.
class Batch {
 public:
  explicit Batch(nb::typed<nb::list, nb::str> listed) {
    const Words words = to_words(listed);
    const nb::gil_scoped_release unlocked;
    parse_words(words, [&](CLI::App& parser) { tools::add_batch_options(parser, arguments_); });
    opened_ = tools::open_batch(arguments_);
  }

  size_t task_count() const { return batch().tasks().size(); }
  size_t module_count() const { return batch().records().size(); }
  size_t known() const { return batch().known(); }
  std::string identity() const { return batch().options().identity; }
  uint64_t size(size_t task) const { return batch().tasks().at(task).bytes; }
  size_t file_count(size_t task) const { return batch().tasks().at(task).files.size(); }
  nb::str path(size_t task) const { return to_str(path_of(task)); }

  nb::bytes read(size_t task) const {
    std::string bytes;
    {
      const nb::gil_scoped_release unlocked;
      bytes = frontends::read_raw(path_of(task));
      if (tools::key_of(identity(), bytes) != batch().tasks().at(task).key) {
        throw tools::UsageError("it was written to while the batch ran");
      }
    }
    return to_bytes_object(bytes);
  }

  void begin(const std::string& scheduler) {
    batch().begin(scheduler.empty() ? tools::Json::object()
                                    : tools::Json{{"scheduler", scheduler}});
  }

  void keep(size_t task, const nb::bytes& input, const nb::bytes& entry, const std::string& worker,
            double milliseconds) {
    const std::string read = content(input), encoded = content(entry);
    const nb::gil_scoped_release unlocked;
    const std::optional<tools::Entry> decoded = tools::decode(encoded);
    if (!decoded) throw tools::UsageError("what a worker sent is no answer");
    const tools::Batch::Task& which = batch().tasks().at(task);
    batch().note(which, batch().keep(which, read, *decoded),
                 {{"worker", worker}, {"ms", std::round(milliseconds)}});
  }

  void fail(size_t task, const std::string& why, const std::string& worker) {
    batch().note_failure(batch().tasks().at(task), why, {{"worker", worker}});
  }

  void retried(size_t task, const std::string& why) {
    const tools::Batch::Task& which = batch().tasks().at(task);
    batch().log().note("retried", {{"module", batch().records()[which.files.front()].relative},
                                   {"key", which.key},
                                   {"why", why}});
  }

  // Writes the report; how many modules failed.
  size_t finish() {
    const nb::gil_scoped_release unlocked;
    tools::write_reports(opened_, arguments_);
    return static_cast<size_t>(std::ranges::count_if(
        batch().records(), [](const tools::BatchRecord& record) { return !record.error.empty(); }));
  }

  nb::str text() const { return to_str(tools::batch_text(opened_, arguments_)); }

 private:
  tools::Batch& batch() const { return *opened_.batch; }
  const std::string& path_of(size_t task) const {
    return batch().records()[batch().tasks().at(task).files.front()].path;
  }

  tools::BatchArguments arguments_;
  tools::OpenedBatch opened_;
};

// What a worker does: bytes in, an answer out. It may be used by several threads.
class BatchSolver {
 public:
  explicit BatchSolver(nb::typed<nb::list, nb::str> listed) {
    const Words words = to_words(listed);
    const nb::gil_scoped_release unlocked;
    tools::BatchArguments arguments;
    parse_words(words, [&](CLI::App& parser) { tools::add_batch_options(parser, arguments); });
    options_ = tools::optimizer_options(arguments.optimizer);
    options_.solved = std::make_shared<egraph::dag::SolvedParts>();
    identity_ = tools::identity_of(arguments.optimizer, options_);
  }

  const std::string& identity() const { return identity_; }

  nb::bytes solve(const nb::bytes& input, nb::str shown) const {
    const std::string bytes = content(input), name = to_bytes(shown);
    std::string entry;
    {
      const nb::gil_scoped_release unlocked;
      entry = tools::encode(tools::solve(bytes, name, options_));
    }
    return to_bytes_object(entry);
  }

 private:
  optimizer::Options options_;
  std::string identity_;
};

}  // namespace

void bind_batch(nb::module_& core) {
  core.def(
      "memory_size", [](nb::str text) { return tools::memory_size(to_bytes(text)); },
      nb::arg("text"), "Bytes, of `--memory`.");
  nb::class_<Batch>(core, "Batch", "A batch's folder, and what is left to do there.")
      .def(nb::init<nb::typed<nb::list, nb::str>>(), nb::arg("words"),
           "With the words of the command `flipsat batch`.")
      .def_prop_ro("task_count", &Batch::task_count)
      .def_prop_ro("module_count", &Batch::module_count)
      .def_prop_ro("known", &Batch::known, "Modules that an earlier run has finished.")
      .def_prop_ro("identity", [](const Batch& batch) { return to_str(batch.identity()); })
      .def("size", &Batch::size, nb::arg("task"), "In bytes.")
      .def("file_count", &Batch::file_count, nb::arg("task"), "Modules of equal content.")
      .def("path", &Batch::path, nb::arg("task"))
      .def("read", &Batch::read, nb::arg("task"), "The bytes of the module.")
      .def(
          "begin", [](Batch& batch, nb::str scheduler) { batch.begin(to_bytes(scheduler)); },
          nb::arg("scheduler"), "Begins the log; `scheduler` is empty where nothing is left to do.")
      .def(
          "keep",
          [](Batch& batch, size_t task, const nb::bytes& input, const nb::bytes& answer,
             nb::str worker, double milliseconds) {
            batch.keep(task, input, answer, to_bytes(worker), milliseconds);
          },
          nb::arg("task"), nb::arg("input"), nb::arg("answer"), nb::arg("worker"),
          nb::arg("milliseconds"), "Writes what a worker found.")
      .def(
          "fail",
          [](Batch& batch, size_t task, nb::str why, nb::str worker) {
            batch.fail(task, to_bytes(why), to_bytes(worker));
          },
          nb::arg("task"), nb::arg("why"), nb::arg("worker"))
      .def(
          "retried",
          [](Batch& batch, size_t task, nb::str why) { batch.retried(task, to_bytes(why)); },
          nb::arg("task"), nb::arg("why"))
      .def("finish", &Batch::finish, "Writes the report. How many modules failed.")
      .def("text", &Batch::text, "What the command prints.");
  nb::class_<BatchSolver>(core, "BatchSolver", "What a worker of a batch does.")
      .def(nb::init<nb::typed<nb::list, nb::str>>(), nb::arg("words"),
           "With the words that the batch has; only options of the optimizer count here.")
      .def_prop_ro("identity", [](const BatchSolver& solver) { return to_str(solver.identity()); })
      .def("solve", &BatchSolver::solve, nb::arg("input"), nb::arg("shown"));
}

}  // namespace flipsat::python
