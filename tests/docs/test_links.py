"""Every link leads somewhere: between the pages, to their sections, and from the sources to the pages."""
import os
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Iterator
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
NOT_OURS = {"build", "__pycache__"}  # and what begins with a dot, but for .ci
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\)")
# A page that a source, a chart or a text of the program names, by its path from the top; not a part of some URL.
MENTION = re.compile(r"(?:(?<=\.\./)|(?<![\w/-]))docs/[\w./-]+\.(?:md|json|svg)(?:#[\w-]+)?")


def files(folder: Path = ROOT) -> Iterator[Path]:
    for top, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each not in NOT_OURS and (each == ".ci" or not each.startswith("."))]
        yield from (Path(top) / name for name in names)


def markdown() -> list[Path]:
    """A template is no page: its links are those of the page that is made of it, which is here too."""
    return sorted(path for path in files() if path.suffix == ".md" and not path.name.endswith(".template.md"))


def prose(text: str) -> str:
    """Without code, in which brackets are no links and `#` is no heading. The lines stay where they are."""
    kept, fence = [], ""
    for line in text.splitlines():
        opened = re.match(r"\s*(?:[-*]\s+|\d+\.\s+)?(```+|~~~+)", line)
        if fence:
            fence = "" if opened and opened[1].startswith(fence) else fence
            line = ""
        elif opened:
            fence, line = opened[1], ""
        kept.append(line)
    return "\n".join(kept)


def without_spans(text: str) -> str:
    return re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", text)


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", shown.strip().lower()).replace(" ", "-")


def anchors_in(text: str) -> set[str]:
    seen: Counter[str] = Counter()
    found = set()
    for heading in re.findall(r"^#{1,6}\s+(.+?)\s*#*$", prose(text), re.MULTILINE):
        name = slug(heading)
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


@lru_cache(maxsize=None)
def anchors(page: Path) -> set[str]:
    return anchors_in(page.read_text())


def problem(source: Path, target: str) -> str:
    """What is wrong with a link from this file; empty: it leads somewhere."""
    path, _, anchor = unquote(target).partition("#")
    page = (source.parent / path).resolve() if path else source
    if not page.exists():
        return f"{target}: no such file"
    if anchor and anchor not in anchors(page):
        return f"{target}: no such section"
    return ""


def links(text: str) -> list[str]:
    return [target for target in LINK.findall(without_spans(prose(text))) if not re.match(r"[a-z]+:", target)]


def test_anchors_are_those_of_github() -> None:
    page = "# Who has how much: `queues`\n## Try (a) b-c_d\n## [Read](x.md) it\n## Same\n```\n# no\n```\n## Same\n"
    assert anchors_in(page) == {
        "who-has-how-much-queues", "try-a-b-c_d", "read-it", "same", "same-1"}


def test_links_in_code_are_none() -> None:
    assert links("[a](b.md) `[c](d.md)`\n```\n[e](f.md)\n```\n[g](https://x) [h](#i)") == ["b.md", "#i"]


def test_a_link_that_leads_nowhere_is_found() -> None:
    page = DOCS / "README.md"
    assert problem(page, "run/spark.md#client-mode") == ""
    assert problem(page, "../README.md") == ""
    assert problem(page, "spark.md") == "spark.md: no such file"
    assert problem(page, "run/spark.md#no") == "run/spark.md#no: no such section"
    assert problem(page, "#no") == "#no: no such section"


def test_pages_are_named_by_their_path_from_the_top() -> None:
    text = 'see docs/a/b.md#c. "../docs/d.json", [e](../../docs/f.md), https://x.io/docs/g.md, mydocs/h.md'
    assert MENTION.findall(text) == ["docs/a/b.md#c", "docs/d.json", "docs/f.md"]


@pytest.mark.parametrize("page", markdown(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert [wrong for target in links(page.read_text()) if (wrong := problem(page, target))] == []


def test_every_page_that_a_source_names_is_there() -> None:
    wrong, count = [], 0
    for path in files():
        if path == Path(__file__).resolve() or path.suffix in (".jar", ".png"):
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for name in MENTION.findall(text):
            count += 1
            if found := problem(ROOT / "README.md", name):
                wrong.append(f"{path.relative_to(ROOT)}: {found}")
    assert wrong == []
    assert count > 100


def test_the_index_has_every_page() -> None:
    index = DOCS / "README.md"
    listed = {(DOCS / target.partition("#")[0]).resolve() for target in links(index.read_text())}
    assert [str(page) for page in files(DOCS) if page.suffix == ".md" and page != index and page not in listed] == []
