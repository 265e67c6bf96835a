//! What the programs around other engines share: reading a `.wl` workload (the format is described
//! in `workloads.py`), the command line, and the line of JSON that each of them prints.
//!
//! A workload keeps only what an engine needs, so that it costs the measured process little memory:
//! symbols are numbers, and the names of leaves are gone once the file is read.

mod options;
mod parse;
mod report;

pub use options::Options;
pub use report::{Report, peak_resident_mib};

/// An operator's index in `Workload::operators`, or a larger number for a leaf.
pub type Symbol = u32;

pub const MAX_ARITY: usize = 2;

pub struct Operator {
    pub name: String,
    pub arity: usize,
}

pub enum Term {
    Variable(String),
    Node(Symbol, Vec<Term>),
}

pub struct Rule {
    pub name: String,
    pub left: Term,
    pub right: Term,
}

/// A start node; its children are indices of earlier start nodes, as many as its operator's arity.
#[derive(Clone, Copy)]
pub struct StartNode {
    pub symbol: Symbol,
    pub children: [u32; MAX_ARITY],
}

#[derive(Default)]
pub struct Workload {
    pub name: String,
    pub iterations: usize,
    pub node_limit: usize,
    pub operators: Vec<Operator>,
    pub rules: Vec<Rule>,
    pub start: Vec<StartNode>,
}

impl Workload {
    pub fn read(path: &str) -> Result<Workload, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        parse::workload(&text).map_err(|error| format!("{path}:{error}"))
    }

    pub fn arity(&self, symbol: Symbol) -> usize {
        self.operators.get(symbol as usize).map_or(0, |operator| operator.arity)
    }
}
