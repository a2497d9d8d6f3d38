package tui

import (
	"slices"
	"strings"
)

// act is what a key does.
type act string

const (
	up      act = "up"
	down    act = "down"
	pageUp  act = "page up"
	pageDn  act = "page down"
	first   act = "first"
	last    act = "last"
	left    act = "left"
	right   act = "right"
	other   act = "other"
	more    act = "more"
	look    act = "look"
	back    act = "back"
	attach  act = "attach"
	save    act = "save"
	end     act = "close"
	apply   act = "apply"
	discard act = "discard"
	refresh act = "refresh"
	help    act = "help"
	quit    act = "quit"
)

// Key is what some keys do.
type Key struct {
	Keys  []string // as Bubble Tea calls them
	Where string
	Does  string

	act   act
	short string // for the last line of the screen; empty: it never is there
}

// Where a key is of use.
const (
	everywhere = "everywhere"
	onLists    = "lists"
	onPages    = "pages"
	onSessions = "a session"
	onRuns     = "a run"
)

// Keys are all keys but those that answer a question.
func Keys() []Key {
	return []Key{
		{[]string{"enter"}, onLists, "look at a session, at a run and its diff, or at why a document is unreadable", look, "look"},
		{[]string{"a"}, onSessions, "attach: the session on this terminal, until you detach", attach, "attach"},
		{[]string{"s"}, onSessions, "checkpoint: save its work as a pending run", save, "checkpoint"},
		{[]string{"c"}, onSessions, "close it; asks, and asks again for each kind of work that would be lost", end, "close"},
		{[]string{"p"}, onRuns, "apply it to the main work tree; asks", apply, "apply"},
		{[]string{"d"}, onRuns, "discard it; asks", discard, "discard"},
		{[]string{"tab"}, onLists, "go over to the other list", other, "other"},
		{[]string{"v"}, onLists, "show closed sessions and applied and discarded runs, too, or hide them", more, "all"},
		{[]string{"up", "k"}, everywhere, "a line up", up, ""},
		{[]string{"down", "j"}, everywhere, "a line down", down, ""},
		{[]string{"pgup", "b"}, everywhere, "a screen up", pageUp, ""},
		{[]string{"pgdown", "f"}, everywhere, "a screen down", pageDn, ""},
		{[]string{"home", "g"}, everywhere, "to the beginning", first, ""},
		{[]string{"end", "G"}, everywhere, "to the end", last, ""},
		{[]string{"left", "h"}, onPages, "long lines: to the left", left, ""},
		{[]string{"right", "l"}, onPages, "long lines: to the right", right, ""},
		{[]string{"esc", "backspace"}, everywhere, "back to the lists; take a message away", back, "back"},
		{[]string{"r"}, everywhere, "read everything again now; it is read every few seconds anyway", refresh, ""},
		{[]string{"?"}, everywhere, "these keys", help, "help"},
		{[]string{"q", "ctrl+c"}, everywhere, "leave, once what was begun is over", quit, "quit"},
	}
}

// find tells what a key does; nothing, if it is none.
func find(key string) act {
	for _, k := range Keys() {
		if slices.Contains(k.Keys, key) {
			return k.act
		}
	}
	return ""
}

// hints are the keys for what can be done, as many as there is room for.
func hints(width int, acts ...act) string {
	var b strings.Builder
	for _, a := range acts {
		i := slices.IndexFunc(Keys(), func(k Key) bool { return k.act == a })
		hint := Keys()[i].Keys[0] + " " + Keys()[i].short
		if b.Len() > 0 {
			hint = "  " + hint
		}
		if b.Len()+len(hint) > width {
			break
		}
		b.WriteString(hint)
	}
	return b.String()
}
