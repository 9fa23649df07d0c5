//! `pdp`: the policy decision service and its tools.

use std::process::ExitCode;

/// Decisions allocate little, but readers and the HTTP layer do: jemalloc keeps their memory flat
/// over days and tells what it holds.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    pdp_server::cli::run()
}
