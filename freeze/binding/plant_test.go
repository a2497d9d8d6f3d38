package binding_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// subject is a small program's state, in which every planted change is made.
// The values are kept, so that a plant can say what it puts in their place.
type subject struct {
	b                            *box
	uuid, key, ulid, second      string
	created, updated             string
	unix, unixMilli              string
	pid, token                   string
	digest, shortDigest, project string
	run                          *binding.Run
}

const (
	sessionFile = "home/state/session.json"
	logFile     = "home/state/log.jsonl"
	confFile    = "home/state/conf.toml"
	noteFile    = "home/state/note.txt"
)

var subjectRules = []binding.Rule{
	{File: "**/session.json", Pointer: "/pid", Kind: binding.Decimal},
	{File: "**/session.json", Pointer: "/token", Kind: binding.Opaque, Pattern: "tok_[0-9a-zA-Z+/]{16}"},
	{File: "**/session.json", Pointer: "/host", Kind: binding.Host},
	{File: "**/run-*", Pointer: "#name", Kind: binding.Decimal},
}

func newSubject(root string, seed uint64) *subject {
	b := newBox(root, seed)
	s := &subject{b: b, uuid: b.uuid4(), key: b.hex(16), second: b.uuid4(), project: root + "/project",
		pid: fmt.Sprint(1000 + b.rand.IntN(8000)), token: "tok_" + b64(string(b.bytes(12)))}
	s.created = nano9(b)
	s.ulid = b.ulid()
	s.unix = fmt.Sprint(b.clock().Unix())
	s.unixMilli = fmt.Sprint(b.clock().UnixMilli())
	s.updated = nano9(b)
	s.digest, s.shortDigest = sha256Hex(s.project), sha1Hex(s.project)[:12]
	b.put(sessionFile, fmt.Sprintf(`{
  "id": %q,
  "key": %q,
  "ulid": %q,
  "state": "open",
  "count": 3,
  "pid": %s,
  "created": %q,
  "unix": %s,
  "unix_ms": %s,
  "updated": %q,
  "repo": %q,
  "php": "%s",
  "digest": %q,
  "short": %q,
  "token": %q,
  "host": "builder-7"
}
`, s.uuid, s.key, s.ulid, s.pid, s.created, s.unix, s.unixMilli, s.updated, s.project, jsonSlash(s.project), s.digest, s.shortDigest, s.token))
	b.put(logFile, fmt.Sprintf("{\"at\":%q,\"id\":%q}\n{\"at\":%q,\"id\":%q}\n", s.created, s.uuid, s.updated, s.second))
	b.put(confFile, fmt.Sprintf("dir = \"%s\"\nid = \"%s\"\n", s.project, s.second))
	b.put(noteFile, fmt.Sprintf("%s worked in %s\n", s.uuid, s.project))
	b.put("home/state/by-id/"+s.uuid+"/data", "x\n")
	b.put("home/state/run-"+s.pid, "")
	b.put("home/state/"+s.shortDigest+"/cursor", b64(s.project)+"\n")
	b.dir("home/state/empty")
	b.link("project/current", s.project+"/a")
	s.run = b.run()
	return s
}

// edit replaces text in one file, which must hold it.
func (s *subject) edit(file, old, text string) {
	e := s.entry(file)
	if !bytes.Contains(e.Data, []byte(old)) {
		panic(fmt.Sprintf("%s does not hold %q", file, old))
	}
	e.Data = bytes.Replace(e.Data, []byte(old), []byte(text), 1)
}

func (s *subject) session(old, text string) { s.edit(sessionFile, old, text) }

func (s *subject) entry(name string) *tree.Entry {
	i := slices.IndexFunc(s.run.Entries, func(e tree.Entry) bool { return e.Path == name })
	if i < 0 {
		panic(name + " is not there")
	}
	return &s.run.Entries[i]
}

func (s *subject) add(e tree.Entry) {
	s.b.born++
	e.Born = s.b.born
	s.run.Entries = append(s.run.Entries, e)
}

func (s *subject) remove(name string) {
	s.run.Entries = slices.DeleteFunc(s.run.Entries, func(e tree.Entry) bool { return e.Path == name })
}

