//! The reader of `.wl` text. Errors start with the line's number.

use std::collections::HashMap;
use std::str::FromStr;

use crate::{MAX_ARITY, Operator, Rule, StartNode, Symbol, Term, Workload};

pub fn workload(text: &str) -> Result<Workload, String> {
    let mut parser = Parser::default();
    for (index, line) in text.lines().enumerate() {
        parser.line(line).map_err(|error| format!("{}: {error}", index + 1))?;
    }
    parser.workload.start.shrink_to_fit();
    Ok(parser.workload)
}

#[derive(Default)]
struct Parser<'a> {
    workload: Workload,
    symbols: HashMap<&'a str, Symbol>,
}

impl<'a> Parser<'a> {
    fn line(&mut self, line: &'a str) -> Result<(), String> {
        let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "n" => self.start_node(rest)?,
            "op" => self.operator(rest)?,
            "rule" => self.rule(rest)?,
            "workload" => self.workload.name = rest.to_string(),
            "iters" => self.workload.iterations = number(rest)?,
            "nodes" => self.workload.node_limit = number(rest)?,
            "leafcost" | "root" | "" => {} // for extraction, which is not measured here
            _ => return Err(format!("unknown item `{key}`")),
        }
        Ok(())
    }

    fn symbol(&mut self, name: &'a str) -> Symbol {
        let next = self.symbols.len() as Symbol;
        *self.symbols.entry(name).or_insert(next)
    }

    fn operator(&mut self, rest: &'a str) -> Result<(), String> {
        let mut words = rest.split(' ');
        let name = words.next().unwrap_or_default();
        let arity = number(words.next().unwrap_or_default())?;
        if arity == 0 || arity > MAX_ARITY {
            return Err(format!("`{name}` must have 1 to {MAX_ARITY} children"));
        }
        if self.symbol(name) as usize != self.workload.operators.len() {
            return Err(format!("`{name}` is declared twice or after its use"));
        }
        self.workload.operators.push(Operator { name: name.to_string(), arity });
        Ok(())
    }

    fn rule(&mut self, rest: &'a str) -> Result<(), String> {
        let parts = rest.split_once(" : ").and_then(|(name, equation)| {
            let (left, right) = equation.split_once(" => ")?;
            Some((name, left, right))
        });
        let (name, left, right) = parts.ok_or("a rule reads `NAME : LEFT => RIGHT`")?;
        let (left, right) = (self.whole_term(left)?, self.whole_term(right)?);
        self.workload.rules.push(Rule { name: name.to_string(), left, right });
        Ok(())
    }

    fn whole_term(&mut self, text: &'a str) -> Result<Term, String> {
        let mut rest = text;
        let term = self.term(&mut rest)?;
        if token(&mut rest).is_empty() {
            Ok(term)
        } else {
            Err(format!("more than a term: `{text}`"))
        }
    }

    fn term(&mut self, text: &mut &'a str) -> Result<Term, String> {
        let first = token(text);
        if first.is_empty() || first == ")" {
            return Err("a term is missing".to_string());
        }
        if let Some(variable) = first.strip_prefix('?') {
            return Ok(Term::Variable(variable.to_string()));
        }
        let mut children = vec![];
        let name = if first == "(" { token(text) } else { first };
        let symbol = self.symbol(name);
        if first == "(" {
            while !text.trim_start().starts_with(')') {
                children.push(self.term(text)?);
            }
            token(text);
        }
        self.check_arity(name, symbol, children.len())?;
        Ok(Term::Node(symbol, children))
    }

    fn start_node(&mut self, rest: &'a str) -> Result<(), String> {
        let mut words = rest.split(' ');
        let name = words.next().unwrap_or_default();
        let symbol = self.symbol(name);
        let mut children = [0; MAX_ARITY];
        let mut count = 0;
        for word in words {
            let child: u32 = number(word)?;
            if child as usize >= self.workload.start.len() {
                return Err(format!("node {child} is not there yet"));
            }
            *children.get_mut(count).ok_or("too many children")? = child;
            count += 1;
        }
        self.check_arity(name, symbol, count)?;
        self.workload.start.push(StartNode { symbol, children });
        Ok(())
    }

    fn check_arity(&self, name: &str, symbol: Symbol, count: usize) -> Result<(), String> {
        let arity = self.workload.arity(symbol);
        if arity == count {
            Ok(())
        } else {
            Err(format!("`{name}` has {arity} children, not {count}"))
        }
    }
}

/// Takes the next token, a parenthesis or a word; empty at the end.
fn token<'a>(text: &mut &'a str) -> &'a str {
    let rest = text.trim_start();
    let end = match rest.find(['(', ')', ' ']) {
        Some(0) => 1,
        Some(end) => end,
        None => rest.len(),
    };
    let (token, after) = rest.split_at(end);
    *text = after;
    token
}

fn number<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("`{word}` is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "workload w\niters 3\nnodes 100\nop + 2 1\nop neg 1 1\nleafcost 1\n";

    fn error(line: &str) -> String {
        workload(&format!("{HEAD}{line}\n")).err().expect("an error")
    }

    #[test]
    fn leaves_come_after_operators_and_are_shared_with_rules() {
        let text = format!("{HEAD}rule r : (+ ?a x) => (neg ?a)\nn x\nn y\nn + 1 0\nroot 2\n");
        let parsed = workload(&text).unwrap();
        let Term::Node(plus, children) = &parsed.rules[0].left else { panic!("not a node") };
        assert_eq!(*plus, 0);
        assert!(matches!(&children[0], Term::Variable(name) if name == "a"));
        assert!(matches!(&children[1], Term::Node(x, none) if *x == 2 && none.is_empty()));
        let symbols: Vec<Symbol> = parsed.start.iter().map(|node| node.symbol).collect();
        assert_eq!(symbols, [2, 3, 0]);
        assert_eq!(parsed.start[2].children, [1, 0]);
    }

    #[test]
    fn errors_name_their_line() {
        assert_eq!(error("n + 0"), "7: node 0 is not there yet");
        assert_eq!(error("n +"), "7: `+` has 2 children, not 0");
        assert_eq!(error("op big 3 1"), "7: `big` must have 1 to 2 children");
        assert_eq!(error("op + 2 1"), "7: `+` is declared twice or after its use");
        assert_eq!(error("rule r : (+ ?a => ?a"), "7: a term is missing");
        assert_eq!(error("rule r : (neg ?a) ?b => ?a"), "7: more than a term: `(neg ?a) ?b`");
        assert_eq!(error("wat 3"), "7: unknown item `wat`");
    }
}
