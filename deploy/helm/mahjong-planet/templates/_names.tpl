{{/* Names and labels. Everything takes the root, or a dict with `root` and the service's `name`. */}}

{{/* First part of all names: the release, with the chart's name, which alerts go by, unless it has it already. */}}
{{- define "mahjong.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" (.Release.Name | trunc 25 | trimSuffix "-") .Chart.Name -}}
{{- end -}}
{{- end -}}

{{/* Name of one service's objects. */}}
{{- define "mahjong.name" -}}
{{ include "mahjong.fullname" .root }}-{{ .name }}
{{- end -}}

{{/* Labels that never change: what selectors select by. */}}
{{- define "mahjong.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "mahjong.labels" -}}
{{ include "mahjong.selector" . }}
app.kubernetes.io/part-of: {{ .root.Chart.Name }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{/* An image by its digest, or by its tag if it has none. */}}
{{- define "mahjong.image" -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag }}
{{- end -}}
{{- end -}}

{{- define "mahjong.serviceImage" -}}
{{- $image := .Values.image -}}
{{- include "mahjong.image" (dict "repository" $image.repository "tag" (default .Chart.AppVersion $image.tag) "digest" $image.digest) -}}
{{- end -}}

{{/* Host of a service inside the cluster: what callers use, and what its certificate names. */}}
{{- define "mahjong.host" -}}
{{ include "mahjong.name" . }}.{{ .root.Release.Namespace }}.svc
{{- end -}}

{{- define "mahjong.tlsSecret" -}}
{{- get .root.Values.tls.secretNames .name | default (printf "%s-tls" (include "mahjong.name" .)) -}}
{{- end -}}

{{/* The Secret with the service key and the bundled stores' passwords, where the chart makes them. */}}
{{- define "mahjong.generatedSecret" -}}
{{ include "mahjong.fullname" . }}-generated
{{- end -}}
