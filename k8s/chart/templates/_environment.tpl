{{- /* The variables of the service, or nothing. */ -}}
{{- define "pdp.environment" }}
{{- $credentials := .Values.credentials }}
{{- if .Values.onap.enabled }}
env:
  {{- range $who, $secret := dict "RESTSERVER" "restserver" "API" "api" "SQL" "db" }}
  {{- include "pdp.secret" (list (print $who "_USER") (printf "policy-xacml-pdp-%s-creds" $secret) "login") | indent 2 }}
  {{- include "pdp.secret" (list (print $who "_PASSWORD") (printf "policy-xacml-pdp-%s-creds" $secret) "password") | indent 2 }}
  {{- end }}
  # ONAP's own table. A password with @ : / ? # or % is written in its %XX form.
  - name: PDP_HISTORY__URL
    value: postgres://$(SQL_USER):$(SQL_PASSWORD)@postgres-service:5432/operationshistory
  # As ONAP's: it starts without the database, and is not ready until it answers.
  - name: PDP_HISTORY__REQUIRED
    value: "false"
  - name: PDP_SERVER__DRAIN
    value: 10s
{{- else if or $credentials.secret .Values.history.secret .Values.tls.secret }}
env:
  {{- if $credentials.secret }}
  {{- include "pdp.secret" (list "PDP_AUTH__USER" $credentials.secret $credentials.userKey) | indent 2 }}
  {{- include "pdp.secret" (list "PDP_AUTH__PASSWORD" $credentials.secret $credentials.passwordKey) | indent 2 }}
  {{- end }}
  {{- if .Values.history.secret }}
  - name: PDP_HISTORY__URL_FILE
    value: /run/secrets/pdp-history/url
  {{- end }}
  {{- if .Values.tls.secret }}
  - name: PDP_SERVER__TLS__CERT
    value: /run/secrets/pdp-tls/tls.crt
  - name: PDP_SERVER__TLS__KEY
    value: /run/secrets/pdp-tls/tls.key
  {{- end }}
{{- end }}
{{- end }}
