#!/usr/bin/env python3
"""What check_graph.py must find, in graphs made up for it."""
import check_graph


def expect(what, found, *parts):
    text = "\n".join(found)
    assert (text == "") == (not parts), f"{what}: {text}"
    assert all(part in text for part in parts), f"{what}: {text}"


def main():
    good = {
        "base/error": {},
        "isa/encode": {"base/error": "includes base/error.h"},
        "compiler/ir/graph": {"base/error": "uses weft_fail"},
        "compiler/compile": {"compiler/ir/graph": "uses weft_graph_new", "isa/encode": "uses weft_encode"},
    }
    expect("a right graph", [*check_graph.wrong_folders(good), *check_graph.circles(good)])

    upward = {"base/error": {"isa/encode": "uses weft_encode"}, "isa/encode": {}}
    expect("a folder below", check_graph.wrong_folders(upward), "base/error uses weft_encode of isa/encode")
    beside = {"compiler/import/sparse": {"compiler/pattern/match": "includes x.h"}, "compiler/pattern/match": {}}
    expect("a folder beside", check_graph.wrong_folders(beside), "compiler/ir, base")
    inside = {"compiler/ir/graph": {"compiler/module": "includes compiler/module.h"}, "compiler/module": {}}
    expect("a folder around it", check_graph.wrong_folders(inside), "compiler/ir/graph")

    circle = {
        "cli/a": {"cli/b": "includes cli/b.h", "cli/d": "uses d"},
        "cli/b": {"cli/c": "uses c"},
        "cli/c": {"cli/a": "uses a", "cli/d": "uses d"},
        "cli/d": {},
    }
    expect("a circle", check_graph.circles(circle), "cli/a includes cli/b.h", "cli/b uses c", "cli/c uses a of cli/a")
    assert len(list(check_graph.circles(circle))) == 1
    two = {"a": {"b": "uses b"}, "b": {"a": "uses a"}, "c": {"d": "uses d", "a": "uses a"}, "d": {"c": "uses c"}}
    assert len(list(check_graph.circles(two))) == 2


if __name__ == "__main__":
    main()
