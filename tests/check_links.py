#!/usr/bin/python3
"""check_links.py ROOT: every link of README.md, the other pages at the top, docs/, examples/ and bench/results/ to a file or a
heading of ours is there."""
import pathlib
import re
import sys


def anchors(page):
    """Headings as links name them: small letters, spaces to dashes, the rest of the punctuation gone."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
            for heading in re.findall(r"^#+ +(.*)$", text, re.M)}


def main():
    root = pathlib.Path(sys.argv[1])
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("bench/results/*.md"),
             *root.glob("examples/**/*.md")]
    broken, count = [], 0
    for page in sorted(pages):
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            place = (page.parent / path).resolve() if path else page
            count += 1
            if not place.exists():
                broken.append(f"{page.relative_to(root)}: {target} is not there")
            elif anchor and place.suffix == ".md" and anchor not in anchors(place):
                broken.append(f"{page.relative_to(root)}: {target}: no such heading")
    index = (root / "docs/README.md").read_text()
    for page in sorted(root.glob("docs/*.md")):
        if page.name != "README.md" and f"]({page.name})" not in index:
            broken.append(f"docs/README.md: does not lead to {page.name}")
    print("\n".join(broken) or f"ok {count} links")
    return 1 if broken else 0


sys.exit(main())
