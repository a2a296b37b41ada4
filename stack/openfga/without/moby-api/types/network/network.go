// Package network names the ports of Docker's containers for OpenFGA's test helpers.
package network

type (
	Port        string
	PortSet     map[Port]struct{}
	PortMap     map[Port][]PortBinding
	PortBinding struct{ HostPort string }
)

// MustParsePort never panics; OpenFGA's test helpers call it when they are loaded.
func MustParsePort(port string) Port { return Port(port) }
