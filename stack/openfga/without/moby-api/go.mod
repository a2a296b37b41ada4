module github.com/moby/moby/api

go 1.26.0
