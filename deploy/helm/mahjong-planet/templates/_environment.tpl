{{/* A value as it is written: numbers without an exponent, which settings do not understand. */}}
{{- define "mahjong.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ toJson . }}{{ end -}}
{{- end -}}

{{/*
Environment of a service's container: what the chart knows, then settings of one's own. Takes `root` and `name`.
A setting that the chart makes from other values is refused: pods, Services and policies would not know of it.
*/}}
{{- define "mahjong.environment" -}}
{{- $known := include "mahjong.knownEnvironment" . -}}
{{- $names := list "HOST" "PORT" "HTTP_PORT" "METRICS_PORT" "SIGNING_KEY" "OPENID_CLIENT_SECRET" -}}
{{- range $known | fromYamlArray }}
{{- $names = append $names (regexReplaceAll "^[A-Z]+_" .name "") -}}
{{- end }}
{{- $own := (index .root.Values .name).settings -}}
{{- $perService := list "LOG_LEVEL" "TRACE_SHARE" -}}
{{- range $key, $_ := $own }}
{{- if and (has $key $names) (not (has $key $perService)) }}
{{- fail (printf "%s.settings.%s: the chart sets it from other values" $.name $key) }}
{{- end }}
{{- end }}
{{- range $key, $_ := .root.Values.settings }}
{{- if has $key (concat $names $perService) }}
{{- fail (printf "settings.%s: the chart sets it from other values" $key) }}
{{- end }}
{{- end }}
{{- $known }}
{{- range $key, $value := .root.Values.settings }}
- {name: MAHJONG_{{ $key }}, value: {{ include "mahjong.text" $value | quote }}}
{{- end }}
{{- range $key, $value := $own }}
- {name: {{ upper $.name }}_{{ $key }}, value: {{ include "mahjong.text" $value | quote }}}
{{- end }}
{{- end -}}

{{/* What the chart itself sets, from its other values. */}}
{{- define "mahjong.knownEnvironment" -}}
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
- {name: MAHJONG_TRACE_SHARE, value: {{ include "mahjong.text" .share | quote }}}
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
{{- if $own.stores }}
{{- include "mahjong.authorityVariable" .root | nindent 0 }}
{{- end }}
{{- if has "postgresql" $own.stores }}
{{- include "mahjong.databasePassword" . | nindent 0 }}
{{- include "mahjong.databaseDsn" . | nindent 0 }}
{{- end }}
{{- if has "redis" $own.stores }}
{{- include "mahjong.redisUrl" . | nindent 0 }}
{{- end }}
{{- if and (ne .name "gateway") $values.connectionAgeSeconds }}
- {name: {{ $prefix }}_CONNECTION_AGE_MAX_S, value: {{ include "mahjong.text" $values.connectionAgeSeconds | quote }}}
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
{{- end -}}

{{/* The variables of an outside OpenID issuer. */}}
{{- define "mahjong.openid" -}}
{{- if not .redirectUris }}
{{- fail "account.openid.redirectUris is empty: nobody could be sent back from the issuer" }}
{{- end -}}
- {name: ACCOUNT_OPENID_ISSUER, value: {{ .issuer | quote }}}
- {name: ACCOUNT_OPENID_NAME, value: {{ .name | quote }}}
- {name: ACCOUNT_OPENID_CLIENT_ID, value: {{ .clientId | quote }}}
- {name: ACCOUNT_OPENID_REDIRECT_URIS, value: {{ .redirectUris | toJson | quote }}}
{{- if .clientSecret.name }}
- name: ACCOUNT_OPENID_CLIENT_SECRET
  valueFrom: {secretKeyRef: {{ .clientSecret | toJson }}}
{{- end }}
{{- end -}}

{{/* By what Python finds the authorities of the stores; their mount; their volume. Nothing where the image's own count. */}}
{{- define "mahjong.authorityVariable" -}}
{{- with .Values.storeAuthorities }}{{ if .configMapName -}}
- {name: SSL_CERT_FILE, value: /etc/mahjong/authorities/{{ .key }}}
{{- end }}{{ end -}}
{{- end -}}

{{- define "mahjong.authorityMount" -}}
{{- if .Values.storeAuthorities.configMapName -}}
- {name: authorities, mountPath: /etc/mahjong/authorities, readOnly: true}
{{- end -}}
{{- end -}}

{{- define "mahjong.authorityVolume" -}}
{{- with .Values.storeAuthorities.configMapName -}}
- {name: authorities, configMap: {name: {{ . }}}}
{{- end -}}
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
  value: postgresql://mahjong:$(POSTGRESQL_PASSWORD)@{{ include "mahjong.host" (dict "root" .root "name" "postgresql") }}:5432/mahjong_{{ .name }}
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
