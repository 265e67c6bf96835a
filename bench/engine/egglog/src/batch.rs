//! Start terms through the Rust interface, all in one batch: the fastest way into egglog.

use bench_workload::{StartNode, Symbol, Workload};
use egglog::{EGraph, Error, Value, Write as _};

use crate::{LEAF, constructor};

pub fn load(egraph: &mut EGraph, workload: &Workload, start: &[StartNode]) -> Result<(), Error> {
    let count = workload.operators.len() as Symbol;
    let names: Vec<String> = (0..count).map(constructor).collect();
    egraph.update(|mut state| {
        let mut terms: Vec<Value> = Vec::with_capacity(start.len());
        for node in start {
            let [first, second] = node.children;
            let term = match workload.arity(node.symbol) {
                0 => state.add(LEAF, (i64::from(node.symbol),))?,
                1 => state.add(&names[node.symbol as usize], (terms[first as usize],))?,
                _ => {
                    let children = (terms[first as usize], terms[second as usize]);
                    state.add(&names[node.symbol as usize], children)?
                }
            };
            terms.push(term);
        }
        Ok(())
    })
}
