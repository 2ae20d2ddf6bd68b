{{/* Environment of a service's container. Takes `root` and `name`. */}}
{{- define "mahjong.environment" -}}
{{- $edges := include "mahjong.edges" . | fromYaml -}}
{{- $own := index $edges .name -}}
{{- $values := .root.Values -}}
{{- $prefix := upper .name -}}
- {name: MAHJONG_HOST, value: "0.0.0.0"}
- {name: MAHJONG_LOG_LEVEL, value: {{ $values.logLevel }}}
- {name: MAHJONG_PROBE_PERIOD_S, value: {{ $values.draining.probePeriodSeconds | quote }}}
- {name: MAHJONG_DRAIN_GRACE_S, value: {{ $values.draining.graceSeconds | quote }}}
{{- with $values.tracing }}
{{- if .endpoint }}
- {name: MAHJONG_OTLP_ENDPOINT, value: {{ .endpoint | quote }}}
- {name: MAHJONG_TRACE_SHARE, value: {{ .share | quote }}}
{{- end }}
{{- end }}
- name: MAHJONG_SERVICE_KEY
  valueFrom:
    secretKeyRef:
      {{- if $values.secrets.generate }}
      {name: {{ include "mahjong.generatedSecret" .root }}, key: service-key}
      {{- else }}
      {{- toYaml $values.secrets.serviceKey | nindent 6 }}
      {{- end }}
{{- if and (eq .name "account") $values.secrets.signingKey.name }}
- name: ACCOUNT_SIGNING_KEY
  valueFrom:
    secretKeyRef:
      {{- toYaml $values.secrets.signingKey | nindent 6 }}
{{- end }}
{{- if and (eq .name "account") $values.account.openid.issuer }}
{{- include "mahjong.openid" $values.account.openid | nindent 0 }}
{{- end }}
{{- range $own.calls }}
{{- if ne . $.name }}
- name: {{ $prefix }}_{{ upper . }}_ADDRESS
  value: {{ include "mahjong.host" (dict "root" $.root "name" .) }}:{{ (index $edges .).port }}
{{- end }}
{{- end }}
{{- if has "postgresql" $own.stores }}
{{- include "mahjong.databasePassword" . | nindent 0 }}
{{- include "mahjong.databaseDsn" . | nindent 0 }}
{{- end }}
{{- if has "redis" $own.stores }}
{{- include "mahjong.redisUrl" . | nindent 0 }}
{{- end }}
{{- if and (ne .name "gateway") $values.connectionAgeSeconds }}
- {name: {{ $prefix }}_CONNECTION_AGE_MAX_S, value: {{ $values.connectionAgeSeconds | quote }}}
{{- end }}
{{- if $values.tls.enabled }}
- {name: MAHJONG_TLS_CERTIFICATE_FILE, value: /etc/mahjong/tls/tls.crt}
- {name: MAHJONG_TLS_KEY_FILE, value: /etc/mahjong/tls/tls.key}
- {name: MAHJONG_TLS_AUTHORITY_FILE, value: /etc/mahjong/tls/ca.crt}
{{- if include "mahjong.hasTls" . }}
- {name: MAHJONG_TLS, value: {{ $values.tls.mode }}}
- {name: MAHJONG_HEALTH_PORT, value: {{ include "mahjong.healthPort" . | quote }}}
{{- end }}
{{- end }}
{{- if eq .name "gateway" }}
- {name: GATEWAY_TRUSTED_PROXIES, value: {{ $values.gateway.trustedProxies | quote }}}
{{- end }}
{{- if eq .name "table" }}
- name: POD_NAME
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
# The name outlives the pod: a worker that starts again takes over at once from the one that was there.
- name: TABLE_ADVERTISED_ADDRESS
  value: $(POD_NAME).{{ include "mahjong.name" . }}-workers.{{ .root.Release.Namespace }}.svc:{{ $own.port }}
- {name: TABLE_HAND_OVER_S, value: {{ $values.draining.handOverSeconds | quote }}}
{{- end }}
{{- range $key, $value := $values.settings }}
- {name: MAHJONG_{{ $key }}, value: {{ $value | quote }}}
{{- end }}
{{- range $key, $value := (index $values .name).settings }}
- {name: {{ $prefix }}_{{ $key }}, value: {{ $value | quote }}}
{{- end }}
{{- end -}}

{{/* The variables of an outside OpenID issuer. */}}
{{- define "mahjong.openid" -}}
- {name: ACCOUNT_OPENID_ISSUER, value: {{ .issuer | quote }}}
- {name: ACCOUNT_OPENID_NAME, value: {{ .name | quote }}}
- {name: ACCOUNT_OPENID_CLIENT_ID, value: {{ .clientId | quote }}}
{{- if .clientSecret.name }}
- name: ACCOUNT_OPENID_CLIENT_SECRET
  valueFrom: {secretKeyRef: {{ .clientSecret | toJson }}}
{{- end }}
{{- end -}}

{{/* What `mahjong.databaseDsn` refers to, once a container. */}}
{{- define "mahjong.databasePassword" -}}
{{- if .root.Values.postgresql.bundled -}}
- name: POSTGRESQL_PASSWORD
  valueFrom: {secretKeyRef: {name: {{ include "mahjong.generatedSecret" .root }}, key: postgresql-password}}
{{- end -}}
{{- end -}}

{{/* The variable of a service's database. */}}
{{- define "mahjong.databaseDsn" -}}
{{- if .root.Values.postgresql.bundled -}}
- name: {{ upper .name }}_DATABASE_DSN
  value: postgresql://mahjong:$(POSTGRESQL_PASSWORD)@{{ include "mahjong.host" (dict "root" .root "name" "postgresql") }}:5432/{{ .name }}
{{- else -}}
- name: {{ upper .name }}_DATABASE_DSN
  valueFrom: {secretKeyRef: {name: {{ .root.Values.postgresql.external.secretName }}, key: {{ .name }}}}
{{- end -}}
{{- end -}}

{{/* The variable of Valkey or Redis. */}}
{{- define "mahjong.redisUrl" -}}
{{- if .root.Values.redis.bundled -}}
- name: REDIS_PASSWORD
  valueFrom: {secretKeyRef: {name: {{ include "mahjong.generatedSecret" .root }}, key: redis-password}}
- name: {{ upper .name }}_REDIS_URL
  value: redis://:$(REDIS_PASSWORD)@{{ include "mahjong.host" (dict "root" .root "name" "valkey") }}:6379/0
{{- else -}}
- name: {{ upper .name }}_REDIS_URL
  valueFrom: {secretKeyRef: {name: {{ .root.Values.redis.external.secretName }}, key: {{ .root.Values.redis.external.secretKey }}}}
{{- end -}}
{{- end -}}
