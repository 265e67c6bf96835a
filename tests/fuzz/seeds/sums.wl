workload sums
op + 2 2
op * 2 4
leafcost 1
iters 4
rule comm : (+ ?a ?b) => (+ ?b ?a)
rule zero : (+ ?a 0) => ?a
n x
n 0
n + 0 1
n * 2 2
root 3
root 2
