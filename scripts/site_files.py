"""A hook of MkDocs: what pages link to outside of docs/ becomes part of the site.

Pages are written for readers of the repository, so that a link to a model is `../models/peterson.pml`. A site has only what is
in docs/. Here every such file is taken along, under `repository/`, Markdown as a page of its own with all that it links to,
and links are turned to where things are now. A link that leads nowhere is left alone for `--strict` to find.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
ELSEWHERE = "repository/"
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=(?<!\\)\]\()([^)\s#]+)")
ESCAPED_BAR = re.compile(r"<code>[^<]*\\\|[^<]*</code>")


def links(text: str) -> Iterator[re.Match[str]]:
    """The links of a page within the repository, without their anchors; what stands in code is none."""
    hidden = CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    return (match for match in LINK.finditer(hidden) if "://" not in match[1])


def origin(uri: str) -> str:
    """Where a file of the site is in the repository.

    >>> origin("adr/README.md"), origin("repository/models/README.md")
    ('docs/adr/README.md', 'models/README.md')
    """
    return uri.removeprefix(ELSEWHERE) if uri.startswith(ELSEWHERE) else f"docs/{uri}"


def place(path: str) -> str:
    """Where a file of the repository is in the site: the opposite of `origin`.

    >>> place("docs/adr/README.md"), place("models/README.md")
    ('adr/README.md', 'repository/models/README.md')
    """
    return path.removeprefix("docs/") if path.startswith("docs/") else ELSEWHERE + path


def targets(path: str) -> Iterator[str]:
    """The files that a page of the repository links to."""
    for link in links((ROOT / path).read_text("utf-8")):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[1]))
        if (ROOT / target).is_file():
            yield target


def on_files(files: Files, config: MkDocsConfig) -> Files:
    todo = [origin(file.src_uri) for file in files.documentation_pages()]
    while todo:
        for target in targets(todo.pop()):
            if files.get_file_from_path(place(target)) is None:
                level = InclusionLevel.NOT_IN_NAV if target.endswith(".md") else InclusionLevel.INCLUDED
                source = os.fspath(ROOT / target)
                files.append(File.generated(config, place(target), abs_src_path=source, inclusion=level))
                todo += [target] if target.endswith(".md") else []
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    here = origin(page.file.src_uri)

    def turned(link: str) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(here), link))
        if not (ROOT / target).is_file():
            return link
        return posixpath.relpath(place(target), posixpath.dirname(page.file.src_uri) or ".")

    for link in reversed(list(links(markdown))):
        markdown = markdown[: link.start(1)] + turned(link[1]) + markdown[link.end(1) :]
    return markdown


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """In a table `a \\| b` has to be escaped in code, too; GitHub takes the backslash away, Python-Markdown does not."""
    return ESCAPED_BAR.sub(lambda code: code[0].replace("\\|", "|"), html)
