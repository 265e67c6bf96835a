#!/usr/bin/env python3
"""Every public name of the engine's public headers stands in an example that is run.

usage: public_names.py ROOT [--list]

PAGES says which pages of docs/egraph show which header. A name counts as shown if a ```cpp block of these
pages uses it: a member after `.`, `->` or `::` or as an override, anything else as a word. It is a check of
words: two classes of one page with a member of the same name share an example. A header of the engine that
is in neither PAGES nor INTERNAL is a fault, so that a new one is not forgotten.
"""

import pathlib
import re
import sys

import pages

PAGES = {
    "ids.h": "graph.md",
    "operators.h": "graph.md",
    "egraph.h": "graph.md analysis.md",
    "edges.h": "graph.md",
    "node_ranges.h": "graph.md",
    "analysis.h": "analysis.md",
    "pattern.h": "rules.md",
    "match.h": "rules.md",
    "rule.h": "rules.md",
    "runner.h": "running.md",
    "limits.h": "running.md",
    "scheduler.h": "running.md",
    "why_not.h": "running.md",
    "extract.h": "extraction.md",
    "history.h": "explanations.md",
    "explain.h": "explanations.md",
    "term_pool.h": "explanations.md",
    "io/explanation_text.h": "explanations.md",
    "io/symbols.h": "text.md",
    "io/input_error.h": "text.md",
    "io/text.h": "text.md",
    "io/print.h": "text.md",
    "io/workload.h": "text.md",
    "io/serialize.h": "exchange.md",
    "io/graphviz.h": "exchange.md",
    "io/snapshot.h": "exchange.md",
}

# What clients do not include: parts of the engine, installed because the headers above hold them.
INTERNAL = {
    "arrays.h", "execution.h", "flat_tree.h", "grow_array.h", "hash_cons.h",
    "list_cache.h", "match_tree.h", "node_ranges_inl.h", "query.h", "refusals.h", "row_sink.h",
    "search.h", "term.h", "union_forest.h", "wide_cost.h", "io/rule_reader.h", "io/scanner.h",
    "io/snapshot_check.h", "io/snapshot_checksum.h", "io/snapshot_forms.h",
}

INTERNAL_FOLDER = "dag/"

# Names that need no example, and why. `Class::*` stands for all members.
ITERATOR = "what std::forward_iterator asks for"
ARRAYS = "reads the arrays as they are, for the engine's own search"
EXCEPTIONS = {
    "ClassNodes::Iterator::*": ITERATOR,
    "ParentNodes::Iterator::*": ITERATOR,
    "EGraph::record": ARRAYS,
    "EGraph::kinds_of_name": ARRAYS,
    "EGraph::next_in_class": ARRAYS,
    "EGraph::kNoParent": ARRAYS,
    "EGraph::first_parent_of_name": ARRAYS,
    "EGraph::parent_after": ARRAYS,
    "EGraph::node_at": ARRAYS,
    "EGraph::is_at": ARRAYS,
}

IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w']*|::|->|&&|\|\||<<|[^\s\w]")
NO_NAMES = {"friend", "static_assert"}


