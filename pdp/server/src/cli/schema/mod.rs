//! `pdp schema`: JSON Schemas of the files that people write.

mod tosca;

use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::{print, test};
use crate::config::Config;
use crate::document::nearest;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  pdp schema                                      the names
  pdp schema tosca > schemas/tosca.schema.json    policies of every type
  pdp schema test > schemas/test.schema.json      tests of policies
  pdp schema config > schemas/config.schema.json  the configuration of the service
  pdp schema onap.policies.controlloop.guard.common.MinMax

Editors with the YAML language server (VS Code, Neovim, IntelliJ and others) complete and check a file
that begins with such a line:

  # yaml-language-server: $schema=../schemas/tosca.schema.json

In JSON files the key \"$schema\" does the same where the editor is set up so; in TOML a first line
  #:schema ../schemas/config.schema.json";

/// Print JSON Schemas of policies, tests and the configuration
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Schema {
    /// config, test, tosca, or a policy type; without it the names are listed
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

impl Schema {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let Some(name) = self.name else {
            for (name, about) in names() {
                print::line(format_args!("{name:56} {about}"))?;
            }
            return Ok(ExitCode::SUCCESS);
        };
        let schema = named(&name).ok_or_else(|| {
            let failure = Failure::usage(format!("there is no schema `{name}`"));
            let names: Vec<String> = names().into_iter().map(|(name, _)| name).collect();
            match nearest(&name, names.iter().map(String::as_str)) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure.hint("`pdp schema` lists the names"),
            }
        })?;
        print::line(format_args!("{schema:#}"))?;
        print::remark(
            "for editor support begin a file with: # yaml-language-server: $schema=PATH-OF-THIS-SCHEMA",
        );
        Ok(ExitCode::SUCCESS)
    }
}

/// Every name and what it is about.
fn names() -> Vec<(String, String)> {
    let mut names = vec![
        ("config".to_owned(), "the configuration of the service".to_owned()),
        ("test".to_owned(), "tests of policies, NAME.test.yaml".to_owned()),
        ("tosca".to_owned(), "TOSCA policies of every type".to_owned()),
    ];
    names.extend(tosca::types().map(|name| {
        let about = format!("policies of the type {}", name.rsplit('.').next().unwrap_or(name));
        (name.to_owned(), about)
    }));
    names
}

/// The schema of this name.
fn named(name: &str) -> Option<Value> {
    match name {
        "config" => Some(schemars::schema_for!(Config).to_value()),
        "test" => Some(test::schema()),
        "tosca" => Some(tosca::every_type()),
        _ => tosca::one_type(name),
    }
}
