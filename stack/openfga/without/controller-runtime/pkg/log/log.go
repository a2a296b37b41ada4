// Package log takes the place of controller-runtime's, which OpenFGA only silences.
package log

import "github.com/go-logr/logr"

// SetLogger drops the logger: this build's controller-runtime logs nothing.
func SetLogger(logr.Logger) {}
