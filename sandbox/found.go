package sandbox

import "time"

// Found is a box kept from an earlier run.
type Found struct {
	Root    string    `json:"root"`
	Owner   bool      `json:"owner"`   // its supervisor lives: leave it alone
	Founder int       `json:"founder"` // pid of the process that made it
	Started time.Time `json:"started"`
	// Spent says that nothing of it can run: its founder was killed before
	// anything was started in it, or its removal was cut short.
	Spent bool      `json:"spent"`
	Left  []Process `json:"left"` // what holds it
}

// Finding is one thing that this machine has or lacks.
type Finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"` // what to do where it is not OK
}
