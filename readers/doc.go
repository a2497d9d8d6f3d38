// Package readers decodes everything that stint persists, and is the only
// place where it is decoded. Its sub-packages session, artifact, conversation
// and project hold one reader each; this one holds what they share.
//
// # The promise
//
// A document that a release of stint wrote is read by every later release, to
// the same meaning, until CHANGELOG.md says otherwise under a release's
// "Formats" line:
//
//   - A field that an old release did not write is absent, not an error.
//   - A field that a newer release added is kept, byte for byte in value,
//     when this build rewrites the document.
//   - A document of a newer schema is refused with both versions
//     ([NewerError]); so is one that does not decode ([CorruptError]).
//     Neither is ever taken for an empty one, and neither is written to.
//   - Reading changes nothing: a document of an older schema gets the shape of
//     today's in memory and keeps its bytes until there is something to write,
//     and no default takes the place of a value that cannot be understood.
//   - Writing writes today's schema, fields that are unknown included. An old
//     document with a field that its schema did not know and today's gives a
//     meaning is refused ([CorruptError]): a rewrite would give it that one.
//
// # What a reader does not do
//
// A reader performs no I/O of its own: it is handed bytes or an fs.FS, asks no
// clock, no environment, no git and no tmux, and gives one answer for one tree
// of bytes. Pass the fs.FS of an os.Root, so that a symlink cannot lead out of
// it; a symlink on the way to a document is refused in any case.
//
// # What a test of the readers alone cannot see
//
// Writer and reader share a struct, so a renamed field survives a round trip
// in one process: what was written under the new name is read under the new
// name, and every document of an earlier release has lost it. Only bytes that
// an earlier release wrote show that. Fixtures of each release, cut by
// cmd/freeze, are those bytes.
package readers
