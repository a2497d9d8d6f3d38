package read

import (
	"context"
	"errors"
	"slices"

	"github.com/freeze-contracts/permafrost/freeze/cut"
)

// Part is what one shard of a Run has read.
type Part struct {
	Report *Report           `json:"report"`
	Plan   []string          `json:"plan"` // who reads what, of all shards
	Tools  map[string]string `json:"-"`    // what has to be the same in all parts, by what it is
}

// RunPart does the shard of the request.
func RunPart(ctx context.Context, p *cut.Project, req Request, show func(cut.Event)) (*Part, error) {
	r, err := do(ctx, p, req, show)
	if err != nil {
		return nil, err
	}
	if err := r.report.held(); err != nil {
		return nil, err
	}
	part := &Part{Report: r.report, Plan: r.names, Tools: make(map[string]string)}
	for version, b := range r.builds {
		if b.Commit != "" {
			part.Tools["source of "+version] = b.Commit
		}
		part.Tools["toolchain of "+version], part.Tools["programs of "+version] = cut.Digests(b.Toolchain, b.GOOS, b.GOARCH, b.Programs)
	}
	return part, nil
}

// Merge is the report of a whole run, whose parts these are.
func Merge(parts []*Part) *Report {
	all := &Report{Readers: parts[0].Report.Readers, Releases: parts[0].Report.Releases}
	for _, p := range parts {
		all.Steps = append(all.Steps, p.Report.Steps...)
		for _, f := range p.Report.Failed {
			f.err = errors.New(f.Error)
			all.Failed = append(all.Failed, f)
		}
		all.Unread = append(all.Unread, p.Report.Unread...)
	}
	all.sort()
	all.Unread = slices.Compact(all.Unread)
	return all
}

// programs are the folders of the programs, by version.
func (r *run) programs() map[string]string {
	dirs := make(map[string]string)
	for version, b := range r.builds {
		dirs[version] = b.Dir
	}
	return dirs
}
