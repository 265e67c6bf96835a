//! Start terms as files of facts and rules that build terms of them: the way into egglog that its
//! language has. Slower by far than a batch, and measured only when asked for.

use std::fmt::Write as _;
use std::io::{BufWriter, Error as IoError, Write as _};
use std::path::PathBuf;

use bench_workload::{StartNode, Symbol, Workload};
use egglog::{EGraph, Error};

use crate::{LEAF, constructor};

/// Files in a folder of their own, gone with this value.
pub struct Facts {
    folder: PathBuf,
    arities: Vec<usize>,
}

const LEAVES: &str = "start_leaf";

fn relation(symbol: usize) -> String {
    format!("start_{symbol}")
}

impl Facts {
    /// Writes a file for each operator with lines INDEX CHILD..., and one for leaves.
    pub fn write(workload: &Workload, start: &[StartNode]) -> Result<Facts, IoError> {
        let folder = std::env::temp_dir().join(format!("bench-egglog-{}", std::process::id()));
        std::fs::create_dir(&folder)?;
        let arities: Vec<usize> =
            workload.operators.iter().map(|operator| operator.arity).collect();
        let facts = Facts { folder, arities };
        let create =
            |name: String| std::fs::File::create(facts.folder.join(name)).map(BufWriter::new);
        let mut leaves = create(LEAVES.to_string())?;
        let mut files =
            (0..facts.arities.len()).map(relation).map(create).collect::<Result<Vec<_>, _>>()?;
        for (index, node) in start.iter().enumerate() {
            let [first, second] = node.children;
            match workload.arity(node.symbol) {
                0 => writeln!(leaves, "{index}\t{}", node.symbol)?,
                1 => writeln!(files[node.symbol as usize], "{index}\t{first}")?,
                _ => writeln!(files[node.symbol as usize], "{index}\t{first}\t{second}")?,
            }
        }
        files.into_iter().chain([leaves]).try_for_each(|mut file| file.flush())?;
        Ok(facts)
    }

    /// Relations for the facts, and rules that make a term of each once its children are there.
    pub fn declarations(&self) -> String {
        let mut text = format!(
            "(function term (i64) Term :merge old)\n(ruleset load)\n\
             (relation {LEAVES} (i64 i64))\n\
             (rule (({LEAVES} index leaf)) ((set (term index) ({LEAF} leaf))) :ruleset load)\n"
        );
        for (symbol, &arity) in self.arities.iter().enumerate() {
            let name = relation(symbol);
            let columns = vec!["i64"; arity + 1].join(" ");
            let join =
                |form: fn(usize) -> String| (0..arity).map(form).collect::<Vec<_>>().join(" ");
            let children = join(|i| format!("c{i}"));
            let lookups = join(|i| format!("(= t{i} (term c{i}))"));
            let term = format!("({} {})", constructor(symbol as Symbol), join(|i| format!("t{i}")));
            writeln!(
                text,
                "(relation {name} ({columns}))\n(rule (({name} index {children}) {lookups}) \
                 ((set (term index) {term})) :ruleset load)"
            )
            .unwrap();
        }
        text
    }

    pub fn load(&self, egraph: &mut EGraph) -> Result<(), Error> {
        egraph.fact_directory = Some(self.folder.clone());
        let relations = (0..self.arities.len()).map(relation).chain([LEAVES.to_string()]);
        let mut text = String::new();
        for name in relations {
            writeln!(text, "(input {name} \"{name}\")").unwrap();
        }
        text.push_str("(run-schedule (saturate (run load)))\n");
        egraph.parse_and_run_program(None, &text).map(|_| ())
    }
}

impl Drop for Facts {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder); // a leftover harms no one
    }
}
