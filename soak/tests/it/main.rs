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
#[path = "../../../pdp/server/tests/it/proxy.rs"]
mod proxy;
mod real;
mod report_files;
mod rolling;
#[path = "../../../pdp/history/tests/it/servers/mod.rs"]
#[allow(dead_code)] // one of its servers is wanted here
mod servers;
mod spawned;
mod stub;
mod support;
#[path = "../../../pdp/server/tests/it/support/tool.rs"]
#[allow(unreachable_pub)] // as it is there
mod tool;
