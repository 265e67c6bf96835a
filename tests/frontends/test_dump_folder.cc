#include "frontends/dump_folder.h"

#include "tests/catch.h"

using flipsat::frontends::dump_modules;
using flipsat::frontends::DumpFile;
using flipsat::frontends::DumpModule;
using flipsat::frontends::file_at;
using flipsat::frontends::is_part_of_dump;
using flipsat::frontends::read_dump_name;
using flipsat::frontends::stages_of;

namespace {

std::string parts(const std::string& file) {
  const std::optional<DumpFile> dump = read_dump_name(file);
  if (!dump) return "none";
  return dump->id + " | " + dump->name + " | " + dump->stage + (dump->is_proto ? " | proto" : "");
}

std::string chosen(const std::vector<std::string>& files, const std::string& stage) {
  const std::vector<DumpModule> modules = dump_modules(files);
  REQUIRE(modules.size() == 1);
  const DumpFile* file = file_at(modules.front(), stage);
  return file == nullptr ? "none" : file->file;
}

}  // namespace

TEST_CASE("names of a dump's modules fall into their parts") {
  CHECK(parts("module_0001.jit_step.before_optimizations.txt") ==
        "module_0001 | jit_step | before_optimizations");
  CHECK(parts("module_0001.jit_step.cpu_after_optimizations.hlo.pb") ==
        "module_0001 | jit_step | cpu_after_optimizations | proto");
  CHECK(parts("module_0001.jit_f.sm_9.0_gpu_after_optimizations.txt") ==
        "module_0001 | jit_f | sm_9.0_gpu_after_optimizations");
  CHECK(parts("module_0067.jit_f.cl_707.after_optimizations_before_buffer_assignment.txt") ==
        "module_0067 | jit_f.cl_707 | after_optimizations_before_buffer_assignment");
  CHECK(parts("module_0001.jit_f.cl_1.0042.spmd-partitioner.after_spmd-partitioning."
              "before_pipeline-end.txt") ==
        "module_0001 | jit_f.cl_1 | "
        "0042.spmd-partitioner.after_spmd-partitioning.before_pipeline-end");
  CHECK(parts("1796071360969629.module_0010.jit_f.0016.copy-insertion.after_removing_copies.txt") ==
        "1796071360969629.module_0010 | jit_f | 0016.copy-insertion.after_removing_copies");
  CHECK(parts("module_0001.jit_f.after_spmd-partitioning.hlo.gz") ==
        "module_0001 | jit_f | after_spmd-partitioning");
  CHECK(parts("module_10000.f.before_optimizations.hlo.txt") ==
        "module_10000 | f | before_optimizations");
}

TEST_CASE("a module's name may hold dots and numbers, or be left out") {
  CHECK(parts("module_0003.SyncTensorsGraph.1234.before_optimizations.txt") ==
        "module_0003 | SyncTensorsGraph.1234 | before_optimizations");
  CHECK(parts("module_0003.SyncTensorsGraph.1234.0002.p.after_a.before_b.hlo.pb.gz") ==
        "module_0003 | SyncTensorsGraph.1234 | 0002.p.after_a.before_b | proto");
  CHECK(parts("module_0003.a.1234.5.after_codegen.txt") ==
        "module_0003 | a.1234.5 | after_codegen");
  CHECK(parts("module_0012.0001.spmd-partitioner.after_spmd-partitioning.before_x.txt") ==
        "module_0012 |  | 0001.spmd-partitioner.after_spmd-partitioning.before_x");
  CHECK(parts("module_0012.before_optimizations.txt") == "module_0012 |  | before_optimizations");
}

TEST_CASE("what else a dump writes holds no module, but is its part") {
  for (const char* file :
       {"module_0001.f.cpu_after_optimizations-buffer-assignment.txt",
        "module_0001.f.cpu_after_optimizations-buffer-assignment-values.txt",
        "module_0001.f.cpu_after_optimizations-live-range.txt",
        "module_0001.f.cpu_after_optimizations-memory-usage-report.txt",
        "module_0001.f.before_optimizations.dot", "module_0001.f.snapshot.-5012.pb",
        "module_0001.f.debug_options", "module_0001.f.thunk_sequence.txt",
        "module_0001.SyncTensorsGraph.1234.thunk_sequence.txt", "module_0001.f", "module_0001",
        "module_0001.metadata.textproto", "17.module_0001.f.execution_0000.hlo_snapshot.pb"}) {
    CAPTURE(file);
    CHECK(parts(file) == "none");
    CHECK(is_part_of_dump(file));
  }
}

