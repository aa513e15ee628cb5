"""check.py SITE: every link of the site leads somewhere, and no page fetches anything from the network."""

import html.parser
import json
import pathlib
import re
import sys
import urllib.parse

site = pathlib.Path(sys.argv[1])
faults = []


class Page(html.parser.HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.names, self.links, self.fetched = set(), [], []
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.names |= {of.get("id"), of.get("name")}
        if tag in ("a", "area") and of.get("href"):
            self.links.append(of["href"])
        elif tag == "link" and of.get("rel") not in ("canonical", "prev", "next"):
            self.fetched.append(of.get("href"))
        elif of.get("src"):
            self.fetched.append(of["src"])


pages = {file: Page(file) for file in site.rglob("*.html")}


def follow(origin, target):
    url = urllib.parse.urlsplit(target)
    if url.scheme or url.netloc:
        return
    file = (origin.parent / urllib.parse.unquote(url.path)).resolve() if url.path else origin
    if not file.is_file():
        faults.append(f"{origin}: {target}: there is no such file")
    elif url.fragment == "nested-classes":
        pass  # Doxygen lists private ones, and has no place for them
    elif url.fragment and file in pages and urllib.parse.unquote(url.fragment) not in pages[file].names:
        faults.append(f"{origin}: {target}: there is no such place in it")


for file, page in pages.items():
    for target in page.links + page.fetched:
        if file.name != "404.html" and not target.startswith("javascript:"):
            follow(file, target)
    faults += [f"{file}: fetches {target}" for target in page.fetched if re.match("(https?:)?//", target)]
for file in site.rglob("*.css"):
    faults += [f"{file}: fetches {target}" for target in re.findall(r"(?:url\(|@import )[\"']?((?:https?:)?//[^)\"']*)", file.read_text())]
entries = json.loads((site / "search/search_index.json").read_text())["docs"]
for entry in entries:
    follow(site / "index.html", entry["location"])
print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(entries)} places in the search")
sys.exit(1 if faults else 0)
