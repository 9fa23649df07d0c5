//! `pdp serve`: run the service.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::{Global, print};
use crate::config::{self, Config, Overrides};
use crate::failure::{Failure, counted};
use crate::{app, telemetry};

const EXAMPLES: &str = "\
Examples:
  pdp serve
  pdp serve --policies policies/ --listen 127.0.0.1:0 --state none
  pdp serve --config pdp.yaml --print-config
  pdp serve -c /opt/app/policy/pdpx/etc/defaultConfig.json
  PDP_GUARD__INDETERMINATE=deny pdp serve

Exit codes: 0 stopped cleanly, 2 wrong command line or configuration, 3 cannot bind, open or
connect, 4 policies refused under --strict";

/// Run the service
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// The configuration: YAML, JSON or TOML, or ONAP's own JSON
    #[arg(short, long, alias = "config-file", env = "CONFIG_FILE", value_name = "FILE")]
    config: Option<PathBuf>,
    /// The same, without a flag
    #[arg(value_name = "CONFIG", conflicts_with = "config", hide = true)]
    positional: Option<PathBuf>,
    /// Accepted for ONAP's start scripts; nothing is read from it
    #[arg(short = 'p', long = "property-file", value_name = "FILE", hide = true)]
    _properties: Option<PathBuf>,
    /// A file or folder with policies [default: policies/]
    #[arg(long, value_name = "PATH")]
    policies: Vec<PathBuf>,
    /// An address to listen on; port 0 picks a free one [default: 127.0.0.1:6969]
    #[arg(long, value_name = "HOST:PORT")]
    listen: Vec<String>,
    /// The folder for what must survive a restart, or none [default: state/]
    #[arg(long, value_name = "DIR|none")]
    state: Option<String>,
    /// The operations history: embedded, memory, postgres://…, mysql://… or redis://… [default: embedded]
    #[arg(long, value_name = "URL")]
    history: Option<String>,
    /// The file of the one XACML policy to start from; the others can be referenced
    #[arg(long, value_name = "FILE")]
    root: Option<PathBuf>,
    /// The algorithm that combines several XACML policies
    #[arg(long, value_name = "ID")]
    combining: Option<String>,
    /// Do not start when a policy is refused
    #[arg(long)]
    strict: bool,
    /// Listen beyond loopback without credentials
    #[arg(long)]
    insecure: bool,
    /// Print the effective configuration, secrets hidden, and end
    #[arg(long)]
    print_config: bool,
}

impl Serve {
    pub(super) fn run(self, global: &Global) -> Result<ExitCode, Failure> {
        let print = self.print_config;
        let file = self.config.clone().or_else(|| self.positional.clone());
        let loaded = config::load(file.as_deref(), std::env::vars(), self.overrides(global))?;
        telemetry::start_logging(&loaded.config.log)?;
        for warning in &loaded.warnings {
            tracing::warn!("{warning}");
        }
        if print {
            print_config(&loaded.config)?;
            return Ok(ExitCode::SUCCESS);
        }
        app::run(loaded.config, |address, summary| {
            let line = format_args!(
                "listening on {address} ({} in {} ms)",
                counted(summary.policies, "policy", "policies"),
                summary.millis
            )
            .to_string();
            // The service runs all the same.
            if print::line(&line).is_err() {
                tracing::info!("{line}");
            }
        })?;
        Ok(ExitCode::SUCCESS)
    }

    fn overrides(self, global: &Global) -> Overrides {
        Overrides {
            listen: self.listen,
            policies: self.policies,
            state: self.state,
            history: self.history,
            root: self.root,
            combining: self.combining,
            strict: self.strict,
            insecure: self.insecure,
            log_format: global.log_format,
            log_level: global.level(),
        }
    }
}

fn print_config(config: &Config) -> Result<(), Failure> {
    let text = serde_saphyr::to_string(config).expect("a configuration is plain data");
    print::text(text)
}
