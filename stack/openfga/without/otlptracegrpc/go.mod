module go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc

go 1.26.0

require (
	go.opentelemetry.io/otel/sdk v1.47.0
	google.golang.org/grpc v1.83.2
)
