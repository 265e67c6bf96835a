//! A node without heap, 16 bytes: the strongest language that egg 0.11 takes for at most two
//! children. Twelve bytes, with the arity in spare bits of the symbol, save 6 % of memory on the
//! math workloads but cost up to 30 % of time on ac10.

use bench_workload::{MAX_ARITY, Symbol};
use egg::{Id, Language};

/// Unused children are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    symbol: Symbol,
    arity: u32,
    children: [Id; MAX_ARITY],
}

impl Node {
    pub fn new(symbol: Symbol, children: &[Id]) -> Node {
        let mut node =
            Node { symbol, arity: children.len() as u32, children: [Id::from(0); MAX_ARITY] };
        node.children[..children.len()].copy_from_slice(children);
        node
    }
}

impl Language for Node {
    type Discriminant = Symbol;

    fn discriminant(&self) -> Symbol {
        self.symbol
    }

    fn matches(&self, other: &Node) -> bool {
        self.symbol == other.symbol // which has one arity
    }

    fn children(&self) -> &[Id] {
        &self.children[..self.arity as usize]
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.children[..self.arity as usize]
    }
}
