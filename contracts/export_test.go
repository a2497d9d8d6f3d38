package contracts

// TamperingOf is Tampering of another test binary than this one.
var TamperingOf = tampering

// TempDir is where fixtures are thawed.
var TempDir = tempDir
