//! Benchmarks beside their peers, in the same run: see `benches/`.
//!
//! Nothing here asserts a figure. Each bench prints what it measured beside what it is compared with.
