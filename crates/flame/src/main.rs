// SPDX-License-Identifier: GPL-2.0-or-later
//! `granule-flame TITLE COUNT-NAME < folded > graph.svg`: draws folded call
//! stacks (`outer;inner COUNT` a line) as a flame graph.

use std::io::{stdin, stdout};
use std::process::ExitCode;

use inferno::flamegraph::{from_reader, Options};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [title, count_name] = arguments.as_slice() else {
        eprintln!("usage: granule-flame TITLE COUNT-NAME < folded > graph.svg");
        return ExitCode::from(2);
    };
    match draw(title, count_name) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("granule-flame: {error}");
            ExitCode::from(3)
        }
    }
}

fn draw(title: &String, count_name: &String) -> Result<(), String> {
    let mut options = Options::default();
    options.title.clone_from(title);
    options.count_name.clone_from(count_name);
    // Colours follow names, so that two graphs of one kernel look alike.
    options.hash = true;
    from_reader(&mut options, stdin().lock(), stdout().lock()).map_err(|error| error.to_string())
}
