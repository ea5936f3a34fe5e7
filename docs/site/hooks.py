"""Makes the site of mkdocs.yml from the repository as it is: no document is copied, and links are those that work in it.

Pages are all documents (*.md) at their places. Generated beside them are a page for each manual page of docs/man (mandoc
makes it), and one for each file or folder that a document links to: the text of the file, or the list of the files.
A page that no navigation lists, and a link, an anchor, a picture or a script that is not on the site, are errors.
"""

import json
import os
import posixpath
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
FENCE = re.compile(r"^ *```")
LANGUAGES = {".c": "c", ".h": "c", ".cpp": "cpp", ".def": "c", ".py": "python", ".sv": "systemverilog",
             ".json": "json", ".sh": "sh"}

root = Path()
documents = []  # paths in the repository, "/" between folders
generated = {}  # paths of pages that are no files: their Markdown
manuals = {}  # of these, the pages that are HTML already
targets = {}  # files and folders that are linked to: the paths of their pages


def walk(folder):
    """Files below a folder, without what is hidden or built."""
    for path, folders, files in os.walk(root / folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "build", "__pycache__")))
        for name in sorted(files):
            if not name.startswith("."):
                yield (Path(path) / name).relative_to(root).as_posix()


def outside_code(markdown, change):
    """The text with each line that is not in a block of code changed."""
    lines, inside = [], False
    for line in markdown.split("\n"):
        if FENCE.match(line):
            inside = not inside
            line = re.sub(r"^( *```\S+) .*", r"\1", line)  # "sh rtl", which tests read, is "sh" here
        elif not inside:
            line = change(line)
        lines.append(line)
    return "\n".join(lines)


def title_of(document):
    with open(root / document, encoding="utf-8") as text:
        return text.readline().lstrip("# ").strip()


def show_cells(notebook):
    """The cells of a notebook that holds no outputs."""
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        yield f"```python\n{source}\n```" if cell["cell_type"] == "code" else re.sub(r"^#", "##", source, flags=re.M)


def show_file(path):
    """A page with the text of a file."""
    file = root / path
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
    if file.suffix == ".ipynb":
        generated[path + ".md"] = f"# {path}\n\n" + "\n\n".join(show_cells(json.loads(text))) + "\n"
        return path + ".md"
    language = "cmake" if file.name == "CMakeLists.txt" else LANGUAGES.get(file.suffix, "text")
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    page = path + ".md"
    generated[page] = f"# {path}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"
    return page


def show_folder(path):
    """A page with what is in a folder."""
    page = posixpath.join(path, "README.md")
    if page in documents:
        return page
    entries = []
    for file in walk(path):
        relative = posixpath.relpath(file, path)
        if file in documents:
            entries.append(f"- [{title_of(file)}]({relative})")
        else:
            target = target_page(file)
            entries.append(f"- [{relative}]({posixpath.relpath(target, path)})" if target else f"- {relative}")
    generated[page] = f"# {path}\n\n" + "\n".join(entries) + "\n"
    return page


def target_page(path):
    if path not in targets:
        targets[path] = show_folder(path) if (root / path).is_dir() else show_file(path)
    return targets[path]


def page_of_link(document, link):
    """The path of the page for a link to a file or folder that is no page itself, or None."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(document), unquote(link)))
    if urlsplit(link).scheme or path.startswith("..") or path in documents or not (root / path).exists():
        return None
    return target_page(path)


def rewrite(document, line):
    def replace(match):
        page = page_of_link(document, match[2])
        if page is None:
            return match[0]
        return match[1] + posixpath.relpath(page, posixpath.dirname(document) or ".") + match[3]

    return LINK.sub(replace, line)


def show_manual(file):
    """A page with a manual page: the sections of mandoc's HTML as headings of the second level."""
    said = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", str(root / file)], capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise PluginError(f"mandoc {file}: {said.stdout}{said.stderr}")
    name = Path(file).stem
    html = said.stdout
    body = html[html.index('<div class="manual-text">') : html.rindex('<table class="foot">')]
    body = re.sub(r"<(/?)h1\b", r"<\1h2", body)
    body = re.sub(r"<b>(weft(?:-[a-z]+)*)</b>\(1\)", lambda at: f'<a href="{at[1]}.html">{at[1].replace("weft-", "weft ", 1)}</a>', body)
    page = f"commands/{name}.md"
    generated[page] = f"# {name.replace('-', ' ', 1) if name != 'weft-sweep-show' else 'weft sweep show'}\n"
    manuals[page] = body
    return page


