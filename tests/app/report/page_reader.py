"""Reading a page as a browser would: elements, attributes and the text inside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "input", "br", "img", "link", "hr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text inside, blanks made one."""
        parts = [one if isinstance(one, str) else one.text for one in self.children]
        return " ".join("".join(parts).split())

    @property
    def raw(self) -> str:
        return "".join(one for one in self.children if isinstance(one, str))

    def all(self, tag: str | None = None, **attributes: str) -> list[Element]:
        found = []
        for one in self.children:
            if isinstance(one, Element):
                wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
                if tag in (None, one.tag) and wanted.items() <= one.attributes.items():
                    found.append(one)
                found += one.all(tag, **attributes)
        return found

    def one(self, tag: str | None = None, **attributes: str) -> Element:
        (found,) = self.all(tag, **attributes)
        return found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("root", {})
        self.open = [self.root]

    def handle_starttag(self, tag, attrs):
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].children.append(data)


def read_page(page: str) -> Element:
    """Return the page as a tree; tags that do not match are an error."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert [one.tag for one in reader.open] == ["root"]
    return reader.root


def section(page: Element, name: str) -> Element:
    return page.one("section", id=name)
