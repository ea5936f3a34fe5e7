"""Random small graphs: chains and joins of operators."""
import steps
from graph import Graph


def random_graph(v):
    g = Graph(v)
    while len(g.model.operators) < 2 or v.chance(0.75) and len(g.model.operators) < 14:
        v.choice(steps.ALL)(g)
    made = {x for op in g.model.operators for x in op.outputs}
    ends = [x for x in g.live if x in made and x not in g.users]
    inner = [x for x in g.live if x in made and x in g.users and v.chance(0.1)]
    used = {x for op in g.model.operators for x in op.inputs}
    g.model.inputs = [x for x in g.model.inputs if x in used]
    g.model.outputs = (g.leaves + ends + inner)[:32]
    return g.model
