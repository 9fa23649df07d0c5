//! pdp-engine
