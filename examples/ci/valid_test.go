// Package ci holds examples of runs that are split over machines. It is a
// module of its own: who uses permafrost needs neither Kubernetes nor
// actionlint. That the commands do what they say is tested in freeze/cli.
package ci

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

func TestWorkflow(t *testing.T) {
	for _, file := range []string{"github.yml", "../../.github/workflows/check.yml"} {
		if problems := lint(t, read(t, file)); len(problems) > 0 {
			t.Errorf("%s: %v", file, problems)
		}
	}
	// The linter sees what is wrong.
	wrong := bytes.Replace(read(t, "github.yml"), []byte("matrix.part"), []byte("matrix.shard"), 1)
	if len(lint(t, wrong)) == 0 {
		t.Error("a name that the matrix has not passes")
	}
}

func lint(t *testing.T, text []byte) []*actionlint.Error {
	t.Helper()
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	problems, err := linter.Lint("workflow.yml", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

func TestKubernetes(t *testing.T) {
	claims, jobs := decode(t, read(t, "kubernetes.yml"))
	if len(claims) != 1 || len(jobs) != 2 {
		t.Fatalf("%d claims and %d jobs", len(claims), len(jobs))
	}
	for _, job := range jobs {
		checkJob(t, job, claims[0].Name)
	}
	parts := jobs[0].Spec
	switch {
	case parts.CompletionMode == nil || *parts.CompletionMode != batch.IndexedCompletion:
		t.Error("the Job of the parts is not indexed")
	case parts.Completions == nil || parts.BackoffLimitPerIndex == nil:
		t.Error("an indexed Job needs completions, and FailIndex backoffLimitPerIndex")
	}
	wrong := bytes.Replace(read(t, "kubernetes.yml"), []byte("completionMode"), []byte("completionmode"), 1)
	if err := strict(documents(wrong)[1], new(batch.Job)); err == nil {
		t.Error("a field that a Job has not passes")
	}
}

// checkJob looks for what the API server would refuse and the types do not.
func checkJob(t *testing.T, job batch.Job, claim string) {
	t.Helper()
	pod := job.Spec.Template.Spec
	if job.APIVersion != "batch/v1" || job.Name == "" || len(pod.Containers) != 1 || pod.RestartPolicy != core.RestartPolicyNever {
		t.Fatalf("%s: want a batch/v1 Job with a name, one container, restarted never", job.Name)
	}
	c := pod.Containers[0]
	if c.Name == "" || c.Image == "" {
		t.Errorf("%s: the container lacks its name or image", job.Name)
	}
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim
	}
	for _, m := range c.VolumeMounts {
		if !volumes[m.Name] || !filepath.IsAbs(m.MountPath) {
			t.Errorf("%s: mount %s at %q is of no volume of the claim", job.Name, m.Name, m.MountPath)
		}
	}
	if policy := job.Spec.PodFailurePolicy; policy != nil {
		for _, r := range policy.Rules {
			if r.OnExitCodes == nil || r.OnExitCodes.ContainerName == nil || *r.OnExitCodes.ContainerName != c.Name {
				t.Errorf("%s: a rule of podFailurePolicy is about no container of it", job.Name)
			}
		}
	}
}

func decode(t *testing.T, text []byte) (claims []core.PersistentVolumeClaim, jobs []batch.Job) {
	t.Helper()
	for _, doc := range documents(text) {
		var kind struct{ Kind string }
		if err := yaml.Unmarshal(doc, &kind); err != nil {
			t.Fatal(err)
		}
		var err error
		switch kind.Kind {
		case "PersistentVolumeClaim":
			var claim core.PersistentVolumeClaim
			err = strict(doc, &claim)
			claims = append(claims, claim)
		case "Job":
			var job batch.Job
			err = strict(doc, &job)
			jobs = append(jobs, job)
		default:
			t.Fatalf("a document of kind %q", kind.Kind)
		}
		if err != nil {
			t.Errorf("%s: %v", kind.Kind, err)
		}
	}
	return claims, jobs
}

// strict decodes as the API server does: a field that is not there, or there
// twice, or spelt in other cases, is an error.
func strict(doc []byte, into any) error {
	text, err := yaml.YAMLToJSONStrict(doc)
	if err != nil {
		return err
	}
	unknown, err := json.UnmarshalStrict(text, into)
	return errors.Join(append(unknown, err)...)
}

func documents(text []byte) [][]byte { return bytes.Split(text, []byte("\n---\n")) }

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.TrimSpace(string(text)))
}
