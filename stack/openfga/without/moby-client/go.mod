module github.com/moby/moby/client

go 1.26.0

require github.com/moby/moby/api v1.56.1
