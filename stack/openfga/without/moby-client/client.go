// Package client takes the place of Docker's in the OpenFGA built for a local start. OpenFGA links it
// through its helpers for tests, which no command runs.
package client

import (
	"context"
	"errors"
	"io"

	"github.com/moby/moby/api/types/container"
)

var errUnused = errors.New("the Docker client is not part of this build")

// Client is never made.
type Client struct{}

// Opt sets nothing.
type Opt struct{}

var FromEnv Opt

// New always fails.
func New(...Opt) (*Client, error) { return nil, errUnused }

func (*Client) Close() error { return errUnused }

type Filters map[string]string

func (filters Filters) Add(string, ...string) Filters { return filters }

type (
	ImageListOptions       struct{ Filters Filters }
	ImagePullOptions       struct{}
	ContainerCreateOptions struct {
		Name       string
		Config     *container.Config
		HostConfig *container.HostConfig
	}
	ContainerStartOptions   struct{}
	ContainerInspectOptions struct{}
	ContainerRemoveOptions  struct{ Force, RemoveVolumes bool }
	ExecCreateOptions       struct {
		AttachStdout, AttachStderr bool
		Cmd, Env                   []string
	}
	ExecAttachOptions  struct{}
	ExecInspectOptions struct{}
)

type (
	Images    struct{ Items []string }
	Created   struct{ ID string }
	Inspected struct {
		Container container.InspectResponse
		ExitCode  int
	}
	Attached struct {
		io.Closer
		Reader io.Reader
	}
)

func (*Client) ImageList(context.Context, ImageListOptions) (result Images, err error) {
	return result, errUnused
}

func (*Client) ImagePull(context.Context, string, ImagePullOptions) (io.ReadCloser, error) {
	return nil, errUnused
}

func (*Client) ContainerCreate(context.Context, ContainerCreateOptions) (result Created, err error) {
	return result, errUnused
}

func (*Client) ContainerStart(context.Context, string, ContainerStartOptions) (any, error) {
	return nil, errUnused
}

func (*Client) ContainerInspect(context.Context, string, ContainerInspectOptions) (result Inspected, err error) {
	return result, errUnused
}

func (*Client) ContainerRemove(context.Context, string, ContainerRemoveOptions) (any, error) {
	return nil, errUnused
}

func (*Client) ExecCreate(context.Context, string, ExecCreateOptions) (result Created, err error) {
	return result, errUnused
}

func (*Client) ExecAttach(context.Context, string, ExecAttachOptions) (result Attached, err error) {
	return result, errUnused
}

func (*Client) ExecInspect(context.Context, string, ExecInspectOptions) (result Inspected, err error) {
	return result, errUnused
}
