{{/* Rules of network policies. */}}

{{- define "mahjong.dnsEgress" -}}
- ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]
  to: {{- toYaml .Values.networkPolicy.dnsTo | nindent 4 }}
{{- end -}}

{{- define "mahjong.postgresqlEgress" -}}
{{- $external := .Values.postgresql.external -}}
- ports: [{port: {{ ternary 5432 $external.port .Values.postgresql.bundled }}}]
  {{- if .Values.postgresql.bundled }}
  to:
    - podSelector:
        matchLabels: {{- include "mahjong.selector" (dict "root" . "name" "postgresql") | nindent 10 }}
  {{- else if $external.to }}
  to: {{- toYaml $external.to | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "mahjong.redisEgress" -}}
{{- $external := .Values.redis.external -}}
- ports:
    {{- range ternary (list 6379) $external.ports .Values.redis.bundled }}
    - {port: {{ . }}}
    {{- end }}
  {{- if .Values.redis.bundled }}
  to:
    - podSelector:
        matchLabels: {{- include "mahjong.selector" (dict "root" . "name" "valkey") | nindent 10 }}
  {{- else if $external.to }}
  to: {{- toYaml $external.to | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Who reaches a bundled store: the services that have it, and it reaches nobody. Takes `root`, `name`, `store`. */}}
{{- define "mahjong.storePolicy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "mahjong.name" . }}
  labels: {{- include "mahjong.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels: {{- include "mahjong.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    - ports: [{port: {{ .store }}}]
      from:
        {{- range $name, $edge := include "mahjong.edges" . | fromYaml }}
        {{- if has $.store $edge.stores }}
        - podSelector:
            matchLabels: {{- include "mahjong.selector" (dict "root" $.root "name" $name) | nindent 14 }}
        {{- end }}
        {{- end }}
        {{- if and (eq .store "postgresql") .root.Values.migrations.enabled }}
        - podSelector:
            matchLabels: {{- include "mahjong.selector" (dict "root" .root "name" "migrations") | nindent 14 }}
        {{- end }}
{{- end -}}
