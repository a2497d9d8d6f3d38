#!/bin/sh
# freeze.sh FREEZE freezes the newest release of this repository's ledger again
# and lists what is frozen. While there is no release yet it shows the same on
# the demonstration program, in a scratch folder.
set -eu
freeze=$1

if [ -e fixtures/releases.toml ]; then
	newest=$(sed -n 's/^version = "\(v[^"]*\)"$/\1/p' fixtures/releases.toml | tail -n 1)
	"$freeze" "$newest"
	"$freeze" list
	exit
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
go run ./internal/subjects/demo "$scratch" shell
cd "$scratch/shell"
for command in 'v1.0.0' 'v1.1.0' '--all' 'check' 'list' 'diff v1.0.0 v1.1.0'; do
	echo "\$ freeze $command"
	# diff exits 1 where the releases differ, as these do.
	"$freeze" $command || [ "$command" != "${command#diff}" ]
done
