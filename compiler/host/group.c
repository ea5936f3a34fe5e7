#include "compiler/host/group.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "compiler/host/tail.h"

enum {
    MOST_NODES = 64 /* in a group, and on the ways from a node to its post-dominator */
};

/* From a node to one that uses a result of it. */
struct edge {
    uint32_t from, to;
};

struct search {
    const struct weft_graph *graph;
    uint32_t end; /* stands for the outputs of the graph: the number of nodes */
    size_t edge_count;
    struct edge *edges;   /* by `from` */
    uint32_t *first_edge; /* by node, and one behind the last */
    uint32_t *dominator;  /* by node: its immediate post-dominator */
    uint32_t *depth;      /* by node and of the end: in the tree of these */
    uint32_t *last;       /* by node: as in struct weft_host_groups, or another node of the group */
    uint32_t *size;       /* by last node: of nodes */
    uint8_t *has_anchor;  /* by last node: a product or a reduction */
    const struct numbered *numbers;
};

struct numbered {
    const struct weft_node *node;
    uint32_t number;
};

/* ---- who uses what ---- */

static int compare_nodes(const void *a, const void *b) {
    const struct numbered *first = a;
    const struct numbered *second = b;
    return weft_compare_u64((uintptr_t)first->node, (uintptr_t)second->node);
}

static int compare_edges(const void *a, const void *b) {
    const struct edge *first = a;
    const struct edge *second = b;
    return first->from != second->from ? weft_compare_u64(first->from, second->from)
                                       : weft_compare_u64(first->to, second->to);
}

static void add_edge(struct search *search, const struct weft_value *value, uint32_t to) {
    const struct numbered key = {.node = value->producer};
    const struct numbered *found =
        value->producer == NULL
            ? NULL
            : bsearch(&key, search->numbers, search->end, sizeof key, compare_nodes);
    if (found != NULL) {
        search->edges[search->edge_count++] = (struct edge){found->number, to};
    }
}

static void add_edges(struct search *search) {
    const struct weft_graph *graph = search->graph;
    for (uint32_t i = 0; i < search->end; i++) {
        for (uint32_t k = 0; k < graph->nodes[i]->input_count; k++) {
            add_edge(search, graph->nodes[i]->inputs[k], i);
        }
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        add_edge(search, graph->outputs[i], search->end);
    }
    qsort(search->edges, search->edge_count, sizeof *search->edges, compare_edges);
    size_t edge = 0;
    for (uint32_t i = 0; i <= search->end; i++) {
        while (edge < search->edge_count && search->edges[edge].from < i) {
            edge++;
        }
        search->first_edge[i] = (uint32_t)edge;
    }
}

static uint32_t edges_end(const struct search *search, uint32_t node) {
    return search->first_edge[node + 1];
}

/* ---- post-dominators ---- */

/* The first node that both go through. */
static uint32_t meet(const struct search *search, uint32_t a, uint32_t b) {
    while (a != b) {
        if (search->depth[a] >= search->depth[b]) {
            a = search->dominator[a];
        } else {
            b = search->dominator[b];
        }
    }
    return a;
}

/* From the last node on, so that those of users are known. What nobody uses goes to the end. */
static void find_dominators(struct search *search) {
    search->depth[search->end] = 0;
    search->dominator[search->end] = search->end;
    for (uint32_t i = search->end; i-- > 0;) {
        uint32_t found = search->end;
        for (uint32_t e = search->first_edge[i]; e < edges_end(search, i); e++) {
            uint32_t user = search->edges[e].to;
            found = e == search->first_edge[i] ? user : meet(search, found, user);
        }
        search->dominator[i] = found;
        search->depth[i] = search->depth[found] + 1;
    }
}

/* ---- joining ---- */

static uint32_t last_of(const struct search *search, uint32_t node) {
    while (search->last[node] != node) {
        node = search->last[node];
    }
    return node;
}

/* Nodes on the ways from one to another, the latter among them. */
struct ways {
    uint32_t count;
    uint32_t node[MOST_NODES];
};

static bool is_on(const struct ways *ways, uint32_t node) {
    bool found = false;
    for (uint32_t i = 0; i < ways->count; i++) {
        found = found || ways->node[i] == node;
    }
    return found;
}

/* False: there are too many. */
static bool find_ways(const struct search *search, uint32_t from, uint32_t to, struct ways *ways) {
    ways->count = 0;
    for (uint32_t next = 0, at = from;; at = ways->node[next++]) {
        for (uint32_t e = search->first_edge[at]; at != to && e < edges_end(search, at); e++) {
            uint32_t user = search->edges[e].to;
            if (is_on(ways, user)) {
                continue;
            }
            if (ways->count == MOST_NODES) {
                return false;
            }
            ways->node[ways->count++] = user;
        }
        if (next == ways->count) {
            return true;
        }
    }
}

/* Can all nodes on the ways be carried out by tiles of the first one's result? */
static bool fits(const struct search *search, uint32_t from, uint32_t to, const struct ways *ways) {
    const struct weft_node *head = search->graph->nodes[from];
    bool reduces = weft_operator_fusion(head->op) == WEFT_FUSION_BY_ELEMENT;
    uint32_t nodes = search->size[last_of(search, from)];
    bool has_anchor = search->has_anchor[last_of(search, from)] != 0;
    bool good = true;
    for (uint32_t i = 0; good && i < ways->count; i++) {
        const struct weft_node *node = search->graph->nodes[ways->node[i]];
        uint32_t last = last_of(search, ways->node[i]);
        bool anchors = search->has_anchor[last] != 0 && last != last_of(search, from);
        good = host_tail_takes(node, &head->results[0]->type) ||
               (reduces && !has_anchor && ways->node[i] == to &&
                host_tail_ends(node, &head->results[0]->type));
        good = good && !(anchors && has_anchor);
        has_anchor = has_anchor || anchors;
        nodes += last == last_of(search, from) ? 0 : search->size[last];
    }
    return good && nodes <= MOST_NODES;
}

