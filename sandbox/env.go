package sandbox

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// marker carries the box's path in the environment of all that runs in it.
const marker = "PERMAFROST_BOX"

func (p place) marker() string { return marker + "=" + string(p) }

// gitDate is the date of every commit made in a box.
const gitDate = "2020-01-01T00:00:00+00:00"

// gitConfig outranks every configuration file, also the repository's own: with
// it two boxes write the same bytes. It travels in the environment so that the
// box's ~/.gitconfig is what the subject makes of it.
func gitConfig() map[string]string {
	return map[string]string{
		"core.fsmonitor":      "false",
		"core.splitIndex":     "false",
		"core.untrackedCache": "false",
		"gc.auto":             "0",
		"init.defaultBranch":  "main",
		"maintenance.auto":    "false",
		"pack.threads":        "1",
	}
}

// environment is built from nothing: what the caller's holds does not come in.
func (p place) environment(extra map[string]string) []string {
	env := map[string]string{
		"HOME":            p.home(),
		"XDG_CONFIG_HOME": filepath.Join(p.home(), ".config"),
		"XDG_DATA_HOME":   filepath.Join(p.home(), ".local", "share"),
		"XDG_STATE_HOME":  filepath.Join(p.home(), ".local", "state"),
		"XDG_CACHE_HOME":  filepath.Join(p.home(), ".cache"),
		"XDG_RUNTIME_DIR": p.run(),
		"TMPDIR":          p.tmp(),
		"TMUX_TMPDIR":     p.tripwire(),
		"PATH":            p.bin(),
		"SHELL":           "/bin/sh",
		"TERM":            "xterm-256color",
		"LC_ALL":          "C.UTF-8",
		"TZ":              "UTC",
		"PAGER":           "cat",
		marker:            string(p),

		"GIT_AUTHOR_NAME":     "Box",
		"GIT_AUTHOR_EMAIL":    "box@example.invalid",
		"GIT_AUTHOR_DATE":     gitDate,
		"GIT_COMMITTER_NAME":  "Box",
		"GIT_COMMITTER_EMAIL": "box@example.invalid",
		"GIT_COMMITTER_DATE":  gitDate,
		"GIT_CONFIG_NOSYSTEM": "1",
		"GIT_TEMPLATE_DIR":    p.template(),
		"GIT_TERMINAL_PROMPT": "0",
		// A repository above the box is none of the subject's.
		"GIT_CEILING_DIRECTORIES": string(p),
	}
	config := gitConfig()
	for i, key := range slices.Sorted(maps.Keys(config)) {
		env["GIT_CONFIG_KEY_"+strconv.Itoa(i)] = key
		env["GIT_CONFIG_VALUE_"+strconv.Itoa(i)] = config[key]
	}
	env["GIT_CONFIG_COUNT"] = strconv.Itoa(len(config))
	maps.Copy(env, extra)
	return entries(env)
}

func entries(env map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// override lets later entries replace earlier ones. Which of two entries of
// one name a program takes would be its own choice.
func override(env, more []string) []string {
	merged := map[string]string{}
	for _, entry := range append(slices.Clone(env), more...) {
		name, value, _ := strings.Cut(entry, "=")
		merged[name] = value
	}
	return entries(merged)
}
