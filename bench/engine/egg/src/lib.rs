//! Runs a workload with egg 0.11 and prints a line of JSON. The programs in `bin/` differ in their
//! allocator only.

mod node;

use std::time::{Duration, Instant};

use bench_workload::{Options, Report, StartNode, Term, Workload, peak_resident_mib};
use egg::{EGraph, ENodeOrVar, Id, Pattern, RecExpr, Rewrite, Runner, SimpleScheduler, StopReason};

use node::Node;

fn add_term(term: &Term, pattern: &mut RecExpr<ENodeOrVar<Node>>) -> Id {
    match term {
        Term::Variable(name) => {
            let variable = format!("?{name}").parse().expect("a variable's name");
            pattern.add(ENodeOrVar::Var(variable))
        }
        Term::Node(symbol, children) => {
            let children: Vec<Id> = children.iter().map(|child| add_term(child, pattern)).collect();
            pattern.add(ENodeOrVar::ENode(Node::new(*symbol, &children)))
        }
    }
}

fn pattern(term: &Term) -> Pattern<Node> {
    let mut pattern = RecExpr::default();
    add_term(term, &mut pattern);
    Pattern::new(pattern)
}

fn compile(workload: &Workload) -> Result<Vec<Rewrite<Node, ()>>, String> {
    let rewrite = |rule: &bench_workload::Rule| {
        Rewrite::new(rule.name.as_str(), pattern(&rule.left), pattern(&rule.right))
    };
    workload.rules.iter().map(rewrite).collect()
}

fn load(workload: &Workload, start: &[StartNode], explanations: bool) -> EGraph<Node, ()> {
    let mut egraph = EGraph::default();
    if explanations {
        egraph = egraph.with_explanations_enabled();
    }
    let mut ids: Vec<Id> = Vec::with_capacity(start.len());
    for node in start {
        let children =
            node.children.map(|child| ids.get(child as usize).copied().unwrap_or_default());
        ids.push(egraph.add(Node::new(node.symbol, &children[..workload.arity(node.symbol)])));
    }
    egraph.rebuild();
    egraph
}

fn runner(egraph: EGraph<Node, ()>, iterations: usize, nodes: usize) -> Runner<Node, ()> {
    Runner::default()
        .with_egraph(egraph)
        .with_scheduler(SimpleScheduler)
        .with_iter_limit(iterations)
        .with_node_limit(nodes)
        .with_time_limit(Duration::from_secs(24 * 3600))
}

fn seconds<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begin = Instant::now();
    let result = work();
    (result, begin.elapsed().as_secs_f64())
}

fn measure(options: &Options) -> Result<Report, String> {
    let (workload, parse_s) = seconds(|| Workload::read(&options.file));
    let mut workload = workload?;
    workload.start.truncate(options.start.unwrap_or(usize::MAX));
    let (rules, compile_s) = seconds(|| compile(&workload));
    let rules = rules?;

    // egg's clock calibrates itself for half a millisecond at its first use.
    EGraph::<Node, ()>::default().rebuild();

    let rss_before_mib = peak_resident_mib();
    let start = std::mem::take(&mut workload.start);
    let (egraph, load_s) = seconds(|| load(&workload, &start, options.explanations));
    drop(start);
    let runner_ready = runner(egraph, workload.iterations, workload.node_limit);
    let (finished, run_s) = seconds(|| runner_ready.run(&rules));
    let rss_mib = peak_resident_mib();

    let sum = |time: fn(&egg::Iteration<()>) -> f64| finished.iterations.iter().map(time).sum();
    let mut report = Report {
        engine: "egg-0.11",
        workload: workload.name,
        explanations: options.explanations,
        nodes: finished.egraph.total_number_of_nodes(),
        classes: finished.egraph.number_of_classes(),
        iterations: finished.iterations.len(),
        saturated: matches!(finished.stop_reason, Some(StopReason::Saturated)),
        parse_s,
        compile_s,
        load_s,
        search_s: sum(|iteration| iteration.search_time),
        apply_s: sum(|iteration| iteration.apply_time),
        rebuild_s: sum(|iteration| iteration.rebuild_time),
        run_s,
        rerun_s: None,
        rss_before_mib,
        rss_mib,
    };
    if options.rerun && report.saturated {
        let again = runner(finished.egraph, 1, usize::MAX);
        report.rerun_s = Some(seconds(|| again.run(&rules)).1);
    }
    Ok(report)
}

pub fn main() {
    match Options::from_arguments(std::env::args().skip(1)).and_then(|options| measure(&options)) {
        Ok(report) => println!("{}", report.to_json()),
        Err(error) => {
            eprintln!("bench-egg: {error}");
            std::process::exit(2);
        }
    }
}
