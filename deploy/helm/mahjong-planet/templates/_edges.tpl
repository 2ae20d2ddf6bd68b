{{/*
Who calls whom, as YAML: addresses in the pods' environment, network policies and their tests all come from here.
Ports are the services' own defaults.
*/}}
{{- define "mahjong.edges" -}}
gateway: {calls: [account, matchmaker, table, rating, replay], stores: [], port: 8081, metrics: 10081}
account: {calls: [rating, replay], stores: [postgresql], port: 7001, metrics: 9001}
matchmaker: {calls: [account, table, rating], stores: [redis], port: 7002, metrics: 9002}
table: {calls: [account, matchmaker, table, rating, replay], stores: [postgresql, redis], port: 7003, metrics: 9003}
rating: {calls: [account], stores: [postgresql], port: 7004, metrics: 9004}
replay: {calls: [account], stores: [postgresql], port: 7005, metrics: 9005}
{{- end -}}

{{/* Port of a service's health where its gRPC port speaks TLS, which probes do not. */}}
{{- define "mahjong.healthPort" -}}
9500
{{- end -}}

{{/* Whether the service's own gRPC port speaks TLS: the gateway's is public, and TLS ends before it. */}}
{{- define "mahjong.hasTls" -}}
{{- if and .root.Values.tls.enabled (ne .name "gateway") -}}true{{- end -}}
{{- end -}}
