//! The `soak` command: plan, run, judge, report; the exit code is the verdict.

fn main() -> std::process::ExitCode {
    soak::main(std::env::args_os())
}
