// Package container describes Docker's containers for OpenFGA's test helpers.
package container

import "github.com/moby/moby/api/types/network"

type (
	Config struct {
		Image                string
		Env, Entrypoint, Cmd []string
		ExposedPorts         network.PortSet
	}
	HostConfig struct {
		AutoRemove, PublishAllPorts bool
		ExtraHosts                  []string
		Tmpfs                       map[string]string
	}
	InspectResponse struct {
		ID              string
		State           *State
		NetworkSettings *NetworkSettings
	}
	State           struct{ Running bool }
	NetworkSettings struct{ Ports network.PortMap }
)
