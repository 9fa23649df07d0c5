//! The suite against services that are known to be good or bad.

/// As in the real service, so that what is leaked shows in the same figures.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

mod bad_input;
mod faults;
mod interrupted;
mod live;
mod memory;
mod modes;
mod page;
mod real;
mod report_files;
mod spawned;
mod stub;
mod support;
