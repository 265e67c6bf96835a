// The built-in machines. Every figure has its public source beside it; [A] marks a choice of ours
// where nothing is published. Sources, with the commit that was read where it is fixed:
//
//   SB   How To Scale Your Model, github.com/jax-ml/scaling-book (tpus.md, sharding.md 0819a7d;
//        gpus.md 1a55377)
//   CT   Google Cloud documentation, pages "TPU v5e" and "TPU v5p"
//   NS   AWS Neuron documentation, github.com/aws-neuron/aws-neuron-sdk (81ce03a): trn1-arch.rst,
//        trn2-arch.rst, trainium.rst, trainium2.rst, intranode-collective-comm.rst,
//        internode-collective-comm.rst
//   NC   github.com/NVIDIA/nccl 2.30.7 (5067397), src/graph/tuning.cc
//   XLA  github.com/openxla/xla (dcf304b),
//   xla/service/gpu/model/default_collective_perf_table.txtpb:
//        medians of 20 runs, f32
//   ME   github.com/stas00/ml-engineering (744d01e), network and accelerator READMEs

#include <array>

#include "extract/machine_model.h"

namespace flipsat::extract {
namespace {

using hlo::Opcode;

constexpr int64_t kKiB = int64_t{1} << 10;
constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kGiB = int64_t{1} << 30;
constexpr int64_t kGB = 1'000'000'000;
constexpr int64_t kTera = 1'000'000'000'000;
constexpr Picoseconds kNanosecond = 1'000;
constexpr Picoseconds kMicrosecond = 1'000'000;

// Microseconds at 64 KiB, 1, 4, 16, 64, 256 MiB and 1 GiB of the convention of launch_time, as the
// table of XLA has them (its size is the full tensor: the gather's output, the scatter's input).
Curve measured(Opcode opcode, int64_t devices, const std::array<int64_t, 7>& microseconds,
               Picoseconds launch) {
  constexpr std::array<int64_t, 7> kSizes = {64 * kKiB, kMiB,       4 * kMiB, 16 * kMiB,
                                             64 * kMiB, 256 * kMiB, kGiB};
  std::vector<CurvePoint> points;
  for (size_t i = 0; i < kSizes.size(); ++i) {
    points.push_back({kSizes[i], microseconds[i] * kMicrosecond});
  }
  return make_curve(opcode, devices, std::move(points), launch);
}

// What the Trainium presets share.
Machine trainium() {
  Machine machine;
  machine.fabric = Fabric::kStaged;
  machine.devices_per_node = 16;              // NS: 16 chips an instance (trn1.32xl, trn2.48xl)
  machine.launch = 5 * kMicrosecond;          // [A]
  machine.on_node.step = 1500 * kNanosecond;  // NS: a ring hop takes 1-2 us
  machine.off_node.step = 15 * kMicrosecond;  // NS: EFA, HBM to HBM
  machine.mesh_bytes = 1'000'000;             // NS (trn2, one node): mesh below 1 MB,
  machine.doubling_bytes = 56'000'000;        // NS: RDH from 1 to 56 MB, KangaRing above
  machine.tile_rows = 128;                    // NS: the partition dim of on-chip memory
  return machine;
}

Machine trn2() {
  Machine machine = trainium();
  machine.name = "trn2";
  // NS: 1024 GB/s a chip inside an instance, taken as both directions; 0.8 of 512 [A].
  machine.on_node.bytes_per_second = 4096 * kGB / 10;
  // NS: EFAv3 200 Gb/s a chip; 0.8 of 25 [A].
  machine.off_node.bytes_per_second = 20 * kGB;
  machine.memory_bytes_per_second = 2900 * kGB;   // NS
  machine.matrix_flops_per_second = 667 * kTera;  // NS: dense bf16
  return machine;
}

Machine trn1() {
  Machine machine = trainium();
  machine.name = "trn1";
  // NS: 384 GB/s a chip, taken as both directions; 0.8 of 192 [A].
  machine.on_node.bytes_per_second = 1536 * kGB / 10;
  // NS: EFA 800 Gb/s an instance, 6.25 GB/s a chip; 0.8 of it [A].
  machine.off_node.bytes_per_second = 5 * kGB;
  machine.memory_bytes_per_second = 820 * kGiB;   // NS
  machine.matrix_flops_per_second = 190 * kTera;  // NS
  return machine;
}

// What the TPU presets share.
Machine tpu() {
  Machine machine;
  machine.fabric = Fabric::kTorus;
  machine.launch = 2 * kMicrosecond;          // [A]
  machine.on_node.step = kMicrosecond;        // SB: about 1 us an ICI hop
  machine.off_node.step = 10 * kMicrosecond;  // [A] data-centre network
  machine.tile_rows = 8;                      // XLA layouts on TPU: T(8,128)
  return machine;
}

Machine tpu_v5e() {
  Machine machine = tpu();
  machine.name = "tpu-v5e";
  machine.devices_per_node = 256;  // SB, CT: a pod of 16x16
  machine.axes = 2;                // SB
  machine.wrap_multiple = 16;      // SB: wraps only on an axis of 16
  // SB: 45 GB/s a link; its gather of 34 MB over 4 chips without wrap took 680 us where the links
  // alone would take 560: 0.82 of 45.
  machine.on_node.bytes_per_second = 369 * kGB / 10;
  machine.off_node.bytes_per_second = 31 * kGB / 10;  // CT: 2x100 Gb/s an 8-chip host
  machine.memory_bytes_per_second = 819 * kGB;        // CT
  machine.matrix_flops_per_second = 197 * kTera;      // CT
  return machine;
}

Machine tpu_v5p() {
  Machine machine = tpu();
  machine.name = "tpu-v5p";
  machine.devices_per_node = 8960;  // SB, CT: a pod of 16x20x28
  machine.axes = 3;                 // SB
  machine.wrap_multiple = 4;        // SB: cubes of 4x4x4 wrap
  machine.on_node.bytes_per_second =
      738 * kGB / 10;  // SB: 90 GB/s a link; 0.82 of it as on v5e [A]
  machine.off_node.bytes_per_second = 625 * kGB / 100;  // CT: 50 Gb/s a chip
  machine.memory_bytes_per_second = 2765 * kGB;         // CT
  machine.matrix_flops_per_second = 459 * kTera;        // CT
  return machine;
}

Machine a100() {
  Machine machine;
  machine.name = "a100";
  machine.fabric = Fabric::kSwitch;
  machine.devices_per_node = 8;  // SB
  // NC: ring LL128, base and NVLink step. An all-reduce of 8: 14.0 + 14 * 1.9 = 40.6 us, measured
  // 43.8 at 32 KiB (ME).
  machine.launch = 14 * kMicrosecond;
  machine.on_node.step = 1900 * kNanosecond;
  machine.on_node.bytes_per_second = 235 * kGB;        // ME: bus bandwidth at 16 GiB
  machine.off_node.step = 4 * kMicrosecond;            // NC: ring LL128, network step
  machine.off_node.bytes_per_second = 195 * kGB / 10;  // ME: HDR 200 Gb/s a GPU; 0.78 of 25 [A]
  machine.memory_bytes_per_second = 2000 * kGB;        // SB, ME
  machine.matrix_flops_per_second = 312 * kTera;       // ME
  return machine;
}

Machine h100() {
  Machine machine;
  machine.name = "h100";
  machine.fabric = Fabric::kSwitch;
  machine.devices_per_node = 8;                   // SB
  machine.launch = 6600 * kNanosecond;            // NC: ring LL base; the curves below include it
  machine.on_node.step = 600 * kNanosecond;       // NC: ring LL step
  machine.on_node.bytes_per_second = 370 * kGB;   // nccl-tests issue 212: ring bus bandwidth
  machine.off_node.step = 4 * kMicrosecond;       // NC: ring LL128, network step
  machine.off_node.bytes_per_second = 41 * kGB;   // SB: NDR 400 Gb/s a GPU; 0.82 of 50 [A]
  machine.memory_bytes_per_second = 3350 * kGB;   // SB
  machine.matrix_flops_per_second = 989 * kTera;  // ME
  const Picoseconds launch = machine.launch;
  machine.curves = {
      // XLA, sm_90.
      measured(Opcode::kAllReduce, 2, {15, 21, 43, 101, 330, 1181, 4433}, launch),
      measured(Opcode::kAllReduce, 4, {18, 43, 59, 153, 395, 1420, 5415}, launch),
      measured(Opcode::kAllReduce, 8, {40, 52, 69, 145, 380, 1262, 4721}, launch),
      measured(Opcode::kAllGather, 2, {12, 18, 31, 60, 161, 549, 1997}, launch),
      measured(Opcode::kAllGather, 4, {14, 20, 42, 70, 196, 666, 2473}, launch),
      measured(Opcode::kAllGather, 8, {19, 31, 47, 82, 214, 729, 2730}, launch),
      // [A] as the gather, which moves the same bytes.
      measured(Opcode::kReduceScatter, 2, {12, 18, 31, 60, 161, 549, 1997}, launch),
      measured(Opcode::kReduceScatter, 4, {15, 29, 42, 70, 224, 774, 2892}, launch),
      // The table falls from 38 to 20 at 1 MiB: the mean of both stands at both.
      measured(Opcode::kReduceScatter, 8, {29, 29, 36, 87, 219, 771, 2921}, launch),
      // [A] two and four ranks as the gather.
      measured(Opcode::kAllToAll, 2, {12, 18, 31, 60, 161, 549, 1997}, launch),
      measured(Opcode::kAllToAll, 4, {14, 20, 42, 70, 196, 666, 2473}, launch),
      // The table falls from 55 to 37 at 4 MiB: the mean of both stands at both.
      measured(Opcode::kAllToAll, 8, {24, 46, 46, 106, 219, 759, 2797}, launch),
      // A ring permute of 8. The table has no usable point at 64 MiB: 345 lies on the line.
      measured(Opcode::kCollectivePermute, 8, {15, 35, 73, 163, 345, 1074, 3706}, launch),
  };
  return machine;
}

Machine b200() {
  Machine machine;
  machine.name = "b200";
  machine.fabric = Fabric::kSwitch;
  machine.devices_per_node = 8;                    // SB
  machine.launch = 6600 * kNanosecond;             // NC: ring LL base; the curves below include it
  machine.on_node.step = 600 * kNanosecond;        // NC: ring LL step
  machine.on_node.bytes_per_second = 640 * kGB;    // XLA: bus bandwidth at 1-2 GiB
  machine.off_node.step = 4 * kMicrosecond;        // NC: ring LL128, network step
  machine.off_node.bytes_per_second = 41 * kGB;    // SB: NDR 400 Gb/s a GPU; 0.82 of 50 [A]
  machine.memory_bytes_per_second = 8000 * kGB;    // ME, SB
  machine.matrix_flops_per_second = 2250 * kTera;  // ME
  const Picoseconds launch = machine.launch;
  machine.curves = {
      // XLA, sm_100_B200. Smaller groups take the times of 8.
      measured(Opcode::kAllReduce, 8, {45, 49, 83, 131, 314, 843, 3115}, launch),
      measured(Opcode::kAllGather, 8, {32, 36, 43, 60, 162, 433, 1590}, launch),
      // The scatter falls from 41 to 33 at 1 MiB: the mean of both stands at both.
      measured(Opcode::kReduceScatter, 8, {37, 37, 42, 61, 172, 441, 1544}, launch),
      measured(Opcode::kAllToAll, 8, {35, 43, 53, 76, 165, 459, 1563}, launch),
  };
  return machine;
}

}  // namespace

const std::vector<Machine>& built_in_machines() {
  static const std::vector<Machine> machines = {trn2(), trn1(), tpu_v5e(), tpu_v5p(),
                                                a100(), h100(), b200()};
  return machines;
}

}  // namespace flipsat::extract
