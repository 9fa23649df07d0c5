{{- define "pdp.name" -}}{{ .Release.Name }}{{- end }}
{{- define "pdp.image" -}}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{- end }}
{{- define "pdp.labels" -}}
app.kubernetes.io/part-of: pdp
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
{{- define "pdp.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
{{- end }}
{{- define "pdp.config" -}}
{{- if .Values.onap.enabled }}
config.json: |
{{ .Files.Get "onap/config.json" | indent 2 }}
{{- else }}
pdp.yaml: |
{{ .Values.config | indent 2 }}
{{- end }}
{{- end }}
{{- define "pdp.pod.security" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}
{{- define "pdp.container.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
{{- /* A variable from a Secret: list NAME SECRET KEY */ -}}
{{- define "pdp.secret" }}
- name: {{ index . 0 }}
  valueFrom:
    secretKeyRef:
      name: {{ index . 1 }}
      key: {{ index . 2 }}
{{- end }}
