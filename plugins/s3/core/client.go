package core

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// bucket is an open bucket.
type bucket struct {
	profile     Profile
	settings    settings
	credentials aws.CredentialsProvider
	transport   http.RoundTripper
	unhurried   http.RoundTripper // for calls that take as long as a copy does
	client      *s3.Client
	presigner   *s3.PresignClient
	skew        atomic.Int64 // nanoseconds that the storage's clock is ahead
}

var (
	_ objstore.Bucket    = (*bucket)(nil)
	_ objstore.Multipart = (*bucket)(nil)
	_ objstore.CORSAdmin = (*bucket)(nil)
)

// answerTime is until an answer begins; workTime when the storage first moves
// bytes of its own.
const (
	answerTime = 15 * time.Second
	workTime   = 10 * time.Minute
)

func newTransport(reach outbound.Reach, answer time.Duration) http.RoundTripper {
	return &http.Transport{
		Proxy:                  reach.Proxy,
		DialContext:            reach.Dialer(5 * time.Second).DialContext,
		TLSHandshakeTimeout:    5 * time.Second,
		ResponseHeaderTimeout:  answer,
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    64,
		ReadBufferSize:         64 << 10,
		WriteBufferSize:        64 << 10,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxAnswerHeader,
		ForceAttemptHTTP2:      true,
	}
}

// connect makes the clients for the settings as they are.
func (b *bucket) connect() {
	endpoint := b.settings.endpoint.String()
	b.client = s3.New(s3.Options{
		BaseEndpoint:                   &endpoint,
		Region:                         b.settings.region,
		Credentials:                    b.credentials,
		UsePathStyle:                   b.settings.pathStyle,
		RequestChecksumCalculation:     aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation:     aws.ResponseChecksumValidationWhenRequired,
		Retryer:                        retry.NewStandard(b.retries),
		Logger:                         logging.Nop{},
		HTTPClient:                     b.over(b.transport),
		APIOptions:                     []func(*middleware.Stack) error{boundAnswers},
		DisableMultiRegionAccessPoints: true,
		DisableS3ExpressSessionAuth:    aws.Bool(true),
	})
	b.presigner = s3.NewPresignClient(b.client)
}

// over is the client that sends over a transport. It follows no redirect.
func (b *bucket) over(t http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     &watched{t, &b.skew},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// patient is for copies and joins, which answer when the work is done.
func (b *bucket) patient(o *s3.Options) { o.HTTPClient = b.over(b.unhurried) }

// retries are those of a call that can be repeated. A try that ran out of time
// is the last: the caller has waited long enough.
func (b *bucket) retries(o *retry.StandardOptions) {
	o.MaxAttempts = max(1, b.profile.Tries)
	o.Backoff = retry.BackoffDelayerFunc(func(try int, _ error) (time.Duration, error) { return objstore.Backoff(try), nil })
	o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(timedOut)}, o.Retryables...)
}

func timedOut(err error) aws.Ternary {
	var known net.Error
	if errors.As(err, &known) && known.Timeout() {
		return aws.FalseTernary
	}
	return aws.UnknownTernary
}

// once is for calls whose body cannot be rewound.
func once(o *s3.Options) { o.Retryer = aws.NopRetryer{} }

// unsigned is for bodies that are not hashed before they are sent.
func unsigned(o *s3.Options) {
	o.APIOptions = append(o.APIOptions, v4.SwapComputePayloadSHA256ForUnsignedPayloadMiddleware)
}

// summed is for calls that must carry a checksum: they get the old one, which
// every service knows, in place of the SDK's.
func summed(o *s3.Options) {
	o.APIOptions = append(o.APIOptions, smithyhttp.AddContentChecksumMiddleware, func(stack *middleware.Stack) error {
		_, err := stack.Finalize.Remove("AWSChecksum:ComputeInputPayloadChecksum")
		return err
	})
}

// watched remembers how far the storage's clock is from ours.
type watched struct {
	http.RoundTripper
	skew *atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.RoundTripper.RoundTrip(r)
	if err == nil {
		if theirs, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			w.skew.Store(int64(time.Until(theirs)))
		}
	}
	return resp, err
}

// findRegion takes the region that the storage names. What it does not name
// stays: the next call tells what is wrong.
func (b *bucket) findRegion(ctx context.Context) {
	_, err := b.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b.settings.bucket}, once)
	var answer *smithyhttp.ResponseError
	if !errors.As(err, &answer) || answer.Response == nil {
		return
	}
	region := answer.Response.Header.Get("X-Amz-Bucket-Region")
	if region == "" || region == b.settings.region || strings.ContainsAny(region, "/?#@:. \\%") {
		return
	}
	u := *b.settings.endpoint
	u.Host = strings.Replace(u.Host, "."+b.settings.region+".", "."+region+".", 1)
	b.settings.endpoint, b.settings.region = &u, region
	b.connect()
}

// Endpoints are the hosts that signed requests lead to, for the plugin host.
func (b *bucket) Endpoints() []string { return []string{b.settings.endpoint.Host} }

// Close implements objstore.Bucket.
func (b *bucket) Close() error {
	for _, transport := range []http.RoundTripper{b.transport, b.unhurried} {
		if t, ok := transport.(*http.Transport); ok {
			t.CloseIdleConnections()
		}
	}
	return nil
}

// Usage implements objstore.Bucket: S3 does not tell.
func (b *bucket) Usage(context.Context) (objstore.Usage, error) {
	return objstore.Usage{}, objstore.ErrUnsupported
}
