#!/usr/bin/env bash
# The documentation is built as a site, with a page for each document and each command; a document that no navigation lists, and
# links that lead nowhere, are refused.
# usage: test_site.sh SOURCE_DIR. Exits with 77, which ctest counts as skipped, where a tool is missing.
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$source/scripts/site" "$work/site" || exit
for page in index docs/tutorial docs/operators docs/guides/index CHANGELOG commands/weft examples/c/classify.c; do
    [ -s "$work/site/$page.html" ] || { echo "no page $page" && exit 1; }
done
for manual in "$source"/docs/man/*.1; do
    name=$(basename "$manual" .1)
    grep -q 'id="DESCRIPTION"' "$work/site/commands/$name.html" || { echo "no page of $name" && exit 1; }
done

# The same documents, with errors.
mkdir "$work/copy"
(cd "$source" && find . -name build\* -prune -o -name .\?\* -prune -o \
    \( -name '*.md' -o -path './docs/*' -o -path './examples/*' -o -name site -o -name mkdocs.yml -o -name '*.def' -o -name '*.txt' \) \
    -type f -print0 | tar --null --files-from=- -cf -) | tar -C "$work/copy" -xf -
# refused MESSAGE...: the site is not built, for these reasons.
refused() {
    if "$work/copy/scripts/site" "$work/copied" >"$work/said" 2>&1; then
        echo "expected an error: $*"
        exit 1
    fi
    for message in "$@"; do
        grep -qF -e "$message" "$work/said" || { echo "expected to read: $message" && cat "$work/said" && exit 1; }
    done
}
cat >>"$work/copy/docs/sweep.md" <<'END'
See [this](nowhere.md), [this](tune.md#nowhere) and [this](../nowhere/file.c).
![A picture](https://example.org/picture.png)
END
refused "/docs/sweep.html refers to nowhere.md, which there is not" \
    "/docs/sweep.html refers to tune.html#nowhere, but there is no such place on that page" \
    "/docs/sweep.html refers to ../nowhere/file.c, which there is not" "/docs/sweep.html loads https://example.org/picture.png"
cp "$source/docs/sweep.md" "$work/copy/docs"
echo '# New' >"$work/copy/docs/new.md"
sed -i '/docs\/tune.md/d' "$work/copy/mkdocs.yml"
refused "not in the navigation of mkdocs.yml: docs/new.md, docs/tune.md"
echo "the site has $(find "$work/site" -name '*.html' | wc -l) pages"
