package sandbox

import (
	"fmt"
	"regexp"
)

// check says what is wrong with a fault, before it is in place.
func (f Fault) check() error {
	if _, err := regexp.Compile(f.Pattern); err != nil {
		return fmt.Errorf("fault %d on %q: pattern: %w", f.ID, f.Program, err)
	}
	if f.Count < 1 {
		return fmt.Errorf("fault %d on %q: count %d, want at least 1", f.ID, f.Program, f.Count)
	}
	switch f.Action {
	case KillCaller, KillCallerAfter, Hang:
		return nil
	case Fail:
		if f.Code < 1 || f.Code > 255 {
			return fmt.Errorf("fault %d on %q: exit code %d, want 1 to 255", f.ID, f.Program, f.Code)
		}
		return nil
	}
	return fmt.Errorf("fault %d on %q: action %q, want one of %q, %q, %q, %q",
		f.ID, f.Program, f.Action, KillCaller, KillCallerAfter, Fail, Hang)
}