def section(nav, title):
    return next(entry[title] for entry in nav if isinstance(entry, dict) and title in entry)


def on_config(config):
    global root
    root = Path(config.config_file_path).resolve().parent
    documents[:] = [path for path in walk(".") if path.endswith(".md")]
    for state in (generated, manuals, targets):
        state.clear()
    for document in documents:
        text = (root / document).read_text(encoding="utf-8")
        outside_code(text, lambda line, document=document: rewrite(document, line))
    pages = [path for path in walk("docs/man") if path.endswith(".1")]
    section(config.nav, "Commands").extend(show_manual(path) for path in sorted(pages, key=lambda path: path[:-2]))
    listed = set(re.findall(r"'([^']*\.md)'", str(config.nav)))
    section(config.nav, "Files").extend(sorted(page for page in targets.values() if page and page in generated and page not in listed))
    return config


def on_files(files, config):
    places = (str(root), config.site_dir, config.use_directory_urls)
    pages = Files([File(path, *places) for path in [*documents, *generated, *config.extra_css]])
    for file in files:  # those of the theme
        if file.abs_src_path.startswith(config.docs_dir + os.sep):
            continue
        pages.append(file)
    return pages


def on_nav(nav, config, files):
    listed = {page.file.src_uri for page in nav.pages}
    missing = [path for path in [*documents, *generated] if path not in listed]
    if missing:
        raise PluginError("not in the navigation of mkdocs.yml: " + ", ".join(missing))
    return nav


def on_page_read_source(page, config):
    return generated.get(page.file.src_uri)


def on_page_markdown(markdown, page, config, files):
    document = page.file.src_uri
    return outside_code(markdown, lambda line: rewrite(document, line))


def on_page_content(html, page, config, files):
    return html + manuals.get(page.file.src_uri, "")


class References(HTMLParser):
    """What a page refers to, and its anchors."""

    def __init__(self):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], set()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in ("id", "name"):
            if attributes.get(name) and (name == "id" or tag == "a"):
                self.anchors.add(attributes[name])
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        elif tag in ("script", "img") and attributes.get("src"):
            self.loaded.append(attributes["src"])
        elif tag == "link" and attributes.get("rel") in ("stylesheet", "icon"):
            self.loaded.append(attributes["href"])


def check(pages):
    """What is wrong with the references of pages, whose addresses begin with "/"."""
    for address, page in pages.items():
        for link in page.loaded + page.links:
            parts = urlsplit(urljoin("http://site" + address, link))
            if parts.netloc != "site" or parts.scheme != "http":
                if link in page.loaded:
                    yield f"{address} loads {link}"
                continue
            path = unquote(parts.path)
            path += "index.html" if path.endswith("/") else ""
            if path not in pages and not os.path.isfile(check.folder + path):
                yield f"{address} refers to {link}, which there is not"
            elif parts.fragment and path in pages and unquote(parts.fragment) not in pages[path].anchors:
                yield f"{address} refers to {link}, but there is no such place on that page"


def on_post_build(config):
    check.folder = config.site_dir
    pages = {}
    for file in sorted(Path(config.site_dir).rglob("*.html")):
        if file.name == "404.html":  # of addresses that are not known beforehand
            continue
        page = References()
        page.feed(file.read_text(encoding="utf-8"))
        page.anchors.add("__top")
        pages["/" + file.relative_to(config.site_dir).as_posix()] = page
    wrong = list(check(pages))
    if wrong:
        raise PluginError("\n  ".join(["the site has references that lead nowhere:", *wrong]))
    print(f"{len(pages)} pages, {sum(len(page.links) + len(page.loaded) for page in pages.values())} references")
