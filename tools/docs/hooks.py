"""What MkDocs cannot know: which pages there are, their navigation, and rows of tables that the search finds.

The site has the folders of the repository, so links work as they stand. Its pages are README.md and all that links lead to
from there: Markdown, sources (shown as code, kept out of the search), folders (lists of their files), pictures and tables.
"""

import html
import json
import pathlib
import posixpath
import re

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files

root = pathlib.Path(__file__).resolve().parents[2]
index = "docs/README.md"
link = re.compile(r"(\]\()([^)#:\s]+)(#[^)]*)?\)")
languages = {".h": "cpp", ".cpp": "cpp", ".py": "python", ".sh": "bash", ".yaml": "yaml", ".cff": "yaml"}
copied = {".svg", ".png", ".csv", ".zst"}  # as they are
boosts = {"keys": 10, "programs": 7}  # who searches for a key wants its definition first
rows = []  # of the tables in docs/reference, for the search


def resolve(page, target):
    """The path, from the root, of what `target` means in a page."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target))


def reached():
    """The paths of all that links lead to from README.md."""
    found, todo = set(), ["README.md", index]
    while todo:
        path = todo.pop()
        if path in found or not (root / path).exists():
            continue
        found.add(path)
        if (root / path / "README.md").exists():
            todo.append(path + "/README.md")
        if path.endswith(".md"):
            todo += [resolve(path, target) for _, target, _ in link.findall((root / path).read_text())]
    return found


def page_of(path):
    """The Markdown file whose page shows a path."""
    if (root / path).is_dir():
        return path + "/README.md"
    return path if pathlib.Path(path).suffix in {".md"} | copied else path + ".md"


def source_page(path, found):
    """A file as code, or a folder as the list of what is in it."""
    head = f"---\nsearch: {{exclude: true}}\nhide: [navigation, toc]\n---\n# {path}\n\n"
    if (root / path).is_dir():
        names = sorted(entry.name for entry in (root / path).iterdir())
        return head + "".join(f"* [{name}]({name})\n" if f"{path}/{name}" in found else f"* {name}\n" for name in names)
    language = languages.get(pathlib.Path(path).suffix, "text")
    return f"{head}~~~~~~{language}\n{(root / path).read_text()}\n~~~~~~\n"


def navigation(page, text, pattern=""):
    """The pages that a text of `page` links to, by the words of the links."""
    links = re.findall(r"\[([^\]]+)\]\(([^)#:\s]+\.md)\)", text)
    return [{words[0].upper() + words[1:]: resolve(page, target)} for words, target in links if re.match(pattern, target)]


def on_config(config):
    """The navigation has the sections of the index."""
    config.nav = [{"Home": [{"Overview": "README.md"}, {"Documents": index}]}]
    for title, text in re.findall(r"^## (\w+)[^\n]*\n(.*?)(?=^## |\Z)", (root / index).read_text(), re.M | re.S):
        pages = navigation(index, text)
        if title == "Tutorial":
            contents = "docs/tutorial/README.md"
            pages = [{"Contents": contents}] + navigation(contents, (root / contents).read_text(), r"\d")
        config.nav.append({title: pages})
    config.nav.append({"Code": ["CONTRIBUTING.md", "CHANGELOG.md", {"API of the headers": "api/index.html"}]})


def on_files(files, config):
    found = reached()
    assets = pathlib.Path(__file__).parent / "assets"
    made = [File.generated(config, f"assets/{entry.name}", abs_src_path=str(entry)) for entry in assets.iterdir()]
    for path in sorted(found):
        if path == page_of(path):
            made.append(File.generated(config, path, abs_src_path=str(root / path)))
        elif page_of(path) not in found:
            made.append(File.generated(config, page_of(path), content=source_page(path, found)))
    return Files([file for file in files if file.src_dir != config.docs_dir] + made)


def on_page_markdown(markdown, page, config, files):
    source = page.file.src_uri

    def rewritten(match):
        path = resolve(source, match[2])
        if not (root / path).exists() or path == page_of(path):
            return match[0]
        return f"{match[1]}{posixpath.relpath(page_of(path), posixpath.dirname(source))})"

    # GitHub nests lists by two blanks, and reads Markdown inside of <details>.
    parts = re.split(r"(?ms)(^ *```.*?^ *```)", markdown)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?m)^  (?=[*-] )", "    ", parts[i]).replace("<details>", "<details markdown>")
    return link.sub(rewritten, "".join(parts))


def on_page_content(content, page, config, files):
    """Each row of a table in docs/reference has an address, and is found by its key, option, message or first cell."""
    name = page.file.name
    if not page.file.src_uri.startswith("docs/reference/"):
        return content
    section, taken = "", set(re.findall('id="([^"]+)"', content))

    def with_address(match):
        nonlocal section
        cells = [html.unescape(re.sub("<[^>]+>", "", text)).strip() for text in re.split("</t[dh]>", match[0])][:-1]
        if match[1]:
            section = html.unescape(re.sub("<[^>]+>", "", match[0]))
            return match[0]
        if name in boosts:
            key = re.match("[^ =]+", cells[0])[0]
            cells[:1] = [key, re.sub(r".*\.|^-+", "", key)]
        if section.startswith("transformer-"):
            cells[0] = f"{section} {cells[0]}"
        address = re.sub(r"\W+", "-", cells[0].lower()).strip("-")
        while address in taken:
            address += "-"
        taken.add(address)
        if name == "messages":
            cells[:2] = cells[1::-1]
        title, *text = map(html.escape, cells)
        rows.append({"location": f"{page.url}#{address}", "title": title, "text": f"<p>{'; '.join(text)}</p>",
                     "boost": boosts.get(name, 2)})
        return match[0].replace("<tr>", f'<tr id="{address}">', 1)

    return re.sub(r"(?s)<(h[23]) id=[^>]*>.*?(?=<a )|<tr>\s*<td.*?</tr>", with_address, content)


@event_priority(-50)  # behind the plugin `search`, before `offline`
def on_post_build(config):
    file = pathlib.Path(config.site_dir) / "search/search_index.json"
    found = json.loads(file.read_text())
    found["docs"] += rows
    file.write_text(json.dumps(found, ensure_ascii=False))
