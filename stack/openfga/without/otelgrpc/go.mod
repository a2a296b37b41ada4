module go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc

go 1.26.0

require google.golang.org/grpc v1.83.2
