{{- define "gang-scheduler.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "gang-scheduler.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "gang-scheduler.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "gang-scheduler.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Names of objects that belong to no namespace: two releases may be installed. */}}
{{- define "gang-scheduler.clusterName" -}}
{{- printf "%s-%s" .Release.Namespace (include "gang-scheduler.fullname" .) -}}
{{- end -}}

{{- define "gang-scheduler.selector" -}}
app.kubernetes.io/name: {{ include "gang-scheduler.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gang-scheduler.labels" -}}
{{ include "gang-scheduler.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "gang-scheduler.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "gang-scheduler.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- required "serviceAccount.name is needed when serviceAccount.create is false" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "gang-scheduler.image" -}}
{{- $repository := .Values.image.repository -}}
{{- if .Values.image.registry -}}
{{- $repository = printf "%s/%s" .Values.image.registry $repository -}}
{{- end -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* Every release has a Lease of its own. */}}
{{- define "gang-scheduler.leaseName" -}}
{{- dig "leaderElection" "leaseName" "" .Values.config | default (include "gang-scheduler.fullname" .) -}}
{{- end -}}

{{/* The file as the program reads it. */}}
{{- define "gang-scheduler.config" -}}
{{- $head := dict "apiVersion" "config.gang-scheduler/v1alpha1" "kind" "SchedulerConfiguration" -}}
{{- if .Values.seal.enabled -}}
{{- $head = set $head "seal" (dict "keyFile" "/etc/gang-scheduler-seal/key") -}}
{{- end -}}
{{- if include "gang-scheduler.api" . -}}
{{- $name := include "gang-scheduler.fullname" . -}}
{{- $service := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) -}}
{{- $hosts := concat $service (dig "api" "hosts" list .Values.config) | uniq -}}
{{- $head = set $head "api" (dict "enabled" true "listen" (include "gang-scheduler.apiListen" .) "hosts" $hosts) -}}
{{- end -}}
{{- if and (include "gang-scheduler.elects" .) (ne (include "gang-scheduler.leaseName" .) "gang-scheduler") -}}
{{- $head = set $head "leaderElection" (dict "leaseName" (include "gang-scheduler.leaseName" .)) -}}
{{- end -}}
{{- toYaml (merge $head .Values.config) -}}
{{- end -}}

{{/* What of the file only a new process takes over: a change of the rest restarts nobody. */}}
{{- define "gang-scheduler.fixedConfig" -}}
{{- $fixed := omit (fromYaml (include "gang-scheduler.config" .)) "queues" "placement" "backfill" "fairShare" "preemption" "nodes" -}}
{{- $live := dict "gang" (list "orphanExecutors" "maxGangSize" "dynamicAllocation" "neverRunning" "missingExecutors") "logging" (list "level") -}}
{{- range $section, $keys := $live -}}
{{- if hasKey $fixed $section -}}
{{- $rest := get $fixed $section -}}
{{- range $keys -}}
{{- $rest = omit $rest . -}}
{{- end -}}
{{- $fixed = omit $fixed $section -}}
{{- if $rest -}}
{{- $fixed = set $fixed $section $rest -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $fixed -}}
{{- end -}}

{{- define "gang-scheduler.api" -}}
{{- if dig "api" "enabled" false .Values.config -}}
true
{{- end -}}
{{- end -}}

{{- define "gang-scheduler.apiListen" -}}
{{- dig "api" "listen" ":10353" .Values.config -}}
{{- end -}}

{{/* The port of the page and its JSON; nothing where it is off, or where loopback alone is listened on. */}}
{{- define "gang-scheduler.apiPort" -}}
{{- $listen := include "gang-scheduler.apiListen" . -}}
{{- if include "gang-scheduler.api" . -}}
{{- if not (regexMatch ":[1-9][0-9]*$" $listen) -}}
{{- fail (printf "config.api.listen is %q: ADDRESS:PORT or :PORT is needed there" $listen) -}}
{{- end -}}
{{- $port := regexFind "[0-9]+$" $listen -}}
{{- if eq $port (include "gang-scheduler.port" .) -}}
{{- fail (printf "config.api.listen and config.server.listen both have port %s" $port) -}}
{{- end -}}
{{- if not (regexMatch "^(127[.]|localhost:|[[]::1])" $listen) -}}
{{- $port -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "gang-scheduler.sealSecret" -}}
{{- default (printf "%s-seal" (include "gang-scheduler.fullname" .)) .Values.seal.existingSecret -}}
{{- end -}}

{{- define "gang-scheduler.port" -}}
{{- $listen := dig "server" "listen" ":10352" .Values.config -}}
{{- if not (regexMatch ":[1-9][0-9]*$" $listen) -}}
{{- fail (printf "config.server.listen is %q: the kubelet's probes need a port there" $listen) -}}
{{- end -}}
{{- regexFind "[0-9]+$" $listen -}}
{{- end -}}

{{/* Whether Spark's config maps are read at all. */}}
{{- define "gang-scheduler.readsConf" -}}
{{- if has (dig "gang" "discovery" "auto" .Values.config) (list "auto" "sparkConf") -}}
true
{{- end -}}
{{- end -}}

{{- define "gang-scheduler.elects" -}}
{{- if dig "leaderElection" "enabled" true .Values.config -}}
true
{{- else if gt (int .Values.replicas) 1 -}}
{{- fail "config.leaderElection.enabled is false: then replicas must be 1, or two schedulers decide" -}}
{{- end -}}
{{- end -}}