def tokens_of(text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
    text = re.sub(r"'(?:\\.|[^'\\\n])'", "0", text)
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    return TOKEN.findall(text)


class Names:
    """Collects the names that a header declares for clients."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.at = 0
        self.found = []  # (class or "", name)
        self.scope("", "", True)

    def scope(self, kind, path, is_public):
        """Up to the brace that closes this namespace, class or struct."""
        statement = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token == "}":
                return
            if token == ":" and statement and statement[-1] in ("public", "private", "protected"):
                is_public = statement.pop() == "public"
            elif token == ";":
                self.declare(statement, kind, path, is_public)
                statement = []
            elif token == "{":
                statement = self.braces(statement, kind, path, is_public)
            else:
                statement.append(token)

    def braces(self, statement, kind, path, is_public):
        """What a brace opens; returns the statement that goes on after it."""
        head = without_template(statement)
        if head[:1] == ["namespace"]:
            self.scope("namespace", path, True)
            return []
        if head[:1] == ["enum"]:
            name = next((t for t in head[1:] if IDENTIFIER.fullmatch(t) and t != "class"), "")
            if is_public and name:
                self.found.append((path, name))
            self.enumerators(join(path, name), is_public)
            return ["enum"]
        if head[:1] in (["class"], ["struct"]):
            name = head[1]
            if is_public:
                self.found.append((path, name))
            before = len(self.found)
            self.scope(head[0], join(path, name), head[0] == "struct")
            if not is_public:
                del self.found[before:]
            return ["class"]
        self.skip_braces()
        is_call = "(" in head and "=" not in head[:head.index("(")]
        if is_call and head.count("(") == head.count(")"):
            following = self.tokens[self.at] if self.at < len(self.tokens) else ""
            if following not in (",", "{", ";"):  # the body; else a member's initializer
                self.declare(statement, kind, path, is_public)
                return []
        return statement + ["{}"]

    def enumerators(self, path, is_public):
        depth, is_next = 0, True
        while depth >= 0:
            token = self.tokens[self.at]
            self.at += 1
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token, 0)
            if depth == 0 and is_next and IDENTIFIER.fullmatch(token):
                if is_public:
                    self.found.append((path, token))
                is_next = False
            elif depth == 0 and token == ",":
                is_next = True

    def skip_braces(self):
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.tokens[self.at], 0)
            self.at += 1

    def declare(self, statement, kind, path, is_public):
        head = without_template(statement)
        if not is_public or not head or head[0] in NO_NAMES or head[0] in ("class", "struct", "enum"):
            return
        if head[0] == "using":
            if head[1] != "namespace":
                self.found.append((path, head[1]))
            return
        if "operator" in head or "~" in head:
            return
        name = declared_name(head)
        if name and name != path.rsplit("::", 1)[-1]:  # no constructors
            self.found.append((path, name))


def join(path, name):
    return f"{path}::{name}" if path else name


def without_template(statement):
    """A declaration without the `template <...>` before it."""
    if statement[:1] != ["template"]:
        return statement
    depth = 0
    for index, token in enumerate(statement):
        depth += {"<": 1, ">": -1}.get(token, 0)
        if index and depth == 0:
            return without_template(statement[index + 1:])
    return []


def declared_name(head):
    """The last identifier before a parameter list, an initializer or the end."""
    depth, name = 0, None
    for index, token in enumerate(head):
        if token == "<" and index and IDENTIFIER.fullmatch(head[index - 1]):
            depth += 1
        elif token == ">" and depth:
            depth -= 1
        elif depth == 0 and token in ("(", "=", "{}", "[", ":"):
            return name
        elif depth == 0 and IDENTIFIER.fullmatch(token):
            name = token
    return name


def is_shown(owner, name, code, enumerators):
    word = rf"\b{name}\b"
    if not owner or name[0].isupper() or (owner, name) in enumerators:
        return re.search(word, code) is not None
    as_member = rf"(?:\.|->|::)\s*(?:template )?{word}"
    as_override = rf"{word}\([^)]*\)(?: const)? override"
    return re.search(f"{as_member}|{as_override}", code) is not None


def names_of(header):
    """(class, name) of all public names of a header's text, each once, in order."""
    return list(dict.fromkeys(Names(tokens_of(header)).found))


def self_test():
    header = """
        namespace n {
        // class Comment {};
        enum class Color : uint8_t { kRed, kBlue = f(1, 2) };
        struct Plain { int count = 0; std::function<bool(int, long)> hook; };
        template <class T> class Box : public Base<T> {
         public:
          Box() : value_{1} {}
          std::optional<T> look(std::span<const T> names = {}) const;
          template <class U> U get(int n = 2) const { if (n < 3) { hidden(); } return {}; }
          Box& set(T value); void operator()(int);
          static constexpr uint64_t kMost = Limits<int>::max();
          struct Inner { int deep; };
         private:
          struct Secret { int not_seen; };
          T value_;
        };
        using Alias = uint32_t;
        inline Box<int> make(int a, std::vector<int> b = {}) { return {}; }
        }
    """
    expected = [("", "Color"), ("Color", "kRed"), ("Color", "kBlue"), ("", "Plain"),
                ("Plain", "count"), ("Plain", "hook"), ("", "Box"), ("Box", "look"), ("Box", "get"), ("Box", "set"),
                ("Box", "kMost"), ("Box", "Inner"), ("Box::Inner", "deep"), ("", "Alias"),
                ("", "make")]
    if names_of(header) != expected:
        sys.exit(f"public_names.py: self-test: {names_of(header)}")
    if is_shown("Box", "get", "get(b)", set()) or not is_shown("Box", "get", "b.get(1)", set()):
        sys.exit("public_names.py: self-test of what counts as shown")


def code_of(page):
    return "\n".join(line for block in pages.read_blocks(page) for line in block.code)


def is_excepted(owner, name):
    return join(owner, name) in EXCEPTIONS or f"{owner}::*" in EXCEPTIONS


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    self_test()
    root = pathlib.Path(sys.argv[1])
    faults, count, used = [], 0, set()
    for path in sorted((root / "egraph").rglob("*.h")):
        header = path.relative_to(root / "egraph").as_posix()
        if header not in PAGES:
            if header not in INTERNAL and not header.startswith(INTERNAL_FOLDER):
                faults.append(f"egraph/{header}: neither in PAGES nor in INTERNAL")
            continue
        code = "\n".join(code_of(root / "docs/egraph" / page) for page in PAGES[header].split())
        names = names_of(path.read_text())
        enumerators = {(owner, name) for owner, name in names if re.match(r"k[A-Z]", name)}
        for owner, name in names:
            if "--list" in sys.argv:
                print(f"{header}: {join(owner, name)}")
            used |= {key for key in (join(owner, name), f"{owner}::*") if key in EXCEPTIONS}
            if is_excepted(owner, name):
                continue
            count += 1
            if not is_shown(owner, name, code, enumerators):
                faults.append(f"egraph/{header}: {join(owner, name)} has no example in "
                              f"docs/egraph/{PAGES[header]}")
    faults += [f"EXCEPTIONS: {key} is no public name" for key in EXCEPTIONS if key not in used]
    for fault in faults:
        print(fault)
    print(f"{count} public names, {len(EXCEPTIONS)} exceptions, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
