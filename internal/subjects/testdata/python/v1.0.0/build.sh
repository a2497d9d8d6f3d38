#!/bin/sh
# The program runs on the python3 of the machine that builds it: a version
# manager's python3 is a script that finds nothing in a box.
set -eu
python=$(python3 -c 'import sys; print(sys.executable)')
{ echo "#!$python"; tail -n +2 shelf.py; } >"$1/shelf"
chmod 755 "$1/shelf"
