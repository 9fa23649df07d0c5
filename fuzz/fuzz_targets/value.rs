#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pdp_fuzz::value(data));
