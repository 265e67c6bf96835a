//! egg with the system's allocator: less memory, and faster where vectors grow large.

fn main() {
    bench_egg::main()
}
