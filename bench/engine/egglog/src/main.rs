//! Runs a workload with egglog 3.0, through its library, and prints a line of JSON.
//!
//! Operators become constructors and the rules rewrites, as text; leaves are `(Leaf INDEX)`. One
//! iteration is one step of all rules (semi-naive). With `--facts`, start terms come in as files of
//! facts, as in a program in egglog's language; else in one batch through the Rust interface.

mod batch;
mod facts;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use bench_workload::{Options, Report, StartNode, Symbol, Term, Workload, peak_resident_mib};
use egglog::{EGraph, Error};

use facts::Facts;

// What egglog's own program uses.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LEAF: &str = "Leaf";

/// Names of our own: not every operator's name is one in egglog.
fn constructor(symbol: Symbol) -> String {
    format!("Op{symbol}")
}

fn pattern(workload: &Workload, term: &Term) -> String {
    match term {
        Term::Variable(name) => format!("v_{name}"),
        Term::Node(symbol, _) if workload.arity(*symbol) == 0 => format!("({LEAF} {symbol})"),
        Term::Node(symbol, children) => {
            let children: Vec<_> = children.iter().map(|child| pattern(workload, child)).collect();
            format!("({} {})", constructor(*symbol), children.join(" "))
        }
    }
}

fn program(workload: &Workload) -> String {
    let mut text = format!("(sort Term)\n(constructor {LEAF} (i64) Term)\n");
    for (index, operator) in workload.operators.iter().enumerate() {
        let inputs = vec!["Term"; operator.arity].join(" ");
        let name = constructor(index as Symbol);
        writeln!(text, "(constructor {name} ({inputs}) Term) ; {}", operator.name).unwrap();
    }
    for rule in &workload.rules {
        let (left, right) = (pattern(workload, &rule.left), pattern(workload, &rule.right));
        writeln!(text, "(rewrite {left} {right}) ; {}", rule.name).unwrap();
    }
    text
}

/// The sizes in egg's terms: rows of all constructors, and different values in their last column.
fn sizes(egraph: &EGraph, workload: &Workload) -> Result<(usize, usize), Error> {
    let mut nodes = 0;
    let mut classes = HashSet::new();
    let operators = (0..workload.operators.len() as Symbol).map(constructor);
    for name in operators.chain([LEAF.to_string()]) {
        egraph.constructor_enodes(&name, |node| {
            nodes += 1;
            classes.insert(node.eclass);
        })?;
    }
    Ok((nodes, classes.len()))
}

fn seconds<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begin = Instant::now();
    let result = work();
    (result, begin.elapsed().as_secs_f64())
}

fn measure(options: &Options, by_facts: bool) -> Result<Report, String> {
    if options.explanations {
        return Err("egglog's proofs exclude loading through the Rust interface".to_string());
    }
    let (workload, parse_s) = seconds(|| Workload::read(&options.file));
    let mut workload = workload?;
    workload.start.truncate(options.start.unwrap_or(usize::MAX));
    let start = std::mem::take(&mut workload.start);
    let facts = if by_facts { Some(Facts::write(&workload, &start)) } else { None };
    let facts = facts.transpose().map_err(|error| format!("facts: {error}"))?;
    measure_parsed(workload, start, facts, options, parse_s).map_err(|error| error.to_string())
}

fn measure_parsed(
    workload: Workload,
    start: Vec<StartNode>,
    facts: Option<Facts>,
    options: &Options,
    parse_s: f64,
) -> Result<Report, Error> {
    let mut egraph = EGraph::default();
    let mut rules = program(&workload);
    rules.extend(facts.iter().map(Facts::declarations));
    let (compiled, compile_s) = seconds(|| egraph.parse_and_run_program(None, &rules));
    compiled?;

    let rss_before_mib = peak_resident_mib();
    let (loaded, load_s) = seconds(|| match &facts {
        Some(facts) => facts.load(&mut egraph),
        None => batch::load(&mut egraph, &workload, &start),
    });
    loaded?;
    drop(start);

    let mut report = Report { parse_s, compile_s, load_s, rss_before_mib, ..Report::default() };
    let run = Instant::now();
    while report.iterations < workload.iterations && !report.saturated {
        let step = egraph.step_rules("")?;
        let total =
            |times: &mut dyn Iterator<Item = &Duration>| times.sum::<Duration>().as_secs_f64();
        report.search_s += total(&mut step.search_and_apply_time_per_ruleset.values());
        report.apply_s += total(&mut step.merge_time_per_ruleset.values());
        report.rebuild_s += total(&mut step.rebuild_time_per_ruleset.values());
        report.iterations += 1;
        report.saturated = !step.updated;
    }
    report.run_s = run.elapsed().as_secs_f64();
    report.rss_mib = peak_resident_mib();

    (report.nodes, report.classes) = sizes(&egraph, &workload)?;
    if options.rerun && report.saturated {
        let (again, rerun_s) = seconds(|| egraph.step_rules(""));
        again?;
        report.rerun_s = Some(rerun_s);
    }
    report.engine = "egglog-3.0";
    report.workload = workload.name;
    Ok(report)
}

fn main() {
    let (facts, arguments): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| argument == "--facts");
    let options = Options::from_arguments(arguments);
    match options.and_then(|options| measure(&options, !facts.is_empty())) {
        Ok(report) => println!("{}", report.to_json()),
        Err(error) => {
            eprintln!("bench-egglog: {error}");
            std::process::exit(2);
        }
    }
}
