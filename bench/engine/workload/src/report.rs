//! One run as a line of JSON.

/// Times are seconds. `load` adds the start terms; `run` is search, apply, rebuild and what the
/// engine does between them; parsing the file and compiling the rules are apart.
#[derive(Default)]
pub struct Report {
    pub engine: &'static str,
    pub workload: String,
    pub explanations: bool,
    pub nodes: usize,
    pub classes: usize,
    pub iterations: usize,
    pub saturated: bool,
    pub parse_s: f64,
    pub compile_s: f64,
    pub load_s: f64,
    pub search_s: f64,
    pub apply_s: f64,
    pub rebuild_s: f64,
    pub run_s: f64,
    pub rerun_s: Option<f64>,
    /// Before the first start term was added, and at the end of the run.
    pub rss_before_mib: f64,
    pub rss_mib: f64,
}

impl Report {
    pub fn to_json(&self) -> String {
        let numbers = [
            ("parse_s", Some(self.parse_s)),
            ("compile_s", Some(self.compile_s)),
            ("load_s", Some(self.load_s)),
            ("search_s", Some(self.search_s)),
            ("apply_s", Some(self.apply_s)),
            ("rebuild_s", Some(self.rebuild_s)),
            ("run_s", Some(self.run_s)),
            ("rerun_s", self.rerun_s),
            ("rss_before_mib", Some(self.rss_before_mib)),
            ("rss_mib", Some(self.rss_mib)),
        ];
        let numbers: String = numbers
            .iter()
            .filter_map(|(key, value)| value.map(|value| format!(",\"{key}\":{value:.7}")))
            .collect();
        format!(
            "{{\"engine\":\"{}\",\"workload\":\"{}\",\"explanations\":{},\"nodes\":{},\
             \"classes\":{},\"iterations\":{},\"saturated\":{}{numbers}}}",
            self.engine,
            self.workload,
            self.explanations,
            self.nodes,
            self.classes,
            self.iterations,
            self.saturated
        )
    }
}

/// The most memory that this process ever held, in MiB, as Linux counts it.
pub fn peak_resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(f64::NAN) / 1024.0
}
