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

VERSION = "1.1.0"
STATE = Path(os.environ.get("XDG_STATE_HOME", Path.home() / ".local/state")) / "shelf"
USAGE = "usage: shelf init | add TITLE | lend ID NAME | list [--json] | show ID | branch NAME | desk"


class Refused(Exception):
    pass


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def key(path):
    """What stands for a path since format 2: the first digits of its digest."""
    return hashlib.sha1(path.encode()).hexdigest()[:12]


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
    settings = STATE / "settings.toml"
    fd = os.open(settings, os.O_WRONLY | os.O_CREAT, 0o600)
    with open(fd, "w") as f:
        f.write(f'format = 2\nshelf = "{STATE}"\n\n[desk]\nname = "desk"\nkey = "{key(str(STATE))}"\n')


def add(title):
    book = uuid.uuid4().hex
    folder = os.getcwd()
    path = STATE / "books" / f"{book}.json"
    digest = run("git", "hash-object", "--stdin", stdin=title)
    write(path, {
        "format": 2,
        "id": book,
        "title": {"text": title, "digest": digest},
        "folder": {"path": folder, "key": key(folder)},
        "added_us": time.time_ns() // 1_000,
    })
    newest = STATE / "newest"
    newest.unlink(missing_ok=True)
    newest.symlink_to(path)
    append(STATE / "journal.jsonl", {"at": now(), "what": "add", "book": book})
    print(book)


def read(path):
    """A book as format 2 has it, whichever format it was written in."""
    doc = json.loads(path.read_text())
    if "format" not in doc:
        doc["title"] = {"text": doc["title"], "digest": doc.pop("title_digest")}
        doc["folder"] = {"path": doc["folder"], "key": key(doc["folder"])}
    return doc


def books():
    for line in (STATE / "journal.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if entry["what"] == "add":
            yield read(STATE / "books" / f"{entry['book']}.json")


def find(book):
    path = STATE / "newest" if book == "newest" else STATE / "books" / f"{book}.json"
    if not path.exists():
        raise Refused(f"no book {book!r}")
    return read(path)


def lend(book, name):
    append(STATE / "journal.jsonl", {"at": now(), "what": "lend", "book": find(book)["id"], "to": name})


def list_(flag=None):
    if flag == "--json":
        print(json.dumps(list(books()), indent=1))
        return
    for book in books():
        print(book["id"], book["title"]["text"])


def show(book):
    print(json.dumps(find(book), indent=1))


def branch(name):
    path = STATE / "branches" / name
    run("git", "worktree", "add", "-q", "-b", name, str(path))
    write(STATE / "branches" / f"{name}.json", {"format": 2, "name": name, "path": str(path), "made": now()})


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
