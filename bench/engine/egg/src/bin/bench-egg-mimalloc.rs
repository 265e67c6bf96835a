//! egg with mimalloc: more memory, and faster where much is searched again and again.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    bench_egg::main()
}
