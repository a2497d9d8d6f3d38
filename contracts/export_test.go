package contracts

// TamperingOf is Tampering of another test binary than this one.
var TamperingOf = tampering

// TempDir is where fixtures are thawed.
var TempDir = tempDir

// HostileEnv marks the hostile run.
const HostileEnv = hostileEnv
