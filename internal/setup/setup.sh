#!/bin/sh
# setup.sh PROGRAM... sees to it that the programs are there. Where the
# system's package manager can be used without a question it is; elsewhere the
# one command to run is printed, and the exit status is 1.
set -eu

missing=
for program; do
	command -v "$program" >/dev/null 2>&1 || missing="$missing $program"
done
[ -n "$missing" ] || exit 0

if command -v apt-get >/dev/null 2>&1; then
	install="env DEBIAN_FRONTEND=noninteractive apt-get install -y -q"
	refresh="apt-get update -q"
elif command -v dnf >/dev/null 2>&1; then
	install="dnf install -y -q" refresh=true
elif command -v apk >/dev/null 2>&1; then
	install="apk add -q" refresh=true
elif command -v pacman >/dev/null 2>&1; then
	install="pacman -S --noconfirm --needed" refresh="pacman -Sy"
elif command -v brew >/dev/null 2>&1; then
	install="brew install" refresh=true
else
	echo "setup: not found:$missing; install them with this system's package manager" >&2
	exit 1
fi

as=
case "$install" in
brew*) ;;
*)
	if [ "$(id -u)" != 0 ]; then
		as="sudo "
		if ! sudo -n true 2>/dev/null; then
			echo "setup: not found:$missing; run: sudo $install$missing" >&2
			exit 1
		fi
	fi
	;;
esac

echo "setup: installing$missing" >&2
$as$refresh >/dev/null
$as$install $missing >/dev/null
for program in $missing; do
	command -v "$program" >/dev/null 2>&1 || {
		echo "setup: $program is still not found; run: $as$install $program" >&2
		exit 1
	}
done
