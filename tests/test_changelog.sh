#!/usr/bin/env bash
# The newest version of CHANGELOG.md is the project's, in CMakeLists.txt, pyproject.toml and weft; its forms of files are those of weft;
# versions go down; each has a date, but the newest as long as it has no tag.
# usage: test_changelog.sh WEFT SOURCE_DIR
set -euo pipefail
weft=$1
cd "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "CHANGELOG.md: $*"
    exit 1
}
version=$(sed -n 's/^project(weft VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "no version in CMakeLists.txt"
grep -q "^version = \"$version\"" pyproject.toml || fail "pyproject.toml has another version than $version"
"$weft" --version >"$work/said"
grep -q "^weft $version\( (.*)\)\?$" "$work/said" || fail "weft says another version than $version"

sed -n 's/^## \[\(.*\)\] - \(.*\)$/\1 \2/p' CHANGELOG.md >"$work/sections"
[ "$(grep -c '^## ' CHANGELOG.md)" = "$(wc -l <"$work/sections")" ] || fail "a section is not called like '## [1.2.3] - 2026-11-24'"
[ "$(head -n 1 "$work/sections" | cut -d' ' -f1)" = "$version" ] || fail "its newest version is not $version"
cut -d' ' -f1 "$work/sections" | sort --version-sort --reverse --unique | cmp -s - <(cut -d' ' -f1 "$work/sections") ||
    fail "versions do not go down"
while read -r number date; do
    if [[ $date =~ ^20[0-9]{2}-[01][0-9]-[0-3][0-9]$ ]]; then
        continue
    fi
    [ "$number $date" = "$version not tagged yet" ] || fail "$number has no date: $date"
    # A copy of the tree has no tags.
    [ -z "$(git tag --list "v$number" 2>/dev/null)" ] || fail "$number is tagged and has no date"
done <"$work/sections"

awk '/^## / { sections++ } sections == 1' CHANGELOG.md >"$work/newest"
container=$(sed -n 's/^\.weft files: version \([0-9]*\)$/\1/p' "$work/said")
registers=$(sed -n 's/^#define WEFT_REGISTER_MAP_VERSION \([0-9]*\)$/\1/p' isa/registers.def)
grep -qF "\`.weft\` files have version $container, the register map version $registers." "$work/newest" ||
    fail "$version does not say: \`.weft\` files have version $container, the register map version $registers."
for heading in $(sed -n 's/^### //p' CHANGELOG.md); do
    case $heading in
    Added | Changed | Deprecated | Removed | Fixed | Security) ;;
    *) fail "what is '### $heading'?" ;;
    esac
done
echo "version $version"