func (s *subject) rename(from, to string) {
	for i := range s.run.Entries {
		e := &s.run.Entries[i]
		if rest, ok := strings.CutPrefix(e.Path, from); ok && (rest == "" || rest[0] == '/') {
			e.Path = to + rest
		}
	}
}

// plant is one planted change of format, and how it must be refused.
type plant struct {
	name               string
	do                 func(s *subject)
	path, pointer, why string
}

// laterPlants change what the new box writes, against a frozen fixture.
var laterPlants = []plant{
	{"unix seconds become milliseconds", func(s *subject) { s.session(`"unix": `+s.unix, `"unix": `+s.unix+"000") }, sessionFile, "/unix", "in another form: unix 10 against unix 13"},
	{"milliseconds become seconds", func(s *subject) { s.session(s.unixMilli, s.unixMilli[:10]) }, sessionFile, "/unix_ms", "in another form: unix 13 against unix 10"},
	{"milliseconds become nanoseconds", func(s *subject) { s.session(s.unixMilli, s.unixMilli+"000000") }, sessionFile, "/unix_ms", "unix 13 against unix 19"},
	{"seconds get a fraction", func(s *subject) { s.session(`"unix": `+s.unix, `"unix": `+s.unix+".25") }, sessionFile, "/unix", "unix 10 against unix s.f"},
	{"a unix time becomes a string", func(s *subject) { s.session(s.unixMilli, `"`+s.unixMilli+`"`) }, sessionFile, "/unix_ms", "the text differs"},
	{"a unix time becomes RFC 3339", func(s *subject) { s.session(`"unix": `+s.unix, `"unix": "`+s.updated+`"`) }, sessionFile, "/unix", "the text differs"},
	{"the zone is dropped", func(s *subject) { s.session(s.created, strings.TrimSuffix(s.created, "Z")) }, sessionFile, "/created", "a time of this run against what is none"},
	{"Z becomes +00:00", func(s *subject) { s.session(s.created, strings.TrimSuffix(s.created, "Z")+"+00:00") }, sessionFile, "/created", "a time in another form"},
	{"another zone", func(s *subject) { s.session(s.created, strings.TrimSuffix(s.created, "Z")+"+01:00") }, sessionFile, "/created", "outside of its own box's run"},
	{"nanoseconds become milliseconds", func(s *subject) { s.session(s.created, s.created[:23]+"Z") }, sessionFile, "/created", "9 digits of a second against 3"},
	{"nanoseconds become microseconds", func(s *subject) { s.session(s.created, s.created[:26]+"Z") }, sessionFile, "/created", "9 digits of a second against 6"},
	{"the fraction is dropped", func(s *subject) { s.session(s.created, s.created[:19]+"Z") }, sessionFile, "/created", "9 digits of a second against 0"},
	{"T becomes a space", func(s *subject) { s.session(s.created, strings.Replace(s.created, "T", " ", 1)) }, sessionFile, "/created", "a time in another form"},
	{"a comma before the fraction", func(s *subject) { s.session(s.created, strings.Replace(s.created, ".", ",", 1)) }, sessionFile, "/created", "a time of this run against what is none"},
	{"a time that is not of the run", func(s *subject) { s.session(s.created, "2020-01-01T00:00:00.000000001Z") }, sessionFile, "/created", "outside of its own box's run"},
	{"two times in the other order", func(s *subject) {
		s.session(s.created, "X")
		s.session(s.updated, s.created)
		s.session("X", s.updated)
	}, sessionFile, "/updated", "comes after"},

	{"uuid version 4 becomes 7", func(s *subject) { s.session(s.uuid, s.b.uuid7()) }, sessionFile, "/id", "in another form: a uuid (lower uuid version 4) against a uuid (lower uuid version 7)"},
	{"uuid in upper case", func(s *subject) { s.session(s.uuid, strings.ToUpper(s.uuid)) }, sessionFile, "/id", "in another form"},
	{"uuid without dashes", func(s *subject) { s.session(s.uuid, strings.ReplaceAll(s.uuid, "-", "")) }, sessionFile, "/id", "a uuid (lower uuid version 4) against 32 hex digits"},
	{"uuid in braces", func(s *subject) { s.session(s.uuid, "{"+s.uuid+"}") }, sessionFile, "/id", "the text differs"},
	{"ulid becomes uuid", func(s *subject) { s.session(s.ulid, s.b.uuid4()) }, sessionFile, "/ulid", "a ulid (upper case) against a uuid"},
	{"ulid in lower case", func(s *subject) { s.session(s.ulid, strings.ToLower(s.ulid)) }, sessionFile, "/ulid", "in another form"},
	{"fewer hex digits", func(s *subject) { s.session(s.key, s.key[:12]) }, sessionFile, "/key", "16 hex digits (lower case) against 12"},
	{"hex in upper case", func(s *subject) { s.session(s.key, strings.ToUpper(s.key)) }, sessionFile, "/key", "in another form"},
	{"hex becomes letters of another alphabet", func(s *subject) { s.session(s.key, "q7Zk-x_9TTw0aBcd") }, sessionFile, "/key", "the text differs"},
	{"an id gets a prefix", func(s *subject) { s.session(s.key, "key_"+s.key) }, sessionFile, "/key", "the text differs"},
	{"an id becomes one seen elsewhere", func(s *subject) { s.edit(confFile, s.second, s.uuid) }, confFile, "/id", "an id that"},
	{"one id becomes two", func(s *subject) { s.edit(logFile, s.uuid, s.b.uuid4()) }, logFile, "/1/id", "an id that"},
	{"an id in a name is not the one inside", func(s *subject) {
		s.rename("home/state/by-id/"+s.uuid, "home/state/by-id/"+s.b.uuid4())
	}, "", "", "an id that is"},
	{"an id becomes the constant it was frozen with", func(s *subject) { s.session(s.key, newSubject(rootA, 1).key) }, sessionFile, "/key", "recorded 1 times as id in this place, found 0 times"},
	{"an id becomes a counter", func(s *subject) { s.session(s.key, "00000000000000a1") }, sessionFile, "/key", "too regular for an id"},

	{"a number", func(s *subject) { s.session(`"count": 3`, `"count": 4`) }, sessionFile, "/count", "a number that nothing declares"},
	{"a number becomes a string", func(s *subject) { s.session(`"count": 3`, `"count": "3"`) }, sessionFile, "/count", "the text differs"},
	{"a declared number becomes a string", func(s *subject) { s.session(s.pid, `"`+s.pid+`"`) }, sessionFile, "/pid", "the text differs"},
	{"a declared number with leading zeros", func(s *subject) { s.session(s.pid, "00"+s.pid) }, sessionFile, "/pid", "in the other the declared place holds something else"},
	{"a pid where none is declared", func(s *subject) { s.session(`"count": 3`, `"count": `+s.pid) }, sessionFile, "/count", "a number that nothing declares"},
	{"a file with a pid in its name is not written", func(s *subject) { s.remove("home/state/run-" + s.pid) }, "", "", "in the first capture only"},
	{"an opaque value is longer", func(s *subject) { s.session(s.token, s.token+"A") }, sessionFile, "/token", "does not match the declared pattern"},
	{"an opaque value has another prefix", func(s *subject) { s.session(s.token, "key"+s.token[3:]) }, sessionFile, "/token", "does not match the declared pattern"},
	{"a declared host is another value", func(s *subject) { s.session("builder-7", "localhost") }, sessionFile, "/host", "declared host, but"},

	{"a digest is cut", func(s *subject) { s.session(s.digest, s.digest[:32]) }, sessionFile, "/digest", `64 digits of the sha256 of "{root}/project" against 32`},
	{"a digest one digit shorter", func(s *subject) { s.session(s.shortDigest, s.shortDigest[:11]) }, sessionFile, "/short", "12 digits of the sha1"},
	{"a digest by another function", func(s *subject) { s.session(s.shortDigest, md5Hex(s.project)[:12]) }, sessionFile, "/short", `the sha1 of "{root}/project" against the md5 of`},
	{"a digest of another path", func(s *subject) { s.session(s.digest, sha256Hex(s.b.root+"/home")) }, sessionFile, "/digest", `against the sha256 of "{root}/home"`},
	{"a digest of the path with a slash", func(s *subject) { s.session(s.digest, sha256Hex(s.project+"/")) }, sessionFile, "/digest", `against the sha256 of "{root}/project/"`},
	{"a digest of an unknown text", func(s *subject) { s.session(s.digest, sha256Hex("salt"+s.project)) }, sessionFile, "/digest", "in the first, and not of the same path in the second"},
	{"a digest in upper case", func(s *subject) { s.session(s.digest, strings.ToUpper(s.digest)) }, sessionFile, "/digest", "in another case"},
	{"a digest becomes a constant", func(s *subject) { s.session(s.digest, newSubject(rootA, 1).digest) }, sessionFile, "/digest", "recorded 1 times as derived in this place, found 0 times"},
	{"a digest becomes random", func(s *subject) { s.session(s.digest, s.b.hex(64)) }, sessionFile, "/digest", "not of the same path in the second"},
	{"a digest in a name of another length", func(s *subject) {
		s.rename("home/state/"+s.shortDigest, "home/state/"+sha1Hex(s.project)[:10])
	}, "", "", "12 digits of the sha1"},

	{"a path becomes relative", func(s *subject) { s.session(`"repo": "`+s.project, `"repo": "../project`) }, sessionFile, "/repo", "the text differs"},
	{"a doubled slash", func(s *subject) { s.session(`"repo": "`+s.project, `"repo": "`+s.b.root+"//project") }, sessionFile, "/repo", "the text differs"},
	{"a trailing slash", func(s *subject) { s.session(`"repo": "`+s.project, `"repo": "`+s.project+"/") }, sessionFile, "/repo", "the text differs"},
	{"the slashes are escaped", func(s *subject) { s.session(`"repo": "`+s.project, `"repo": "`+jsonSlash(s.project)) }, sessionFile, "/repo", "spelled in another way"},
	{"the slashes are not escaped any more", func(s *subject) { s.session(jsonSlash(s.project), s.project) }, sessionFile, "/php", "spelled in another way"},
	{"a path of another folder", func(s *subject) { s.session(`"repo": "`+s.project, `"repo": "`+s.b.root+"/home") }, sessionFile, "/repo", "the text differs"},
	{"a path is emptied", func(s *subject) { s.session(`"repo": "`+s.project, `"repo": "`) }, sessionFile, "/repo", "the text differs"},
	{"a path becomes a URL", func(s *subject) { s.session(`"repo": "`+s.project, `"repo": "file://`+s.project) }, sessionFile, "/repo", "the text differs"},
	{"the frozen path is still there", func(s *subject) { s.session(`"repo": "`+s.project, `"repo": "`+rootA+"/project") }, sessionFile, "/repo", "the text differs"},
	{"a path in upper case", func(s *subject) { s.edit(noteFile, s.project, strings.ToUpper(s.project)) }, noteFile, "/1", "in upper case"},
	{"a path in UTF-16", func(s *subject) { s.edit(noteFile, s.project, wide(s.project)) }, noteFile, "/1", "in UTF-16"},
	{"a path in another alphabet of base64", func(s *subject) {
		name := "home/state/" + s.shortDigest + "/cursor"
		s.edit(name, b64(s.project), b64(s.project+"/a"))
	}, "", "/1", "differs in more than the box's path"},

	{"a key is renamed", func(s *subject) { s.session(`"state"`, `"status"`) }, sessionFile, "/state", "the text differs"},
	{"two fields change places", func(s *subject) {
		s.session("  \"state\": \"open\",\n  \"count\": 3,\n", "  \"count\": 3,\n  \"state\": \"open\",\n")
	}, sessionFile, "/state", "the text differs"},
	{"a field is added", func(s *subject) { s.session(`"state": "open",`, `"state": "open", "new": null,`) }, sessionFile, "", "the text differs"},
	{"a field is gone", func(s *subject) { s.session("  \"count\": 3,\n", "") }, sessionFile, "/count", "the text differs"},
	{"a value is null", func(s *subject) { s.session(`"open"`, `null`) }, sessionFile, "/state", "the text differs"},
	{"another word", func(s *subject) { s.session(`"open"`, `"running"`) }, sessionFile, "/state", "the text differs"},
	{"a field twice", func(s *subject) { s.session(`"count": 3,`, `"count": 3, "count": 3,`) }, sessionFile, "", "the text differs"},
	{"another indentation", func(s *subject) { s.session("\n  \"state\"", "\n\t\"state\"") }, sessionFile, "", "the text differs"},
	{"no last newline", func(s *subject) { s.session("}\n", "}") }, sessionFile, "", "the text differs"},
	{"a carriage return", func(s *subject) { s.session("{\n", "{\r\n") }, sessionFile, "", "the text differs"},
	{"a byte order mark", func(s *subject) { s.session("{\n", "\ufeff{\n") }, sessionFile, "", "the text differs"},
	{"a line more", func(s *subject) { s.edit(logFile, "}\n", "}\n{}\n") }, logFile, "/2/at", "the text differs"},
	{"a line less", func(s *subject) { e := s.entry(logFile); e.Data = e.Data[:bytes.IndexByte(e.Data, '\n')+1] }, logFile, "", "the text differs"},
	{"other quotes in TOML", func(s *subject) { s.edit(confFile, `id = "`+s.second+`"`, `id = '`+s.second+`'`) }, confFile, "/id", "the text differs"},
	{"an empty file", func(s *subject) { s.entry(noteFile).Data = nil }, noteFile, "/1", "the text differs"},

	{"a wider mode", func(s *subject) { s.entry(sessionFile).Mode = 0o644 }, sessionFile, "", "another mode"},
	{"a folder's mode", func(s *subject) { s.entry("home/state/empty").Mode = 0o755 }, "home/state/empty", "", "another mode"},
	{"set-uid", func(s *subject) { s.entry(noteFile).Mode |= fs.ModeSetuid }, noteFile, "", "another mode"},
	{"another link target", func(s *subject) { s.entry("project/current").Target = s.project + "/b" }, "project/current", "", "the text differs"},
	{"a relative link", func(s *subject) { s.entry("project/current").Target = "a" }, "project/current", "", "the text differs"},
	{"a link becomes a file", func(s *subject) {
		*s.entry("project/current") = tree.Entry{Path: "project/current", Type: tree.File, Mode: 0o600, Data: []byte("a")}
	}, "project/current", "", "another type of file"},
	{"a file becomes a socket", func(s *subject) { s.entry(noteFile).Type = tree.Socket }, noteFile, "", "another type of file"},
	{"a file more", func(s *subject) { s.add(tree.Entry{Path: "home/state/lock", Type: tree.File, Mode: 0o600}) }, "home/state/lock", "", "a file in the second capture only"},
	{"a file less", func(s *subject) { s.remove(noteFile) }, noteFile, "", "a file in the first capture only"},
	{"an empty folder less", func(s *subject) { s.remove("home/state/empty") }, "home/state/empty", "", "a dir in the first capture only"},
	{"a file moves", func(s *subject) { s.rename(confFile, "home/conf.toml") }, confFile, "", "a file in the first capture only"},
	{"a file has another ending", func(s *subject) { s.rename(confFile, confFile+".bak") }, confFile, "", "the text differs"},
	{"a name has an id of another class", func(s *subject) { s.rename("home/state/by-id/"+s.uuid, "home/state/by-id/"+s.b.ulid()) }, "", "", "a uuid (lower uuid version 4) against a ulid"},
	{"a temporary file is left", func(s *subject) { s.add(tree.Entry{Path: sessionFile + ".tmp" + s.pid, Type: tree.File, Mode: 0o600}) }, "", "", "a file in the second capture only"},
}

func wide(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func TestPlantedLater(t *testing.T) {
	for _, p := range laterPlants {
		t.Run(p.name, func(t *testing.T) {
			a := newSubject(rootA, 1).run
			bs, ds := binding.Find(a, newSubject(rootB, 2).run, newSubject(rootA, 3).run, subjectRules)
			noDifference(t, "Find before the plant", ds)
			fresh := newSubject(rootFresh, 4)
			noDifference(t, "Again before the plant", binding.Again(frozen(a), bs, fresh.run, subjectRules))
			p.do(fresh)
			refused(t, p, binding.Again(frozen(a), bs, fresh.run, subjectRules))
		})
	}
}

func refused(t *testing.T, p plant, ds []binding.Difference) {
	t.Helper()
	require.NotEmpty(t, ds, "the planted change was missed")
	for _, d := range ds {
		if (p.path == "" || d.Path == p.path) && d.Pointer == p.pointer && strings.Contains(d.Error(), p.why) {
			return
		}
	}
	for _, d := range ds {
		t.Logf("got %v", d)
	}
	t.Errorf("no difference names %q at %q and says %q", p.path, p.pointer, p.why)
}