TEST_CASE("other files are no part of a dump") {
  for (const char* file : {"step.hlo", "module_x.f.before_optimizations.txt", "module_1.hlo",
                           "my_module_0001.f.before_optimizations.txt", "module_0001-f.txt", "",
                           "module_0001f.before_optimizations.txt", "12.txt"}) {
    CAPTURE(file);
    CHECK(parts(file) == "none");
    CHECK_FALSE(is_part_of_dump(file));
  }
}

TEST_CASE("a stage is named by its pass, and the last of several is taken") {
  const std::vector<std::string> files = {
      "module_0001.f.before_optimizations.txt",
      "module_0001.f.0003.a.after_sharding.before_spmd-partitioning.txt",
      "module_0001.f.0009.b.after_spmd-partitioning.before_dce.txt",
      "module_0001.f.0010.b.after_dce.before_spmd-partitioning.txt",
      "module_0001.f.10011.b.after_spmd-partitioning.before_pipeline-end.txt",
      "module_0001.f.10012.copy-insertion.after_adding_copies.txt",
      "module_0001.f.cpu_after_optimizations.txt",
      "module_0001.f.cpu_after_optimizations-buffer-assignment.txt",
  };
  CHECK(chosen(files, "after_spmd-partitioning") == files[4]);
  CHECK(chosen(files, "spmd-partitioning") == files[4]);
  CHECK(chosen(files, "before_spmd-partitioning") == files[3]);
  CHECK(chosen(files, "dce") == files[3]);
  CHECK(chosen(files, "3") == files[1]);
  CHECK(chosen(files, "0009.b.after_spmd-partitioning.before_dce") == files[2]);
  CHECK(chosen(files, "before_optimizations") == files[0]);
  CHECK(chosen(files, "after_optimizations") == files[6]);
  CHECK(chosen(files, "cpu_after_optimizations") == files[6]);
  CHECK(chosen(files, "after_adding_copies") == files[5]);
  CHECK(chosen(files, "adding_copies") == "none");
  CHECK(chosen(files, "optimizations") == "none");
  CHECK(chosen(files, "fusion") == "none");
  CHECK(chosen({"module_0001.f.after_spmd-partitioning.txt"}, "spmd-partitioning") ==
        "module_0001.f.after_spmd-partitioning.txt");
}

TEST_CASE("of a stage as text and as proto the proto is taken") {
  CHECK(chosen({"module_0001.f.before_optimizations.hlo.pb.gz",
                "module_0001.f.before_optimizations.txt"},
               "before_optimizations") == "module_0001.f.before_optimizations.hlo.pb.gz");
}

TEST_CASE("files of one module stand together, those of two do not") {
  const std::vector<DumpModule> modules = dump_modules({
      "module_0002.g.before_optimizations.txt",
      "module_0002.0000.p.after_a.before_b.txt",  // the name did not fit
      "module_0001.f.before_optimizations.txt",
      "module_0001.h.before_optimizations.txt",  // another run into the same folder
      "module_0001.0000.p.after_a.before_b.txt",
      "9.module_0002.g.before_optimizations.txt",
      "notes.txt",
  });
  std::vector<std::string> labels;
  for (const DumpModule& module : modules) {
    labels.push_back(module.label() + " " + std::to_string(module.files.size()));
  }
  CHECK(labels == std::vector<std::string>{"9.module_0002.g 1", "module_0001 1", "module_0001.f 1",
                                           "module_0001.h 1", "module_0002.g 2"});
  CHECK(dump_modules({"a.hlo", "b.txt"}).empty());
}

TEST_CASE("stages are listed once, as the compilation goes, and each can be asked for") {
  const std::vector<DumpModule> modules = dump_modules({
      "module_0001.f.cpu_after_optimizations.txt",
      "module_0001.f.0002.copy-insertion.after_adding_copies.txt",
      "module_0001.f.0001.p.after_b.before_c.txt",
      "module_0001.f.0000.p.after_a.before_b.txt",
      "module_0001.f.before_optimizations.txt",
      "module_0002.g.before_optimizations.txt",
  });
  const std::vector<std::string> stages = stages_of(modules);
  CHECK(stages == std::vector<std::string>{"before_optimizations", "after_a", "after_b",
                                           "after_adding_copies", "cpu_after_optimizations"});
  for (const std::string& stage : stages) CHECK(file_at(modules.front(), stage) != nullptr);
}
