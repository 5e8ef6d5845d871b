{{/* Labels of every object. */}}
{{- define "gangway.labels" -}}
app.kubernetes.io/part-of: gangway
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* Labels of pods, and what selects them. The argument is the component. */}}
{{- define "gangway.podLabels" -}}
app.kubernetes.io/name: gangway
app.kubernetes.io/component: {{ . }}
{{- end }}

{{- define "gangway.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "gangway.podSecurity" -}}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  # Secrets are readable by this group.
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "gangway.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* The shared probes of api and support site. */}}
{{- define "gangway.httpProbes" -}}
# A pod that cannot reach database and Temporal takes no place of one that can: a rollout with a wrong setting stops here.
startupProbe:
  httpGet:
    path: /healthz/ready
    port: http
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 120
# Not /healthz/ready: while Temporal is away most calls are answered, and no pod could answer if all were taken out.
readinessProbe:
  httpGet:
    path: /healthz/live
    port: http
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
livenessProbe:
  httpGet:
    path: /healthz/live
    port: http
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
lifecycle:
  preStop:
    # Meanwhile the service sends no more requests here.
    sleep:
      seconds: 5
{{- end }}

{{/*
The pod template of a process. Arguments: root, component, values (of the component), graceSeconds, and texts in YAML: env, ports, probes.
*/}}
{{- define "gangway.podTemplate" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "gangway.podLabels" .component | nindent 4 }}
  annotations:
    # Pods are replaced in turn when a setting changes.
    checksum/settings: {{ toJson (list $root.Values.settings .values.settings) | sha256sum }}
spec:
  serviceAccountName: gangway
  automountServiceAccountToken: {{ $root.Values.serviceAccount.automountToken }}
  {{- include "gangway.podSecurity" $root | nindent 2 }}
  terminationGracePeriodSeconds: {{ .graceSeconds }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "gangway.podLabels" $.component | nindent 10 }}
    {{- end }}
  containers:
    - name: {{ .component }}
      {{- include "gangway.image" $root | nindent 6 }}
      command: [node, programs/{{ .component }}.mjs]
      envFrom:
        - configMapRef:
            name: gangway-settings
        - configMapRef:
            name: gangway-{{ .component }}-settings
      env:
        {{- .env | nindent 8 }}
        {{- if $root.Values.payloadKey.enabled }}
        - name: TEMPORAL_PAYLOAD_KEY_FILE
          value: /run/secrets/temporal/payload-key
        {{- end }}
      ports:
        {{- .ports | nindent 8 }}
        - name: metrics
          containerPort: {{ $root.Values.settings.METRICS_PORT }}
        - name: sdk-metrics
          containerPort: {{ $root.Values.settings.TEMPORAL_METRICS_PORT }}
      {{- .probes | nindent 6 }}
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      {{- include "gangway.containerSecurity" $root | nindent 6 }}
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        # Folders, not single files by subPath: those would never change.
        - name: database
          mountPath: /run/secrets/database
          readOnly: true
        - name: parties
          mountPath: /run/parties
          readOnly: true
        {{- if $root.Values.payloadKey.enabled }}
        - name: temporal
          mountPath: /run/secrets/temporal
          readOnly: true
        {{- end }}
  volumes:
    - name: tmp
      emptyDir:
        medium: Memory
        sizeLimit: 64Mi
    - name: database
      secret:
        secretName: gangway-database
        defaultMode: 0440
    - name: parties
      secret:
        secretName: gangway-{{ .component }}
        defaultMode: 0440
        optional: true
    {{- if $root.Values.payloadKey.enabled }}
    - name: temporal
      secret:
        secretName: gangway-temporal
        defaultMode: 0440
    {{- end }}
{{- end }}

{{/* What a Deployment says besides its pods. The argument is the component. */}}
{{- define "gangway.rollout" -}}
revisionHistoryLimit: 3
strategy:
  type: RollingUpdate
  rollingUpdate:
    maxSurge: 1
    maxUnavailable: 0
selector:
  matchLabels:
    {{- include "gangway.podLabels" . | nindent 4 }}
{{- end }}

{{/* Arguments: root, component. */}}
{{- define "gangway.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .component }}
  labels:
    {{- include "gangway.podLabels" .component | nindent 4 }}
    {{- include "gangway.labels" .root | nindent 4 }}
spec:
  selector:
    {{- include "gangway.podLabels" .component | nindent 4 }}
  ports:
    - name: http
      port: 80
      targetPort: http
{{- end }}

{{/* Arguments: root, component. */}}
{{- define "gangway.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .component }}
  labels:
    {{- include "gangway.labels" .root | nindent 4 }}
spec:
  maxUnavailable: 1
  # A pod that does not come up must not hold up the emptying of its node.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "gangway.podLabels" .component | nindent 6 }}
{{- end }}
