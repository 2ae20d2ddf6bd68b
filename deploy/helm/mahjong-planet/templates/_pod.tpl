{{/* What all pods here have in common. */}}

{{- define "mahjong.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "mahjong.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{/* Where pods may run. */}}
{{- define "mahjong.placement" -}}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - {name: {{ . }}}
  {{- end }}
{{- end }}
{{- end -}}

{{/* A probe of a service: its gRPC health, by name or as a whole, on the port that speaks without TLS. */}}
{{- define "mahjong.grpcProbe" -}}
grpc:
  port: {{ if include "mahjong.hasTls" . }}{{ include "mahjong.healthPort" . }}{{ else }}{{ .port }}{{ end }}
  {{- with .service }}
  service: {{ . }}
  {{- end }}
{{- end -}}

{{/*
The template of a service's pods. Takes `root`, `name` and `health`: the full name of the gRPC service that readiness asks
for, or "" for readiness by the gateway's HTTP edge. Health is served by the event loop that serves the calls, and only once the
stores are open: a process that waits for its store is not ready, one whose loop stands still is started again.
*/}}
{{- define "mahjong.podTemplate" -}}
{{- $own := index (include "mahjong.edges" . | fromYaml) .name -}}
{{- $probe := dict "root" .root "name" .name "port" $own.port -}}
{{- $values := .root.Values -}}
{{- $draining := $values.draining -}}
metadata:
  labels: {{- include "mahjong.labels" . | nindent 4 }}
  {{- with $values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  # SIGTERM starts an orderly end, in which nothing waits for a match; this is more than its longest time.
  terminationGracePeriodSeconds: {{ add $draining.probePeriodSeconds $draining.graceSeconds (ternary $draining.handOverSeconds 0 (eq .name "table")) 15 }}
  securityContext: {{- include "mahjong.podSecurity" 10001 | nindent 4 }}
  {{- include "mahjong.placement" .root | nindent 2 }}
  topologySpreadConstraints:
    {{- range $key, $unsatisfiable := $values.topologySpread }}
    - maxSkew: 1
      topologyKey: {{ $key }}
      whenUnsatisfiable: {{ $unsatisfiable }}
      # A zone or node that is down or being drained is not waited for.
      nodeTaintsPolicy: Honor
      labelSelector:
        matchLabels: {{- include "mahjong.selector" $ | nindent 10 }}
      matchLabelKeys: [{{ ternary "controller-revision-hash" "pod-template-hash" (eq $.name "table") }}]
    {{- end }}
  containers:
    - name: {{ .name }}
      image: {{ include "mahjong.serviceImage" .root }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args: [mahjong_{{ .name }}]
      env: {{- include "mahjong.environment" . | nindent 8 }}
      ports:
        - {name: grpc, containerPort: {{ $own.port }}}
        - {name: metrics, containerPort: {{ $own.metrics }}}
        {{- if eq .name "gateway" }}
        - {name: http, containerPort: 8080}
        {{- end }}
        {{- if include "mahjong.hasTls" . }}
        - {name: health, containerPort: {{ include "mahjong.healthPort" . }}}
        {{- end }}
      # A store that is away is waited for; after five minutes the process is started again.
      startupProbe:
        {{- include "mahjong.grpcProbe" $probe | nindent 8 }}
        periodSeconds: 2
        timeoutSeconds: 5
        failureThreshold: 150
      readinessProbe:
        {{- if .health }}
        {{- include "mahjong.grpcProbe" (merge (dict "service" .health) $probe) | nindent 8 }}
        {{- else }}
        httpGet: {path: /healthz, port: http}
        {{- end }}
        periodSeconds: 3
        timeoutSeconds: 3
        failureThreshold: 2
      livenessProbe:
        {{- include "mahjong.grpcProbe" $probe | nindent 8 }}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      resources: {{- toYaml (index $values .name).resources | nindent 8 }}
      securityContext: {{- include "mahjong.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
        {{- if $own.stores }}
        {{- include "mahjong.authorityMount" .root | nindent 8 }}
        {{- end }}
        {{- if $values.tls.enabled }}
        - {name: tls, mountPath: /etc/mahjong/tls, readOnly: true}
        {{- end }}
  volumes:
    - {name: tmp, emptyDir: {medium: Memory, sizeLimit: 64Mi}}
    {{- if $own.stores }}
    {{- include "mahjong.authorityVolume" .root | nindent 4 }}
    {{- end }}
    {{- if $values.tls.enabled }}
    - {name: tls, secret: {secretName: {{ include "mahjong.tlsSecret" . }}, defaultMode: 0440}}
    {{- end }}
{{- end -}}
