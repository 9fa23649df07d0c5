//! pdp-history
