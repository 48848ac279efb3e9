"""Every page of the documents is reached from the navigation, and every link within them leads somewhere."""
from __future__ import annotations

import re
from pathlib import Path

import pytest

import srcgrad
from docblocks import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
LINK = re.compile(r"\[[^\]]*\]\((?!\w+://)([^)#]*)(#[^)]*)?\)")


def navigation() -> list[str]:
    """The pages that mkdocs.yml names."""
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    return re.findall(r": (\S+\.md)$", nav, re.MULTILINE)


def prose(page: Path) -> str:
    """The page without its code."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page: Path) -> set[str]:
    """The names that headings have in the built page."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


def test_navigation_has_every_page_once() -> None:
    assert sorted(navigation()) == [str(page.relative_to(DOCS)) for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(prose(page)):
        other = (page.parent / target).resolve() if target else page
        assert other.is_file() and other.is_relative_to(DOCS), f"{target} leads nowhere in the documents"
        assert not anchor or anchor[1:] in anchors(other), f"{target}{anchor}: no such heading"


@pytest.mark.parametrize("name", [name for name in srcgrad.__all__ if not name.startswith("_")])
def test_public_names_have_their_place_in_the_reference(name: str) -> None:
    value = getattr(srcgrad, name)
    page = DOCS / "reference" / ("errors.md" if isinstance(value, type) and issubclass(value, Exception) else "api.md")
    assert name.lower() in anchors(page) or f"`{name}`" in page.read_text(encoding="utf-8")


def test_headings_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page, of `code`\n\n```bash\n# no heading\n```\n\n## value_and_grad\n")
    assert anchors(page) == {"a-page-of-code", "value_and_grad"}
