"""Circles of a graph: strongly connected components of more than one member."""


def circles(vertices, needs):
    """Tarjan's algorithm with a stack of its own: problems are deep. No vertex needs itself."""
    index, low, open_, is_open, found = {}, {}, [], set(), []
    for start in vertices:
        if start in index:
            continue
        visits = []

        def enter(vertex):
            index[vertex] = low[vertex] = len(index)
            open_.append(vertex)
            is_open.add(vertex)
            visits.append((vertex, iter(needs(vertex))))

        enter(start)
        while visits:
            vertex, rest = visits[-1]
            below = next(rest, None)
            if below is None:
                visits.pop()
                if visits:
                    above = visits[-1][0]
                    low[above] = min(low[above], low[vertex])
                if low[vertex] == index[vertex]:
                    at = open_.index(vertex)
                    members = set(open_[at:])
                    del open_[at:]
                    is_open -= members
                    if len(members) > 1:
                        found.append(members)
            elif below not in index:
                enter(below)
            elif below in is_open:
                low[vertex] = min(low[vertex], index[below])
    return found
