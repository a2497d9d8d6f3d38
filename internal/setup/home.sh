#!/bin/sh
# Prints a usable home folder: $HOME where it is one, else that of the
# password database. Go keeps its caches there.
if [ -n "$HOME" ] && [ -d "$HOME" ] && [ -O "$HOME" ] && [ -w "$HOME" ]; then
	printf '%s\n' "$HOME"
	exit
fi
home=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
if [ -z "$home" ]; then
	home=$(eval echo "~$(id -un)")
fi
printf '%s\n' "$home"
