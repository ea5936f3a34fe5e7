#!/usr/bin/env python3
"""Holds the grammar of docs/ir.md against the reader of graphs.

usage: check_ir_grammar.py WEFT SOURCE_DIR [MODEL...]

The examples of docs/ir.md and of tests/fuzz/seeds/graph, and dumps of the models, belong to the grammar. Then each example loses one
token after another: what the reader refuses for its syntax ("line N: expected ...") and what it takes must be what the grammar says.
"""
import pathlib
import re
import subprocess
import sys

SPACE = re.compile(r'(\s|//[^\n]*)*')
# A rule's notation: "text", /regular expression/, name, ( ), ?, *, &, !, / between alternatives.
NOTATION = re.compile(r'"[^"]*"|/[^/ ](?:\\.|\[(?:\\.|[^\]])*\]|[^/\[])*/|[a-z]+|[()?*&!/]')


class Grammar:
    def __init__(self, text):
        self.rules = {}
        for line in text.strip().split('\n'):
            name, _, right = line.partition('=')
            self.tokens = NOTATION.findall(right)
            self.rules[name.strip()] = self.choice()

    def choice(self):
        options = [self.sequence()]
        while self.tokens and self.tokens[0] == '/':
            self.tokens.pop(0)
            options.append(self.sequence())
        return ('choice', options)

    def sequence(self):
        parts = []
        while self.tokens and self.tokens[0] not in (')', '/'):
            parts.append(self.part())
        return ('sequence', parts)

    def part(self):
        token = self.tokens.pop(0)
        if token in '&!':
            return (token, self.part())
        if token == '(':
            made = self.choice()
            assert self.tokens.pop(0) == ')'
        elif token[0] == '"':
            made = ('text', token[1:-1])
        elif token[0] == '/':
            made = ('match', re.compile(token[1:-1]))
        else:
            made = ('rule', token)
        while self.tokens and self.tokens[0] in ('?', '*'):
            made = (self.tokens.pop(0), made)
        return made

    def parse(self, what, text, at):
        """The position behind what matches at `at`, or None."""
        kind, inner = what
        if kind == 'rule':
            return self.parse(self.rules[inner], text, at)
        if kind == 'choice':
            return next((end for option in inner if (end := self.parse(option, text, at)) is not None), None)
        if kind == 'sequence':
            for part in inner:
                at = self.parse(part, text, at)
                if at is None:
                    return None
            return at
        if kind in '&!':
            found = self.parse(inner, text, at) is not None
            return at if found == (kind == '&') else None
        if kind == '?':
            end = self.parse(inner, text, at)
            return at if end is None else end
        if kind == '*':
            while (end := self.parse(inner, text, at)) is not None:
                at = end
            return at
        at = SPACE.match(text, at).end()
        if kind == 'text':
            return at + len(inner) if text.startswith(inner, at) else None
        found = inner.match(text, at)
        return found and found.end()

    def takes(self, text):
        end = self.parse(('rule', 'text'), text, 0)
        return end is not None and SPACE.match(text, end).end() == len(text)


def blocks(page, kind):
    return re.findall(r'^```' + kind + r'\n(.*?)^```', page, re.M | re.S)


def refused_for_syntax(weft, text):
    """Does the reader say that something else was expected at a place?"""
    run = subprocess.run([weft, 'inspect', '-'], input=text, capture_output=True, text=True)
    return run.returncode != 0 and re.search(r"line \d+: expected .* at '", run.stderr) is not None, run.stderr


def without_tokens(text):
    """The text without each of its tokens, in turn."""
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[A-Za-z0-9_.+-]+|[^\sA-Za-z0-9_.+-]', text):
        yield text[:token.start()] + ' ' + text[token.end():]


def main():
    weft, source = sys.argv[1], pathlib.Path(sys.argv[2])
    page = (source / 'docs/ir.md').read_text()
    grammar = Grammar(blocks(page, 'grammar')[0])
    examples = blocks(page, 'ir')
    seeds = [path.read_text() for path in sorted((source / 'tests/fuzz/seeds/graph').glob('*.txt'))]
    wrong = 0
    for text in examples + seeds:
        if not grammar.takes(text):
            print('the grammar does not take:\n' + text[:1000])
            wrong += 1
    for text in examples:
        run = subprocess.run([weft, 'inspect', '-'], input=text, capture_output=True, text=True)
        if run.returncode != 0:
            print(f'the reader does not take an example: {run.stderr}')
            wrong += 1
    for model in sys.argv[3:]:
        dump = subprocess.run([weft, 'compile', model, '--dump-after', 'partition'], capture_output=True, text=True, check=True).stdout
        if not grammar.takes(dump):
            print(f'the grammar does not take the dump of {model}')
            wrong += 1
    tried = 0
    for text in (t for example in examples for t in without_tokens(example)):
        refused, message = refused_for_syntax(weft, text)
        # What is well formed can still be no good graph, which is no matter of the grammar.
        if refused and grammar.takes(text) and 'before at' not in message and 'an operator' not in message and 'an attribute' not in message:
            print(f'the reader refuses what the grammar takes: {message}{text}')
            wrong += 1
        if not refused and not grammar.takes(text) and 'TFL3' not in message:
            print(f'the reader takes what the grammar refuses: {message}{text}')
            wrong += 1
        tried += 1
    print(f'{len(examples)} examples, {len(seeds)} seeds, {tried} texts without a token, {wrong} wrong')
    return 1 if wrong or not examples or not seeds or not tried else 0


if __name__ == '__main__':
    sys.exit(main())
