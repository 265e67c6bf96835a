//! The command line of every program here: FILE.wl [--explanations] [--rerun] [--start N].

pub struct Options {
    pub file: String,
    /// Keep what is needed to explain why two terms are equal.
    pub explanations: bool,
    /// Run once more on the saturated e-graph, and time that: the cost of finding nothing.
    pub rerun: bool,
    /// Take only the first start nodes.
    pub start: Option<usize>,
}

impl Options {
    pub fn from_arguments(arguments: impl IntoIterator<Item = String>) -> Result<Options, String> {
        let mut arguments = arguments.into_iter();
        let mut file = None;
        let mut options =
            Options { file: String::new(), explanations: false, rerun: false, start: None };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--explanations" => options.explanations = true,
                "--rerun" => options.rerun = true,
                "--start" => {
                    let count = arguments.next().and_then(|word| word.parse().ok());
                    options.start = Some(count.ok_or("--start wants a number of nodes")?);
                }
                flag if flag.starts_with('-') => return Err(format!("unknown option {flag}")),
                _ if file.is_some() => return Err("one workload file, please".to_string()),
                _ => file = Some(argument),
            }
        }
        options.file = file.ok_or("which workload file?")?;
        Ok(options)
    }
}
