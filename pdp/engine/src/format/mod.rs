//! Wire formats: one folder each, with the same file names: `policy`, `request`, `response`.
