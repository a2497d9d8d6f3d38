#!/bin/sh
# pest is given the machine's own tmux by its absolute path.
set -eu
sed "s|@TMUX@|$(command -v tmux)|" pest >"$1/pest"
chmod 755 "$1/pest"
