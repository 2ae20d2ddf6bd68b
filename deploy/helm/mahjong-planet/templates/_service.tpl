{{/* The objects of a service that runs as a Deployment. Takes `root`, `name` and `health` (see mahjong.podTemplate). */}}
{{- define "mahjong.deployment" -}}
{{- $own := index .root.Values .name -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "mahjong.name" . }}
  labels: {{- include "mahjong.labels" . | nindent 4 }}
spec:
  {{- include "mahjong.replicas" (merge (dict "kind" "Deployment") .) | nindent 2 }}
  revisionHistoryLimit: 3
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
  selector:
    matchLabels: {{- include "mahjong.selector" . | nindent 6 }}
  template: {{- include "mahjong.podTemplate" . | nindent 4 }}
{{- end -}}

{{/*
The number of pods; with an autoscaler, what there are now and nothing for a first install: a number that is taken away
means one pod, and the others would go at once. Takes `kind` too.
*/}}
{{- define "mahjong.replicas" -}}
{{- $own := index .root.Values .name -}}
{{- if not $own.autoscaling.enabled -}}
replicas: {{ required (printf "%s.replicas is not set" .name) $own.replicas }}
{{- else -}}
{{- with include "mahjong.running" . -}}
replicas: {{ . }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* How many pods a workload has in the cluster; nothing where it is not there, or no cluster is asked. */}}
{{- define "mahjong.running" -}}
{{- with lookup "apps/v1" .kind .root.Release.Namespace (include "mahjong.name" .) }}{{ .spec.replicas | int }}{{ end -}}
{{- end -}}

{{/* The inner Service: without an address of its own, so that callers know every pod and spread calls themselves. */}}
{{- define "mahjong.innerService" -}}
{{- $own := index (include "mahjong.edges" . | fromYaml) .name -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "mahjong.name" . }}
  labels: {{- include "mahjong.labels" . | nindent 4 }}
spec:
  clusterIP: None
  selector: {{- include "mahjong.selector" . | nindent 4 }}
  ports:
    - {name: grpc, port: {{ $own.port }}, targetPort: grpc}
    {{- if ne .name "table" }}
    - {name: metrics, port: {{ $own.metrics }}, targetPort: metrics}
    {{- end }}
{{- end -}}

{{- define "mahjong.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "mahjong.name" . }}
  labels: {{- include "mahjong.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ (index .root.Values .name).maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "mahjong.selector" . | nindent 6 }}
{{- end -}}

{{/* Head of an autoscaler, up to its metrics. Takes `kind` too. */}}
{{- define "mahjong.autoscaler" -}}
{{- $own := (index .root.Values .name).autoscaling -}}
{{- if gt (int $own.min) (int $own.max) }}
{{- fail (printf "%s.autoscaling.min is above max" .name) }}
{{- end -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "mahjong.name" . }}
  labels: {{- include "mahjong.labels" . | nindent 4 }}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: {{ .kind }}, name: {{ include "mahjong.name" . }}}
  minReplicas: {{ $own.min }}
  maxReplicas: {{ $own.max }}
{{- end -}}

{{- define "mahjong.cpuMetric" -}}
- type: Resource
  resource:
    name: cpu
    target: {type: Utilization, averageUtilization: {{ (index .root.Values .name).autoscaling.cpuPercent }}}
{{- end -}}

{{/* Everything of a service that is scaled by CPU alone. */}}
{{- define "mahjong.plainService" -}}
{{ include "mahjong.deployment" . }}
---
{{ include "mahjong.innerService" . }}
---
{{ include "mahjong.disruptionBudget" . }}
{{- if (index .root.Values .name).autoscaling.enabled }}
---
{{ include "mahjong.autoscaler" (merge (dict "kind" "Deployment") .) }}
  metrics: {{- include "mahjong.cpuMetric" . | nindent 4 }}
{{- end }}
{{- end -}}
