package adminapi

import (
	"encoding/json"
	"testing"

	"pasteport/domain/policies"
	"pasteport/ports/policy"
)

func TestAnEffectNamesChangedLimitsAndWhatStaysOnlyWhenWished(t *testing.T) {
	effect := policies.Effect{Asked: 2, Same: []policies.Line{{ID: "S", Action: policy.FileUpload}},
		Changes: []policies.Change{{Before: policies.Line{ID: "C", Allow: true, Action: policy.FileUpload}, Now: policy.Explanation{Decision: policy.Decision{Allow: true}},
			Limits: []policies.LimitChange{{Name: "max_size", Now: 9}}}}}
	for all, want := range map[bool]string{
		false: `{"asked":2,"skipped":0,"changes":[{"decision_id":"C","timestamp":null,"type":"","name":"","action":"file.upload","path":"","before":true,"codes":[],"now":true,"after":[],"failed":"","limits":[{"name":"max_size","before":0,"now":9}]}]}`,
		true:  `{"asked":2,"skipped":0,"changes":[{"decision_id":"C","timestamp":null,"type":"","name":"","action":"file.upload","path":"","before":true,"codes":[],"now":true,"after":[],"failed":"","limits":[{"name":"max_size","before":0,"now":9}]}],"same":[{"decision_id":"S","timestamp":null,"type":"","name":"","action":"file.upload","path":"","before":false,"codes":[]}]}`,
	} {
		if got, err := json.Marshal(effectOf(effect, all)); err != nil || string(got) != want {
			t.Errorf("%s, %v", got, err)
		}
	}
}
