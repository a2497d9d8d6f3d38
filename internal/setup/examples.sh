#!/bin/sh
# examples.sh FREEZE freezes every example again, which has to come out
# identical, and has every release read what every release left: as recorded.
set -eu
freeze=$1
failed=
for toml in examples/*/freeze.toml; do
	name=$(basename "$(dirname "$toml")")
	if grep -q '^kind = "npm"$' "$toml" && ! { command -v npm && command -v node; } >/dev/null; then
		echo "examples: NOT TESTED: $name, since npm or node is not on this machine" >&2
		continue
	fi
	echo "examples: $name"
	(cd "$(dirname "$toml")" && "$freeze" check && "$freeze" --quiet --all && "$freeze" --quiet read --matrix --check) ||
		failed="$failed $name"
done
[ -z "$failed" ] || { echo "examples: not as recorded:$failed" >&2; exit 1; }
