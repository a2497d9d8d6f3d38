package begin

// Look is for the tests. What is in this file is in the binary that
// TestBeginIsFirst runs, so that it imports nothing.
var Look = look
