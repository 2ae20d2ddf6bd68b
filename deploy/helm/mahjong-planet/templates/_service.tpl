{{/* The objects of a service that runs as a Deployment. Takes `root`, `name` and `health` (see mahjong.podTemplate). */}}
{{- define "mahjong.deployment" -}}
{{- $own := index .root.Values .name -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "mahjong.name" . }}
  labels: {{- include "mahjong.labels" . | nindent 4 }}
spec:
  {{- if not $own.autoscaling.enabled }}
  replicas: {{ $own.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
  selector:
    matchLabels: {{- include "mahjong.selector" . | nindent 6 }}
  template: {{- include "mahjong.podTemplate" . | nindent 4 }}
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
