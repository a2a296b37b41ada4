// Package certwatcher takes the place of controller-runtime's in the OpenFGA built for a local start,
// which is reached over loopback only. The original links the Kubernetes client. OpenFGA refuses to
// start with TLS instead of serving a certificate that nobody watches.
package certwatcher

import (
	"context"
	"crypto/tls"
	"errors"
)

// CertWatcher is never made.
type CertWatcher struct{}

// New always fails.
func New(_, _ string) (*CertWatcher, error) {
	return nil, errors.New("TLS is not part of this build; use an OpenFGA of the official releases")
}

func (*CertWatcher) RegisterCallback(func(tls.Certificate)) {}

func (*CertWatcher) Start(context.Context) error { return nil }

func (*CertWatcher) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return nil, errors.New("TLS is not part of this build")
}