static void join(struct search *search, uint32_t node, uint32_t to) {
    uint32_t from = last_of(search, node);
    if (from != to) {
        search->size[to] += search->size[from];
        search->has_anchor[to] |= search->has_anchor[from];
        search->last[from] = to;
    }
}

/* Joins a node with its post-dominator, if it can be. */
static void try_node(struct search *search, uint32_t node) {
    uint32_t to = search->dominator[node];
    struct ways ways;
    if (to == search->end || !find_ways(search, node, to, &ways) ||
        !fits(search, node, to, &ways)) {
        return;
    }
    uint32_t last = last_of(search, to);
    join(search, node, last);
    for (uint32_t i = 0; i < ways.count; i++) {
        join(search, ways.node[i], last);
    }
}

/* Products first: what follows them is theirs rather than that of other operands. */
static void join_nodes(struct search *search) {
    static const enum weft_fusion phases[] = {WEFT_FUSION_COMPLEX, WEFT_FUSION_BY_ELEMENT};
    for (size_t phase = 0; phase < 2; phase++) {
        for (uint32_t i = 0; i < search->end; i++) {
            const struct weft_node *node = search->graph->nodes[i];
            bool starts = phases[phase] == WEFT_FUSION_COMPLEX
                              ? host_tail_follows(node)
                              : host_tail_takes(node, &node->results[0]->type);
            if (weft_operator_fusion(node->op) == phases[phase] && starts) {
                try_node(search, i);
            }
        }
    }
}

/* ---- all of it ---- */

static bool allocate(struct search *search, struct numbered **numbers, struct weft_error *error) {
    const struct weft_graph *graph = search->graph;
    size_t nodes = graph->node_count + 2;
    size_t edges = graph->output_count;
    for (size_t i = 0; i < graph->node_count; i++) {
        edges += graph->nodes[i]->input_count;
    }
    *numbers = weft_allocate(nodes, sizeof **numbers, "groups", error);
    search->edges = weft_allocate(edges, sizeof *search->edges, "groups", error);
    search->first_edge = weft_allocate(nodes, sizeof *search->first_edge, "groups", error);
    search->dominator = weft_allocate(nodes, sizeof *search->dominator, "groups", error);
    search->depth = weft_allocate(nodes, sizeof *search->depth, "groups", error);
    search->has_anchor = weft_allocate(nodes, 1, "groups", error);
    return *numbers != NULL && search->edges != NULL && search->first_edge != NULL &&
           search->dominator != NULL && search->depth != NULL && search->has_anchor != NULL;
}

static void search_groups(struct search *search, struct numbered *numbers) {
    const struct weft_graph *graph = search->graph;
    for (uint32_t i = 0; i < search->end; i++) {
        numbers[i] = (struct numbered){graph->nodes[i], i};
        enum weft_fusion fusion = weft_operator_fusion(graph->nodes[i]->op);
        search->has_anchor[i] =
            fusion == WEFT_FUSION_COMPLEX || fusion == WEFT_FUSION_REDUCTION ? 1 : 0;
    }
    qsort(numbers, search->end, sizeof *numbers, compare_nodes);
    search->numbers = numbers;
    add_edges(search);
    search->first_edge[search->end + 1] = (uint32_t)search->edge_count;
    find_dominators(search);
    join_nodes(search);
    for (uint32_t i = search->end; i-- > 0;) {
        search->last[i] = last_of(search, i);
    }
}

bool weft_host_groups_find(const struct weft_graph *graph, bool fuse,
                           struct weft_host_groups *groups, struct weft_error *error) {
    struct search search = {.graph = graph, .end = (uint32_t)graph->node_count};
    struct numbered *numbers = NULL;
    groups->count = graph->node_count;
    groups->last = weft_allocate(graph->node_count, sizeof *groups->last, "groups", error);
    groups->size = weft_allocate(graph->node_count, sizeof *groups->size, "groups", error);
    if (groups->last == NULL || groups->size == NULL) {
        weft_host_groups_free(groups);
        return false;
    }
    for (uint32_t i = 0; i < search.end; i++) {
        groups->last[i] = i;
        groups->size[i] = 1;
    }
    search.last = groups->last;
    search.size = groups->size;
    bool good = !fuse || allocate(&search, &numbers, error);
    if (good && fuse) {
        search_groups(&search, numbers);
    }
    free(numbers);
    free(search.edges);
    free(search.first_edge);
    free(search.dominator);
    free(search.depth);
    free(search.has_anchor);
    if (!good) {
        weft_host_groups_free(groups);
    }
    return good;
}

void weft_host_groups_free(struct weft_host_groups *groups) {
    free(groups->last);
    free(groups->size);
    *groups = (struct weft_host_groups){0};
}

static void print_result(const struct weft_node *node, const char *before, struct weft_text *text) {
    weft_text_add(text, "%s%s %%%s", before, weft_operator_name(node->op), node->results[0]->name);
}

void weft_host_groups_print(const struct weft_graph *graph, const struct weft_host_groups *groups,
                            struct weft_text *text) {
    for (uint32_t last = 0; last < groups->count; last++) {
        const char *before = "";
        if (groups->last[last] != last || groups->size[last] == 1) {
            continue;
        }
        for (uint32_t i = 0; i <= last; i++) {
            if (groups->last[i] == last) {
                print_result(graph->nodes[i], before, text);
                before = ", ";
            }
        }
        weft_text_add(text, "\n");
    }
}
