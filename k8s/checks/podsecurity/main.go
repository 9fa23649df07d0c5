// Command podsecurity holds the pods of manifests against the restricted pod security profile.
//
// It reads a JSON list of Kubernetes objects from standard input and prints what is refused; objects that make no
// pods are passed over.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

type object struct {
	Kind     string
	Metadata metav1.ObjectMeta
	Spec     json.RawMessage
}

type template struct {
	Metadata metav1.ObjectMeta
	Spec     corev1.PodSpec
}

// pod is what the object makes pods from, or nil.
func (o object) pod() (*template, error) {
	var spec struct {
		Template    template
		JobTemplate struct{ Spec struct{ Template template } }
	}
	switch o.Kind {
	case "Pod":
		pod := template{Metadata: o.Metadata}
		return &pod, json.Unmarshal(o.Spec, &pod.Spec)
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job":
		return &spec.Template, json.Unmarshal(o.Spec, &spec)
	case "CronJob":
		return &spec.JobTemplate.Spec.Template, json.Unmarshal(o.Spec, &spec)
	}
	return nil, nil
}

func main() {
	var objects []object
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		fmt.Fprintln(os.Stderr, "error: no list of objects:", err)
		os.Exit(2)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	profile := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	refused := false
	for _, object := range objects {
		pod, err := object.pod()
		if err != nil {
			fmt.Printf("%s %s: %v\n", object.Kind, object.Metadata.Name, err)
			refused = true
		} else if pod != nil {
			result := policy.AggregateCheckResults(evaluator.EvaluatePod(profile, &pod.Metadata, &pod.Spec))
			if !result.Allowed {
				fmt.Printf("%s %s: %s: %s\n", object.Kind, object.Metadata.Name,
					result.ForbiddenReason(), result.ForbiddenDetail())
				refused = true
			}
		}
	}
	if refused {
		os.Exit(1)
	}
}
