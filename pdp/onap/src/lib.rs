//! pdp-onap
