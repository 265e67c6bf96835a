workload shifts
op << 2 1
op * 2 3
op / 2 7
rule shift : (* ?a two) => (<< ?a one)
rule back : (<< ?a one) => (* ?a two)
rule regroup : (/ (* ?a ?b) ?c) => (* ?a (/ ?b ?c))
rule one : (/ ?a ?a) => one
n a
n two
n one
n * 0 1
n / 3 1
root 4
