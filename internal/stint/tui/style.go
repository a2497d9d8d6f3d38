package tui

import "github.com/charmbracelet/x/ansi"

// Styles of a line. Colours are taken away by Bubble Tea where NO_COLOR asks
// for that or the terminal has none, and tell nothing that the text does not.

func plain(s string) string { return s }

func bold(s string) string { return ansi.NewStyle().Bold().Styled(s) }

func reverse(s string) string { return ansi.NewStyle().Reverse(true).Styled(s) }

func added(s string) string { return ansi.NewStyle().ForegroundColor(ansi.Green).Styled(s) }

func removed(s string) string { return ansi.NewStyle().ForegroundColor(ansi.Red).Styled(s) }

func place(s string) string { return ansi.NewStyle().ForegroundColor(ansi.Cyan).Styled(s) }
