#!/usr/bin/env python3
"""shelf keeps track of books, and of who has them."""

import hashlib
import json
import os
import subprocess
import sys
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

VERSION = "1.0.0"
STATE = Path(os.environ.get("XDG_STATE_HOME", Path.home() / ".local/state")) / "shelf"
USAGE = "usage: shelf init | add TITLE | lend ID NAME | list [--json] | show ID | branch NAME | desk"


class Refused(Exception):
    pass


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def run(*argv, stdin=None):
    done = subprocess.run(argv, input=stdin, capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(f"{argv[0]} {argv[1]}: exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout.strip()


def write(path, doc):
    new = path.with_name("." + path.name)
    new.write_text(json.dumps(doc, indent=1) + "\n")
    new.rename(path)


def append(path, doc):
    with path.open("a") as f:
        f.write(json.dumps(doc) + "\n")


def init():
    for name in ("books", "returned", "branches"):
        (STATE / name).mkdir(parents=True, exist_ok=True)
    settings = STATE / "settings.json"
    fd = os.open(settings, os.O_WRONLY | os.O_CREAT, 0o600)
    with open(fd, "w") as f:
        json.dump({"home": str(Path.home()), "shelf": str(STATE), "desk": "desk"}, f)


def add(title):
    book = str(uuid.uuid4())
    folder = os.getcwd()
    path = STATE / "books" / f"{book}.json"
    digest = run("git", "hash-object", "--stdin", stdin=title)
    write(path, {
        "id": book,
        "title": title,
        "title_digest": digest,
        "folder": folder,
        "folder_digest": hashlib.sha256(folder.encode()).hexdigest(),
        "added": now(),
        "added_ms": time.time_ns() // 1_000_000,
    })
    newest = STATE / "newest"
    newest.unlink(missing_ok=True)
    newest.symlink_to(path)
    append(STATE / "journal.jsonl", {"at": now(), "what": "add", "book": book})
    print(book)


def books():
    for line in (STATE / "journal.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if entry["what"] == "add":
            yield json.loads((STATE / "books" / f"{entry['book']}.json").read_text())


def find(book):
    path = STATE / "newest" if book == "newest" else STATE / "books" / f"{book}.json"
    if not path.exists():
        raise Refused(f"no book {book!r}")
    return json.loads(path.read_text())


def lend(book, name):
    append(STATE / "journal.jsonl", {"at": now(), "what": "lend", "book": find(book)["id"], "to": name})


def list_(flag=None):
    if flag == "--json":
        print(json.dumps(list(books()), indent=1))
        return
    for book in books():
        print(book["id"], book["title"])


def show(book):
    print(json.dumps(find(book), indent=1))


def branch(name):
    path = STATE / "branches" / name
    run("git", "worktree", "add", "-q", "-b", name, str(path))
    write(STATE / "branches" / f"{name}.json", {"name": name, "path": str(path), "made": now()})


def desk():
    run("tmux", "new-session", "-d", "-s", "desk", "-x", "80", "-y", "24", "shelf sit")


def sit():
    while True:
        title = input("title: ")
        if title == "q":
            return
        add(title)


COMMANDS = {"init": init, "add": add, "lend": lend, "list": list_, "show": show, "branch": branch, "desk": desk, "sit": sit}


def main(args):
    if args == ["--version"]:
        print(f"shelf {VERSION}")
        return 0
    try:
        if not args or args[0] not in COMMANDS:
            raise Refused(USAGE)
        COMMANDS[args[0]](*args[1:])
    except (Refused, OSError, TypeError) as e:
        print(f"shelf: {e}", file=sys.stderr)
        return 1
    return 0


sys.exit(main(sys.argv[1:]))
