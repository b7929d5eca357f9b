package aws

import (
	"regexp"
	"strings"
)

// domain is the end of the endpoints of a region.
func domain(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}

var inHost = regexp.MustCompile(`(?:^|\.)s3[.-](?:dualstack\.)?([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?$`)

// regionOf reads the region out of an endpoint's host, "" when it names none.
func regionOf(host string) string {
	if m := inHost.FindStringSubmatch(host); m != nil {
		return m[1]
	}
	return ""
}
