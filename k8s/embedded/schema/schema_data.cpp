// Made by scripts/make_schemas.py from a real API server's OpenAPI documents; not to be edited.
// A line is a type: its name in OpenAPI, with =group/version/kind when it is an object of its own, then name:type of
// each field. Types: s text, i whole number, n number, b boolean,
// * anything, [T] list, <T> map, and the number of a line. See schema.cpp.

#include "k8s/embedded/schema/schema_data.hpp"

namespace k8s::embedded {

// clang-format off
constexpr std::array schema_lines_stored = {
std::string_view(
"io.k8s.api.core.v1.Binding=/v1/Binding apiVersion:s kind:s metadata:1 target:4"),
std::string_view(
"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta annotations:<s> creationTimestamp:s deletionGracePer"
"iodSeconds:i deletionTimestamp:s finalizers:[s] generateName:s generation:i labels:<s> managedFields"
":[2] name:s namespace:s ownerReferences:[3] resourceVersion:s selfLink:s uid:s"),
std::string_view(
"io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry apiVersion:s fieldsType:s fieldsV1:* manager"
":s operation:s subresource:s time:s"),
std::string_view(
"io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference apiVersion:s blockOwnerDeletion:b controller:b k"
"ind:s name:s uid:s"),
std::string_view(
"io.k8s.api.core.v1.ObjectReference apiVersion:s fieldPath:s kind:s name:s namespace:s resourceVersio"
"n:s uid:s"),
std::string_view(
"io.k8s.api.core.v1.ComponentStatus=/v1/ComponentStatus apiVersion:s conditions:[6] kind:s metadata:1"),
std::string_view(
"io.k8s.api.core.v1.ComponentCondition error:s message:s status:s type:s"),
std::string_view(
"io.k8s.api.core.v1.ConfigMap=/v1/ConfigMap apiVersion:s binaryData:<s> data:<s> immutable:b kind:s m"
"etadata:1"),
std::string_view(
"io.k8s.api.core.v1.Endpoints=/v1/Endpoints apiVersion:s kind:s metadata:1 subsets:[9]"),
std::string_view(
"io.k8s.api.core.v1.EndpointSubset addresses:[10] notReadyAddresses:[10] ports:[11]"),
std::string_view(
"io.k8s.api.core.v1.EndpointAddress hostname:s ip:s nodeName:s targetRef:4"),
std::string_view(
"io.k8s.api.core.v1.EndpointPort appProtocol:s name:s port:i protocol:s"),
std::string_view(
"io.k8s.api.core.v1.Event=/v1/Event action:s apiVersion:s count:i eventTime:s firstTimestamp:s involv"
"edObject:4 kind:s lastTimestamp:s message:s metadata:1 reason:s related:4 reportingComponent:s repor"
"tingInstance:s series:13 source:14 type:s"),
std::string_view(
"io.k8s.api.core.v1.EventSeries count:i lastObservedTime:s"),
std::string_view(
"io.k8s.api.core.v1.EventSource component:s host:s"),
std::string_view(
"io.k8s.api.core.v1.LimitRange=/v1/LimitRange apiVersion:s kind:s metadata:1 spec:16"),
std::string_view(
"io.k8s.api.core.v1.LimitRangeSpec limits:[17]"),
std::string_view(
"io.k8s.api.core.v1.LimitRangeItem default:<*> defaultRequest:<*> max:<*> maxLimitRequestRatio:<*> mi"
"n:<*> type:s"),
std::string_view(
"io.k8s.api.core.v1.Namespace=/v1/Namespace apiVersion:s kind:s metadata:1 spec:19 status:20"),
std::string_view(
"io.k8s.api.core.v1.NamespaceSpec finalizers:[s]"),
std::string_view(
"io.k8s.api.core.v1.NamespaceStatus conditions:[21] phase:s"),
std::string_view(
"io.k8s.api.core.v1.NamespaceCondition lastTransitionTime:s message:s reason:s status:s type:s"),
std::string_view(
"io.k8s.api.core.v1.Node=/v1/Node apiVersion:s kind:s metadata:1 spec:23 status:27"),
std::string_view(
"io.k8s.api.core.v1.NodeSpec configSource:24 externalID:s podCIDR:s podCIDRs:[s] providerID:s taints:"
"[26] unschedulable:b"),
std::string_view(
"io.k8s.api.core.v1.NodeConfigSource configMap:25"),
std::string_view(
"io.k8s.api.core.v1.ConfigMapNodeConfigSource kubeletConfigKey:s name:s namespace:s resourceVersion:s"
" uid:s"),
std::string_view(
"io.k8s.api.core.v1.Taint effect:s key:s timeAdded:s value:s"),
std::string_view(
"io.k8s.api.core.v1.NodeStatus addresses:[28] allocatable:<*> capacity:<*> conditions:[29] config:30 "
"daemonEndpoints:31 declaredFeatures:[s] features:33 images:[34] nodeInfo:35 phase:s runtimeHandlers:"
"[37] volumesAttached:[39] volumesInUse:[s]"),
std::string_view(
"io.k8s.api.core.v1.NodeAddress address:s type:s"),
std::string_view(
"io.k8s.api.core.v1.NodeCondition lastHeartbeatTime:s lastTransitionTime:s message:s reason:s status:"
"s type:s"),
std::string_view(
"io.k8s.api.core.v1.NodeConfigStatus active:24 assigned:24 error:s lastKnownGood:24"),
std::string_view(
"io.k8s.api.core.v1.NodeDaemonEndpoints kubeletEndpoint:32"),
std::string_view(
"io.k8s.api.core.v1.DaemonEndpoint Port:i"),
std::string_view(
"io.k8s.api.core.v1.NodeFeatures supplementalGroupsPolicy:b"),
std::string_view(
"io.k8s.api.core.v1.ContainerImage names:[s] sizeBytes:i"),
std::string_view(
"io.k8s.api.core.v1.NodeSystemInfo architecture:s bootID:s containerRuntimeVersion:s kernelVersion:s "
"kubeProxyVersion:s kubeletVersion:s machineID:s operatingSystem:s osImage:s swap:36 systemUUID:s"),
std::string_view(
"io.k8s.api.core.v1.NodeSwapStatus capacity:i"),
std::string_view(
"io.k8s.api.core.v1.NodeRuntimeHandler features:38 name:s"),
std::string_view(
"io.k8s.api.core.v1.NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:b userNamespaces:b"),
std::string_view(
"io.k8s.api.core.v1.AttachedVolume devicePath:s name:s"),
std::string_view(
"io.k8s.api.core.v1.PersistentVolume=/v1/PersistentVolume apiVersion:s kind:s metadata:1 spec:41 stat"
"us:69"),
std::string_view(
"io.k8s.api.core.v1.PersistentVolumeSpec accessModes:[s] awsElasticBlockStore:42 azureDisk:43 azureFi"
"le:44 capacity:<*> cephfs:45 cinder:47 claimRef:4 csi:48 fc:49 flexVolume:50 flocker:51 gcePersisten"
"tDisk:52 glusterfs:53 hostPath:54 iscsi:55 local:56 mountOptions:[s] nfs:57 nodeAffinity:58 persiste"
"ntVolumeReclaimPolicy:s photonPersistentDisk:62 portworxVolume:63 quobyte:64 rbd:65 scaleIO:66 stora"
"geClassName:s storageos:67 volumeAttributesClassName:s volumeMode:s vsphereVolume:68"),
std::string_view(
"io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource fsType:s partition:i readOnly:b volumeID:s"),
std::string_view(
"io.k8s.api.core.v1.AzureDiskVolumeSource cachingMode:s diskName:s diskURI:s fsType:s kind:s readOnly"
":b"),
std::string_view(
"io.k8s.api.core.v1.AzureFilePersistentVolumeSource readOnly:b secretName:s secretNamespace:s shareNa"
"me:s"),
std::string_view(
"io.k8s.api.core.v1.CephFSPersistentVolumeSource monitors:[s] path:s readOnly:b secretFile:s secretRe"
"f:46 user:s"),
std::string_view(
"io.k8s.api.core.v1.SecretReference name:s namespace:s"),
std::string_view(
"io.k8s.api.core.v1.CinderPersistentVolumeSource fsType:s readOnly:b secretRef:46 volumeID:s"),
std::string_view(
"io.k8s.api.core.v1.CSIPersistentVolumeSource controllerExpandSecretRef:46 controllerPublishSecretRef"
":46 driver:s fsType:s nodeExpandSecretRef:46 nodePublishSecretRef:46 nodeStageSecretRef:46 readOnly:"
"b volumeAttributes:<s> volumeHandle:s"),
std::string_view(
"io.k8s.api.core.v1.FCVolumeSource fsType:s lun:i readOnly:b targetWWNs:[s] wwids:[s]"),
std::string_view(
"io.k8s.api.core.v1.FlexPersistentVolumeSource driver:s fsType:s options:<s> readOnly:b secretRef:46"),
std::string_view(
"io.k8s.api.core.v1.FlockerVolumeSource datasetName:s datasetUUID:s"),
std::string_view(
"io.k8s.api.core.v1.GCEPersistentDiskVolumeSource fsType:s partition:i pdName:s readOnly:b"),
std::string_view(
"io.k8s.api.core.v1.GlusterfsPersistentVolumeSource endpoints:s endpointsNamespace:s path:s readOnly:"
"b"),
std::string_view(
"io.k8s.api.core.v1.HostPathVolumeSource path:s type:s"),
std::string_view(
"io.k8s.api.core.v1.ISCSIPersistentVolumeSource chapAuthDiscovery:b chapAuthSession:b fsType:s initia"
"torName:s iqn:s iscsiInterface:s lun:i portals:[s] readOnly:b secretRef:46 targetPortal:s"),
std::string_view(
"io.k8s.api.core.v1.LocalVolumeSource fsType:s path:s"),
std::string_view(
"io.k8s.api.core.v1.NFSVolumeSource path:s readOnly:b server:s"),
std::string_view(
"io.k8s.api.core.v1.VolumeNodeAffinity required:59"),
std::string_view(
"io.k8s.api.core.v1.NodeSelector nodeSelectorTerms:[60]"),
std::string_view(
"io.k8s.api.core.v1.NodeSelectorTerm matchExpressions:[61] matchFields:[61]"),
std::string_view(
"io.k8s.api.core.v1.NodeSelectorRequirement key:s operator:s values:[s]"),
std::string_view(
"io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource fsType:s pdID:s"),
std::string_view(
"io.k8s.api.core.v1.PortworxVolumeSource fsType:s readOnly:b volumeID:s"),
std::string_view(
"io.k8s.api.core.v1.QuobyteVolumeSource group:s readOnly:b registry:s tenant:s user:s volume:s"),
std::string_view(
"io.k8s.api.core.v1.RBDPersistentVolumeSource fsType:s image:s keyring:s monitors:[s] pool:s readOnly"
":b secretRef:46 user:s"),
std::string_view(
"io.k8s.api.core.v1.ScaleIOPersistentVolumeSource fsType:s gateway:s protectionDomain:s readOnly:b se"
"cretRef:46 sslEnabled:b storageMode:s storagePool:s system:s volumeName:s"),
std::string_view(
"io.k8s.api.core.v1.StorageOSPersistentVolumeSource fsType:s readOnly:b secretRef:4 volumeName:s volu"
"meNamespace:s"),
std::string_view(
"io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource fsType:s storagePolicyID:s storagePolicyName:s vol"
"umePath:s"),
std::string_view(
"io.k8s.api.core.v1.PersistentVolumeStatus lastPhaseTransitionTime:s message:s phase:s reason:s"),
std::string_view(
"io.k8s.api.core.v1.PersistentVolumeClaim=/v1/PersistentVolumeClaim apiVersion:s kind:s metadata:1 sp"
"ec:71 status:77"),
std::string_view(
"io.k8s.api.core.v1.PersistentVolumeClaimSpec accessModes:[s] dataSource:72 dataSourceRef:73 resource"
"s:74 selector:75 storageClassName:s volumeAttributesClassName:s volumeMode:s volumeName:s"),
std::string_view(
"io.k8s.api.core.v1.TypedLocalObjectReference apiGroup:s kind:s name:s"),
std::string_view(
"io.k8s.api.core.v1.TypedObjectReference apiGroup:s kind:s name:s namespace:s"),
std::string_view(
"io.k8s.api.core.v1.VolumeResourceRequirements limits:<*> requests:<*>"),
std::string_view(
"io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector matchExpressions:[76] matchLabels:<s>"),
std::string_view(
"io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement key:s operator:s values:[s]"),
std::string_view(
"io.k8s.api.core.v1.PersistentVolumeClaimStatus accessModes:[s] allocatedResourceStatuses:<s> allocat"
"edResources:<*> capacity:<*> conditions:[78] currentVolumeAttributesClassName:s modifyVolumeStatus:7"
"9 phase:s"),
std::string_view(
"io.k8s.api.core.v1.PersistentVolumeClaimCondition lastProbeTime:s lastTransitionTime:s message:s rea"
"son:s status:s type:s"),
std::string_view(
"io.k8s.api.core.v1.ModifyVolumeStatus status:s targetVolumeAttributesClassName:s"),
std::string_view(
"io.k8s.api.core.v1.Pod=/v1/Pod apiVersion:s kind:s metadata:1 spec:81 status:167"),
std::string_view(
"io.k8s.api.core.v1.PodSpec activeDeadlineSeconds:i affinity:82 automountServiceAccountToken:b contai"
"ners:[89] dnsConfig:123 dnsPolicy:s enableServiceLinks:b ephemeralContainers:[125] hostAliases:[126]"
" hostIPC:b hostNetwork:b hostPID:b hostUsers:b hostname:s hostnameOverride:s imagePullSecrets:[127] "
"initContainers:[89] nodeName:s nodeSelector:<s> os:128 overhead:<*> preemptionPolicy:s priority:i pr"
"iorityClassName:s readinessGates:[129] resourceClaims:[130] resources:111 restartPolicy:s runtimeCla"
"ssName:s schedulerName:s schedulingGates:[131] schedulingGroup:132 securityContext:133 serviceAccoun"
"t:s serviceAccountName:s setHostnameAsFQDN:b shareProcessNamespace:b subdomain:s terminationGracePer"
"iodSeconds:i tolerations:[135] topologySpreadConstraints:[136] volumes:[137]"),
std::string_view(
"io.k8s.api.core.v1.Affinity nodeAffinity:83 podAffinity:85 podAntiAffinity:88"),
std::string_view(
"io.k8s.api.core.v1.NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:[84] requiredDuringS"
"chedulingIgnoredDuringExecution:59"),
std::string_view(
"io.k8s.api.core.v1.PreferredSchedulingTerm preference:60 weight:i"),
std::string_view(
"io.k8s.api.core.v1.PodAffinity preferredDuringSchedulingIgnoredDuringExecution:[86] requiredDuringSc"
"hedulingIgnoredDuringExecution:[87]"),
std::string_view(
"io.k8s.api.core.v1.WeightedPodAffinityTerm podAffinityTerm:87 weight:i"),
std::string_view(
"io.k8s.api.core.v1.PodAffinityTerm labelSelector:75 matchLabelKeys:[s] mismatchLabelKeys:[s] namespa"
"ceSelector:75 namespaces:[s] topologyKey:s"),
std::string_view(
"io.k8s.api.core.v1.PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution:[86] requiredDuri"
"ngSchedulingIgnoredDuringExecution:[87]"),
std::string_view(
"io.k8s.api.core.v1.Container args:[s] command:[s] env:[90] envFrom:[97] image:s imagePullPolicy:s li"
"fecycle:100 livenessProbe:107 name:s ports:[109] readinessProbe:107 resizePolicy:[110] resources:111"
" restartPolicy:s restartPolicyRules:[113] securityContext:115 startupProbe:107 stdin:b stdinOnce:b t"
"erminationMessagePath:s terminationMessagePolicy:s tty:b volumeDevices:[121] volumeMounts:[122] work"
"ingDir:s"),
std::string_view(
"io.k8s.api.core.v1.EnvVar name:s value:s valueFrom:91"),
std::string_view(
"io.k8s.api.core.v1.EnvVarSource configMapKeyRef:92 fieldRef:93 fileKeyRef:94 resourceFieldRef:95 sec"
"retKeyRef:96"),
std::string_view(
"io.k8s.api.core.v1.ConfigMapKeySelector key:s name:s optional:b"),
std::string_view(
"io.k8s.api.core.v1.ObjectFieldSelector apiVersion:s fieldPath:s"),
std::string_view(
"io.k8s.api.core.v1.FileKeySelector key:s optional:b path:s volumeName:s"),
std::string_view(
"io.k8s.api.core.v1.ResourceFieldSelector containerName:s divisor:* resource:s"),
std::string_view(
"io.k8s.api.core.v1.SecretKeySelector key:s name:s optional:b"),
std::string_view(
"io.k8s.api.core.v1.EnvFromSource configMapRef:98 prefix:s secretRef:99"),
std::string_view(
"io.k8s.api.core.v1.ConfigMapEnvSource name:s optional:b"),
std::string_view(
"io.k8s.api.core.v1.SecretEnvSource name:s optional:b"),
std::string_view(
"io.k8s.api.core.v1.Lifecycle postStart:101 preStop:101 stopSignal:s"),
std::string_view(
"io.k8s.api.core.v1.LifecycleHandler exec:102 httpGet:103 sleep:105 tcpSocket:106"),
std::string_view(
"io.k8s.api.core.v1.ExecAction command:[s]"),
std::string_view(
"io.k8s.api.core.v1.HTTPGetAction host:s httpHeaders:[104] path:s port:* scheme:s"),
std::string_view(
"io.k8s.api.core.v1.HTTPHeader name:s value:s"),
std::string_view(
"io.k8s.api.core.v1.SleepAction seconds:i"),
std::string_view(
"io.k8s.api.core.v1.TCPSocketAction host:s port:*"),
std::string_view(
"io.k8s.api.core.v1.Probe exec:102 failureThreshold:i grpc:108 httpGet:103 initialDelaySeconds:i peri"
"odSeconds:i successThreshold:i tcpSocket:106 terminationGracePeriodSeconds:i timeoutSeconds:i"),
std::string_view(
"io.k8s.api.core.v1.GRPCAction port:i service:s"),
std::string_view(
"io.k8s.api.core.v1.ContainerPort containerPort:i hostIP:s hostPort:i name:s protocol:s"),
std::string_view(
"io.k8s.api.core.v1.ContainerResizePolicy resourceName:s restartPolicy:s"),
std::string_view(
"io.k8s.api.core.v1.ResourceRequirements claims:[112] limits:<*> requests:<*>"),
std::string_view(
"io.k8s.api.core.v1.ResourceClaim name:s request:s"),
std::string_view(
"io.k8s.api.core.v1.ContainerRestartRule action:s exitCodes:114"),
std::string_view(
"io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes operator:s values:[i]"),
std::string_view(
"io.k8s.api.core.v1.SecurityContext allowPrivilegeEscalation:b appArmorProfile:116 capabilities:117 p"
"rivileged:b procMount:s readOnlyRootFilesystem:b runAsGroup:i runAsNonRoot:b runAsUser:i seLinuxOpti"
"ons:118 seccompProfile:119 windowsOptions:120"),
std::string_view(
"io.k8s.api.core.v1.AppArmorProfile localhostProfile:s type:s"),
std::string_view(
"io.k8s.api.core.v1.Capabilities add:[s] drop:[s]"),
std::string_view(
"io.k8s.api.core.v1.SELinuxOptions level:s role:s type:s user:s"),
std::string_view(
"io.k8s.api.core.v1.SeccompProfile localhostProfile:s type:s"),
std::string_view(
"io.k8s.api.core.v1.WindowsSecurityContextOptions gmsaCredentialSpec:s gmsaCredentialSpecName:s hostP"
"rocess:b runAsUserName:s"),
std::string_view(
"io.k8s.api.core.v1.VolumeDevice devicePath:s name:s"),
std::string_view(
"io.k8s.api.core.v1.VolumeMount mountPath:s mountPropagation:s name:s readOnly:b recursiveReadOnly:s "
"subPath:s subPathExpr:s"),
std::string_view(
"io.k8s.api.core.v1.PodDNSConfig nameservers:[s] options:[124] searches:[s]"),
std::string_view(
"io.k8s.api.core.v1.PodDNSConfigOption name:s value:s"),
std::string_view(
"io.k8s.api.core.v1.EphemeralContainer args:[s] command:[s] env:[90] envFrom:[97] image:s imagePullPo"
"licy:s lifecycle:100 livenessProbe:107 name:s ports:[109] readinessProbe:107 resizePolicy:[110] reso"
"urces:111 restartPolicy:s restartPolicyRules:[113] securityContext:115 startupProbe:107 stdin:b stdi"
"nOnce:b targetContainerName:s terminationMessagePath:s terminationMessagePolicy:s tty:b volumeDevice"
"s:[121] volumeMounts:[122] workingDir:s"),
std::string_view(
"io.k8s.api.core.v1.HostAlias hostnames:[s] ip:s"),
std::string_view(
"io.k8s.api.core.v1.LocalObjectReference name:s"),
std::string_view(
"io.k8s.api.core.v1.PodOS name:s"),
std::string_view(
"io.k8s.api.core.v1.PodReadinessGate conditionType:s"),
std::string_view(
"io.k8s.api.core.v1.PodResourceClaim name:s resourceClaimName:s resourceClaimTemplateName:s"),
std::string_view(
"io.k8s.api.core.v1.PodSchedulingGate name:s"),
std::string_view(
"io.k8s.api.core.v1.PodSchedulingGroup podGroupName:s"),
std::string_view(
"io.k8s.api.core.v1.PodSecurityContext appArmorProfile:116 fsGroup:i fsGroupChangePolicy:s runAsGroup"
":i runAsNonRoot:b runAsUser:i seLinuxChangePolicy:s seLinuxOptions:118 seccompProfile:119 supplement"
"alGroups:[i] supplementalGroupsPolicy:s sysctls:[134] windowsOptions:120"),
std::string_view(
"io.k8s.api.core.v1.Sysctl name:s value:s"),
std::string_view(
"io.k8s.api.core.v1.Toleration effect:s key:s operator:s tolerationSeconds:i value:s"),
std::string_view(
"io.k8s.api.core.v1.TopologySpreadConstraint labelSelector:75 matchLabelKeys:[s] maxSkew:i minDomains"
":i nodeAffinityPolicy:s nodeTaintsPolicy:s topologyKey:s whenUnsatisfiable:s"),
std::string_view(
"io.k8s.api.core.v1.Volume awsElasticBlockStore:42 azureDisk:43 azureFile:138 cephfs:139 cinder:140 c"
"onfigMap:141 csi:143 downwardAPI:144 emptyDir:146 ephemeral:147 fc:49 flexVolume:149 flocker:51 gceP"
"ersistentDisk:52 gitRepo:150 glusterfs:151 hostPath:54 image:152 iscsi:153 name:s nfs:57 persistentV"
"olumeClaim:154 photonPersistentDisk:62 portworxVolume:63 projected:155 quobyte:64 rbd:163 scaleIO:16"
"4 secret:165 storageos:166 vsphereVolume:68"),
std::string_view(
"io.k8s.api.core.v1.AzureFileVolumeSource readOnly:b secretName:s shareName:s"),
std::string_view(
"io.k8s.api.core.v1.CephFSVolumeSource monitors:[s] path:s readOnly:b secretFile:s secretRef:127 user"
":s"),
std::string_view(
"io.k8s.api.core.v1.CinderVolumeSource fsType:s readOnly:b secretRef:127 volumeID:s"),
std::string_view(
"io.k8s.api.core.v1.ConfigMapVolumeSource defaultMode:i items:[142] name:s optional:b"),
std::string_view(
"io.k8s.api.core.v1.KeyToPath key:s mode:i path:s"),
std::string_view(
"io.k8s.api.core.v1.CSIVolumeSource driver:s fsType:s nodePublishSecretRef:127 readOnly:b volumeAttri"
"butes:<s>"),
std::string_view(
"io.k8s.api.core.v1.DownwardAPIVolumeSource defaultMode:i items:[145]"),
std::string_view(
"io.k8s.api.core.v1.DownwardAPIVolumeFile fieldRef:93 mode:i path:s resourceFieldRef:95"),
std::string_view(
"io.k8s.api.core.v1.EmptyDirVolumeSource medium:s sizeLimit:*"),
std::string_view(
"io.k8s.api.core.v1.EphemeralVolumeSource volumeClaimTemplate:148"),
std::string_view(
"io.k8s.api.core.v1.PersistentVolumeClaimTemplate metadata:1 spec:71"),
std::string_view(
"io.k8s.api.core.v1.FlexVolumeSource driver:s fsType:s options:<s> readOnly:b secretRef:127"),
std::string_view(
"io.k8s.api.core.v1.GitRepoVolumeSource directory:s repository:s revision:s"),
std::string_view(
"io.k8s.api.core.v1.GlusterfsVolumeSource endpoints:s path:s readOnly:b"),
std::string_view(
"io.k8s.api.core.v1.ImageVolumeSource pullPolicy:s reference:s"),
std::string_view(
"io.k8s.api.core.v1.ISCSIVolumeSource chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s "
"iqn:s iscsiInterface:s lun:i portals:[s] readOnly:b secretRef:127 targetPortal:s"),
std::string_view(
"io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource claimName:s readOnly:b"),
std::string_view(
"io.k8s.api.core.v1.ProjectedVolumeSource defaultMode:i sources:[156]"),
std::string_view(
"io.k8s.api.core.v1.VolumeProjection clusterTrustBundle:157 configMap:158 downwardAPI:159 podCertific"
"ate:160 secret:161 serviceAccountToken:162"),
std::string_view(
"io.k8s.api.core.v1.ClusterTrustBundleProjection labelSelector:75 name:s optional:b path:s signerName"
":s"),
std::string_view(
"io.k8s.api.core.v1.ConfigMapProjection items:[142] name:s optional:b"),
std::string_view(
"io.k8s.api.core.v1.DownwardAPIProjection items:[145]"),
std::string_view(
"io.k8s.api.core.v1.PodCertificateProjection certificateChainPath:s credentialBundlePath:s keyPath:s "
"keyType:s maxExpirationSeconds:i signerName:s userAnnotations:<s>"),
std::string_view(
"io.k8s.api.core.v1.SecretProjection items:[142] name:s optional:b"),
std::string_view(
"io.k8s.api.core.v1.ServiceAccountTokenProjection audience:s expirationSeconds:i path:s"),
std::string_view(
"io.k8s.api.core.v1.RBDVolumeSource fsType:s image:s keyring:s monitors:[s] pool:s readOnly:b secretR"
"ef:127 user:s"),
std::string_view(
"io.k8s.api.core.v1.ScaleIOVolumeSource fsType:s gateway:s protectionDomain:s readOnly:b secretRef:12"
"7 sslEnabled:b storageMode:s storagePool:s system:s volumeName:s"),
std::string_view(
"io.k8s.api.core.v1.SecretVolumeSource defaultMode:i items:[142] optional:b secretName:s"),
std::string_view(
"io.k8s.api.core.v1.StorageOSVolumeSource fsType:s readOnly:b secretRef:127 volumeName:s volumeNamesp"
"ace:s"),
std::string_view(
"io.k8s.api.core.v1.PodStatus allocatedResources:<*> conditions:[168] containerStatuses:[169] ephemer"
"alContainerStatuses:[169] extendedResourceClaimStatus:181 hostIP:s hostIPs:[183] initContainerStatus"
"es:[169] message:s nodeAllocatableResourceClaimStatuses:[184] nominatedNodeName:s observedGeneration"
":i phase:s podIP:s podIPs:[185] qosClass:s reason:s resize:s resourceClaimStatuses:[186] resources:1"
"11 startTime:s"),
std::string_view(
"io.k8s.api.core.v1.PodCondition lastProbeTime:s lastTransitionTime:s message:s observedGeneration:i "
"reason:s status:s type:s"),
std::string_view(
"io.k8s.api.core.v1.ContainerStatus allocatedResources:<*> allocatedResourcesStatus:[170] containerID"
":s image:s imageID:s lastState:172 name:s ready:b resources:111 restartCount:i started:b state:172 s"
"topSignal:s user:176 volumeMounts:[178]"),
std::string_view(
"io.k8s.api.core.v1.ResourceStatus name:s resources:[171]"),
std::string_view(
"io.k8s.api.core.v1.ResourceHealth health:s message:s resourceID:s"),
std::string_view(
"io.k8s.api.core.v1.ContainerState running:173 terminated:174 waiting:175"),
std::string_view(
"io.k8s.api.core.v1.ContainerStateRunning startedAt:s"),
std::string_view(
"io.k8s.api.core.v1.ContainerStateTerminated containerID:s exitCode:i finishedAt:s message:s reason:s"
" signal:i startedAt:s"),
std::string_view(
"io.k8s.api.core.v1.ContainerStateWaiting message:s reason:s"),
std::string_view(
"io.k8s.api.core.v1.ContainerUser linux:177"),
std::string_view(
"io.k8s.api.core.v1.LinuxContainerUser gid:i supplementalGroups:[i] uid:i"),
std::string_view(
"io.k8s.api.core.v1.VolumeMountStatus mountPath:s name:s readOnly:b recursiveReadOnly:s volumeStatus:"
"179"),
std::string_view(
"io.k8s.api.core.v1.VolumeStatus image:180"),
std::string_view(
"io.k8s.api.core.v1.ImageVolumeStatus imageRef:s"),
std::string_view(
"io.k8s.api.core.v1.PodExtendedResourceClaimStatus requestMappings:[182] resourceClaimName:s"),
std::string_view(
"io.k8s.api.core.v1.ContainerExtendedResourceRequest containerName:s requestName:s resourceName:s"),
std::string_view(
"io.k8s.api.core.v1.HostIP ip:s"),
std::string_view(
"io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus containers:[s] resourceClaimName:s resources:<"
"*>"),
std::string_view(
"io.k8s.api.core.v1.PodIP ip:s"),
std::string_view(
"io.k8s.api.core.v1.PodResourceClaimStatus name:s resourceClaimName:s"),
std::string_view(
"io.k8s.api.core.v1.PodTemplate=/v1/PodTemplate apiVersion:s kind:s metadata:1 template:188"),
std::string_view(
"io.k8s.api.core.v1.PodTemplateSpec metadata:1 spec:81"),
std::string_view(
"io.k8s.api.core.v1.ReplicationController=/v1/ReplicationController apiVersion:s kind:s metadata:1 sp"
"ec:190 status:191"),
std::string_view(
"io.k8s.api.core.v1.ReplicationControllerSpec minReadySeconds:i replicas:i selector:<s> template:188"),
std::string_view(
"io.k8s.api.core.v1.ReplicationControllerStatus availableReplicas:i conditions:[192] fullyLabeledRepl"
"icas:i observedGeneration:i readyReplicas:i replicas:i"),
std::string_view(
"io.k8s.api.core.v1.ReplicationControllerCondition lastTransitionTime:s message:s reason:s status:s t"
"ype:s"),
std::string_view(
"io.k8s.api.core.v1.ResourceQuota=/v1/ResourceQuota apiVersion:s kind:s metadata:1 spec:194 status:19"
"7"),
std::string_view(
"io.k8s.api.core.v1.ResourceQuotaSpec hard:<*> scopeSelector:195 scopes:[s]"),
std::string_view(
"io.k8s.api.core.v1.ScopeSelector matchExpressions:[196]"),
std::string_view(
"io.k8s.api.core.v1.ScopedResourceSelectorRequirement operator:s scopeName:s values:[s]"),
std::string_view(
"io.k8s.api.core.v1.ResourceQuotaStatus hard:<*> used:<*>"),
std::string_view(
"io.k8s.api.core.v1.Secret=/v1/Secret apiVersion:s data:<s> immutable:b kind:s metadata:1 stringData:"
"<s> type:s"),
std::string_view(
"io.k8s.api.core.v1.Service=/v1/Service apiVersion:s kind:s metadata:1 spec:200 status:204"),
std::string_view(
"io.k8s.api.core.v1.ServiceSpec allocateLoadBalancerNodePorts:b clusterIP:s clusterIPs:[s] externalIP"
"s:[s] externalName:s externalTrafficPolicy:s healthCheckNodePort:i internalTrafficPolicy:s ipFamilie"
"s:[s] ipFamilyPolicy:s loadBalancerClass:s loadBalancerIP:s loadBalancerSourceRanges:[s] ports:[201]"
" publishNotReadyAddresses:b selector:<s> sessionAffinity:s sessionAffinityConfig:202 trafficDistribu"
"tion:s type:s"),
std::string_view(
"io.k8s.api.core.v1.ServicePort appProtocol:s name:s nodePort:i port:i protocol:s targetPort:*"),
std::string_view(
"io.k8s.api.core.v1.SessionAffinityConfig clientIP:203"),
std::string_view(
"io.k8s.api.core.v1.ClientIPConfig timeoutSeconds:i"),
std::string_view(
"io.k8s.api.core.v1.ServiceStatus conditions:[205] loadBalancer:206"),
std::string_view(
"io.k8s.apimachinery.pkg.apis.meta.v1.Condition lastTransitionTime:s message:s observedGeneration:i r"
"eason:s status:s type:s"),
std::string_view(
"io.k8s.api.core.v1.LoadBalancerStatus ingress:[207]"),
std::string_view(
"io.k8s.api.core.v1.LoadBalancerIngress hostname:s ip:s ipMode:s ports:[208]"),
std::string_view(
"io.k8s.api.core.v1.PortStatus error:s port:i protocol:s"),
std::string_view(
"io.k8s.api.core.v1.ServiceAccount=/v1/ServiceAccount apiVersion:s automountServiceAccountToken:b ima"
"gePullSecrets:[127] kind:s metadata:1 secrets:[4]"),
std::string_view(
"io.k8s.api.apps.v1.ControllerRevision=apps/v1/ControllerRevision apiVersion:s data:* kind:s metadata"
":1 revision:i"),
std::string_view(
"io.k8s.api.apps.v1.DaemonSet=apps/v1/DaemonSet apiVersion:s kind:s metadata:1 spec:212 status:215"),
std::string_view(
"io.k8s.api.apps.v1.DaemonSetSpec minReadySeconds:i revisionHistoryLimit:i selector:75 template:188 u"
"pdateStrategy:213"),
std::string_view(
"io.k8s.api.apps.v1.DaemonSetUpdateStrategy rollingUpdate:214 type:s"),
std::string_view(
"io.k8s.api.apps.v1.RollingUpdateDaemonSet maxSurge:* maxUnavailable:*"),
std::string_view(
"io.k8s.api.apps.v1.DaemonSetStatus collisionCount:i conditions:[216] currentNumberScheduled:i desire"
"dNumberScheduled:i numberAvailable:i numberMisscheduled:i numberReady:i numberUnavailable:i observed"
"Generation:i updatedNumberScheduled:i"),
std::string_view(
"io.k8s.api.apps.v1.DaemonSetCondition lastTransitionTime:s message:s reason:s status:s type:s"),
std::string_view(
"io.k8s.api.apps.v1.Deployment=apps/v1/Deployment apiVersion:s kind:s metadata:1 spec:218 status:221"),
std::string_view(
"io.k8s.api.apps.v1.DeploymentSpec minReadySeconds:i paused:b progressDeadlineSeconds:i replicas:i re"
"visionHistoryLimit:i selector:75 strategy:219 template:188"),
std::string_view(
"io.k8s.api.apps.v1.DeploymentStrategy rollingUpdate:220 type:s"),
std::string_view(
"io.k8s.api.apps.v1.RollingUpdateDeployment maxSurge:* maxUnavailable:*"),
std::string_view(
"io.k8s.api.apps.v1.DeploymentStatus availableReplicas:i collisionCount:i conditions:[222] observedGe"
"neration:i readyReplicas:i replicas:i terminatingReplicas:i unavailableReplicas:i updatedReplicas:i"),
std::string_view(
"io.k8s.api.apps.v1.DeploymentCondition lastTransitionTime:s lastUpdateTime:s message:s reason:s stat"
"us:s type:s"),
std::string_view(
"io.k8s.api.apps.v1.ReplicaSet=apps/v1/ReplicaSet apiVersion:s kind:s metadata:1 spec:224 status:225"),
std::string_view(
"io.k8s.api.apps.v1.ReplicaSetSpec minReadySeconds:i replicas:i selector:75 template:188"),
std::string_view(
"io.k8s.api.apps.v1.ReplicaSetStatus availableReplicas:i conditions:[226] fullyLabeledReplicas:i obse"
"rvedGeneration:i readyReplicas:i replicas:i terminatingReplicas:i"),
std::string_view(
"io.k8s.api.apps.v1.ReplicaSetCondition lastTransitionTime:s message:s reason:s status:s type:s"),
std::string_view(
"io.k8s.api.apps.v1.StatefulSet=apps/v1/StatefulSet apiVersion:s kind:s metadata:1 spec:228 status:23"
"3"),
std::string_view(
"io.k8s.api.apps.v1.StatefulSetSpec minReadySeconds:i ordinals:229 persistentVolumeClaimRetentionPoli"
"cy:230 podManagementPolicy:s replicas:i revisionHistoryLimit:i selector:75 serviceName:s template:18"
"8 updateStrategy:231 volumeClaimTemplates:[70]"),
std::string_view(
"io.k8s.api.apps.v1.StatefulSetOrdinals start:i"),
std::string_view(
"io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:s whenScaled:s"),
std::string_view(
"io.k8s.api.apps.v1.StatefulSetUpdateStrategy rollingUpdate:232 type:s"),
std::string_view(
"io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy maxUnavailable:* partition:i"),
std::string_view(
"io.k8s.api.apps.v1.StatefulSetStatus availableReplicas:i collisionCount:i conditions:[234] currentRe"
"plicas:i currentRevision:s observedGeneration:i readyReplicas:i replicas:i updateRevision:s updatedR"
"eplicas:i"),
std::string_view(
"io.k8s.api.apps.v1.StatefulSetCondition lastTransitionTime:s message:s reason:s status:s type:s"),
std::string_view(
"io.k8s.api.authentication.v1.SelfSubjectReview=authentication.k8s.io/v1/SelfSubjectReview apiVersion"
":s kind:s metadata:1 status:236"),
std::string_view(
"io.k8s.api.authentication.v1.SelfSubjectReviewStatus userInfo:237"),
std::string_view(
"io.k8s.api.authentication.v1.UserInfo extra:<[s]> groups:[s] uid:s username:s"),
std::string_view(
"io.k8s.api.authentication.v1.TokenReview=authentication.k8s.io/v1/TokenReview apiVersion:s kind:s me"
"tadata:1 spec:239 status:240"),
std::string_view(
"io.k8s.api.authentication.v1.TokenReviewSpec audiences:[s] token:s"),
std::string_view(
"io.k8s.api.authentication.v1.TokenReviewStatus audiences:[s] authenticated:b error:s user:237"),
std::string_view(
"io.k8s.api.authorization.v1.LocalSubjectAccessReview=authorization.k8s.io/v1/LocalSubjectAccessRevie"
"w apiVersion:s kind:s metadata:1 spec:242 status:248"),
std::string_view(
"io.k8s.api.authorization.v1.SubjectAccessReviewSpec extra:<[s]> groups:[s] nonResourceAttributes:243"
" resourceAttributes:244 uid:s user:s"),
std::string_view(
"io.k8s.api.authorization.v1.NonResourceAttributes path:s verb:s"),
std::string_view(
"io.k8s.api.authorization.v1.ResourceAttributes fieldSelector:245 group:s labelSelector:247 name:s na"
"mespace:s resource:s subresource:s verb:s version:s"),
std::string_view(
"io.k8s.api.authorization.v1.FieldSelectorAttributes rawSelector:s requirements:[246]"),
std::string_view(
"io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement key:s operator:s values:[s]"),
std::string_view(
"io.k8s.api.authorization.v1.LabelSelectorAttributes rawSelector:s requirements:[76]"),
std::string_view(
"io.k8s.api.authorization.v1.SubjectAccessReviewStatus allowed:b denied:b evaluationError:s reason:s"),
std::string_view(
"io.k8s.api.authorization.v1.SelfSubjectAccessReview=authorization.k8s.io/v1/SelfSubjectAccessReview "
"apiVersion:s kind:s metadata:1 spec:250 status:248"),
std::string_view(
"io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec nonResourceAttributes:243 resourceAttributes"
":244"),
std::string_view(
"io.k8s.api.authorization.v1.SelfSubjectRulesReview=authorization.k8s.io/v1/SelfSubjectRulesReview ap"
"iVersion:s kind:s metadata:1 spec:252 status:253"),
std::string_view(
"io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec namespace:s"),
std::string_view(
"io.k8s.api.authorization.v1.SubjectRulesReviewStatus evaluationError:s incomplete:b nonResourceRules"
":[254] resourceRules:[255]"),
std::string_view(
"io.k8s.api.authorization.v1.NonResourceRule nonResourceURLs:[s] verbs:[s]"),
std::string_view(
"io.k8s.api.authorization.v1.ResourceRule apiGroups:[s] resourceNames:[s] resources:[s] verbs:[s]"),
std::string_view(
"io.k8s.api.authorization.v1.SubjectAccessReview=authorization.k8s.io/v1/SubjectAccessReview apiVersi"
"on:s kind:s metadata:1 spec:242 status:248"),
std::string_view(
"io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler=autoscaling/v2/HorizontalPodAutoscaler apiVersion:"
"s kind:s metadata:1 spec:258 status:271"),
std::string_view(
"io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec behavior:259 maxReplicas:i metrics:[262] minRe"
"plicas:i scaleTargetRef:268"),
std::string_view(
"io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior scaleDown:260 scaleUp:260"),
std::string_view(
"io.k8s.api.autoscaling.v2.HPAScalingRules policies:[261] selectPolicy:s stabilizationWindowSeconds:i"
" tolerance:*"),
std::string_view(
"io.k8s.api.autoscaling.v2.HPAScalingPolicy periodSeconds:i type:s value:i"),
std::string_view(
"io.k8s.api.autoscaling.v2.MetricSpec containerResource:263 external:265 object:267 pods:269 resource"
":270 type:s"),
std::string_view(
"io.k8s.api.autoscaling.v2.ContainerResourceMetricSource container:s name:s target:264"),
std::string_view(
"io.k8s.api.autoscaling.v2.MetricTarget averageUtilization:i averageValue:* type:s value:*"),
std::string_view(
"io.k8s.api.autoscaling.v2.ExternalMetricSource metric:266 target:264"),
std::string_view(
"io.k8s.api.autoscaling.v2.MetricIdentifier name:s selector:75"),
std::string_view(
"io.k8s.api.autoscaling.v2.ObjectMetricSource describedObject:268 metric:266 target:264"),
std::string_view(
"io.k8s.api.autoscaling.v2.CrossVersionObjectReference apiVersion:s kind:s name:s"),
std::string_view(
"io.k8s.api.autoscaling.v2.PodsMetricSource metric:266 target:264"),
std::string_view(
"io.k8s.api.autoscaling.v2.ResourceMetricSource name:s target:264"),
std::string_view(
"io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus conditions:[272] currentMetrics:[273] curren"
"tReplicas:i desiredReplicas:i lastScaleTime:s observedGeneration:i"),
std::string_view(
"io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition lastTransitionTime:s message:s reason:s s"
"tatus:s type:s"),
std::string_view(
"io.k8s.api.autoscaling.v2.MetricStatus containerResource:274 external:276 object:277 pods:278 resour"
"ce:279 type:s"),
std::string_view(
"io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus container:s current:275 name:s"),
std::string_view(
"io.k8s.api.autoscaling.v2.MetricValueStatus averageUtilization:i averageValue:* value:*"),
std::string_view(
"io.k8s.api.autoscaling.v2.ExternalMetricStatus current:275 metric:266"),
std::string_view(
"io.k8s.api.autoscaling.v2.ObjectMetricStatus current:275 describedObject:268 metric:266"),
std::string_view(
"io.k8s.api.autoscaling.v2.PodsMetricStatus current:275 metric:266"),
std::string_view(
"io.k8s.api.autoscaling.v2.ResourceMetricStatus current:275 name:s"),
std::string_view(
"io.k8s.api.batch.v1.CronJob=batch/v1/CronJob apiVersion:s kind:s metadata:1 spec:281 status:290"),
std::string_view(
"io.k8s.api.batch.v1.CronJobSpec concurrencyPolicy:s failedJobsHistoryLimit:i jobTemplate:282 schedul"
"e:s startingDeadlineSeconds:i successfulJobsHistoryLimit:i suspend:b timeZone:s"),
std::string_view(
"io.k8s.api.batch.v1.JobTemplateSpec metadata:1 spec:283"),
std::string_view(
"io.k8s.api.batch.v1.JobSpec activeDeadlineSeconds:i backoffLimit:i backoffLimitPerIndex:i completion"
"Mode:s completions:i managedBy:s manualSelector:b maxFailedIndexes:i parallelism:i podFailurePolicy:"
"284 podReplacementPolicy:s selector:75 successPolicy:288 suspend:b template:188 ttlSecondsAfterFinis"
"hed:i"),
std::string_view(
"io.k8s.api.batch.v1.PodFailurePolicy rules:[285]"),
std::string_view(
"io.k8s.api.batch.v1.PodFailurePolicyRule action:s onExitCodes:286 onPodConditions:[287]"),
std::string_view(
"io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement containerName:s operator:s values:[i]"),
std::string_view(
"io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern status:s type:s"),
std::string_view(
"io.k8s.api.batch.v1.SuccessPolicy rules:[289]"),
std::string_view(
"io.k8s.api.batch.v1.SuccessPolicyRule succeededCount:i succeededIndexes:s"),
std::string_view(
"io.k8s.api.batch.v1.CronJobStatus active:[4] lastScheduleTime:s lastSuccessfulTime:s"),
std::string_view(
"io.k8s.api.batch.v1.Job=batch/v1/Job apiVersion:s kind:s metadata:1 spec:283 status:292"),
std::string_view(
"io.k8s.api.batch.v1.JobStatus active:i completedIndexes:s completionTime:s conditions:[293] failed:i"
" failedIndexes:s ready:i startTime:s succeeded:i terminating:i uncountedTerminatedPods:294"),
std::string_view(
"io.k8s.api.batch.v1.JobCondition lastProbeTime:s lastTransitionTime:s message:s reason:s status:s ty"
"pe:s"),
std::string_view(
"io.k8s.api.batch.v1.UncountedTerminatedPods failed:[s] succeeded:[s]"),
std::string_view(
"io.k8s.api.coordination.v1.Lease=coordination.k8s.io/v1/Lease apiVersion:s kind:s metadata:1 spec:29"
"6"),
std::string_view(
"io.k8s.api.coordination.v1.LeaseSpec acquireTime:s holderIdentity:s leaseDurationSeconds:i leaseTran"
"sitions:i preferredHolder:s renewTime:s strategy:s"),
std::string_view(
"io.k8s.api.discovery.v1.EndpointSlice=discovery.k8s.io/v1/EndpointSlice addressType:s apiVersion:s e"
"ndpoints:[298] kind:s metadata:1 ports:[303]"),
std::string_view(
"io.k8s.api.discovery.v1.Endpoint addresses:[s] conditions:299 deprecatedTopology:<s> hints:300 hostn"
"ame:s nodeName:s targetRef:4 zone:s"),
std::string_view(
"io.k8s.api.discovery.v1.EndpointConditions ready:b serving:b terminating:b"),
std::string_view(
"io.k8s.api.discovery.v1.EndpointHints forNodes:[301] forZones:[302]"),
std::string_view(
"io.k8s.api.discovery.v1.ForNode name:s"),
std::string_view(
"io.k8s.api.discovery.v1.ForZone name:s"),
std::string_view(
"io.k8s.api.discovery.v1.EndpointPort appProtocol:s name:s port:i protocol:s"),
std::string_view(
"io.k8s.api.events.v1.Event=events.k8s.io/v1/Event action:s apiVersion:s deprecatedCount:i deprecated"
"FirstTimestamp:s deprecatedLastTimestamp:s deprecatedSource:14 eventTime:s kind:s metadata:1 note:s "
"reason:s regarding:4 related:4 reportingController:s reportingInstance:s series:305 type:s"),
std::string_view(
"io.k8s.api.events.v1.EventSeries count:i lastObservedTime:s"),
std::string_view(
"io.k8s.api.networking.v1.IPAddress=networking.k8s.io/v1/IPAddress apiVersion:s kind:s metadata:1 spe"
"c:307"),
std::string_view(
"io.k8s.api.networking.v1.IPAddressSpec parentRef:308"),
std::string_view(
"io.k8s.api.networking.v1.ParentReference group:s name:s namespace:s resource:s"),
std::string_view(
"io.k8s.api.networking.v1.Ingress=networking.k8s.io/v1/Ingress apiVersion:s kind:s metadata:1 spec:31"
"0 status:318"),
std::string_view(
"io.k8s.api.networking.v1.IngressSpec defaultBackend:311 ingressClassName:s rules:[314] tls:[317]"),
std::string_view(
"io.k8s.api.networking.v1.IngressBackend resource:72 service:312"),
std::string_view(
"io.k8s.api.networking.v1.IngressServiceBackend name:s port:313"),
std::string_view(
"io.k8s.api.networking.v1.ServiceBackendPort name:s number:i"),
std::string_view(
"io.k8s.api.networking.v1.IngressRule host:s http:315"),
std::string_view(
"io.k8s.api.networking.v1.HTTPIngressRuleValue paths:[316]"),
std::string_view(
"io.k8s.api.networking.v1.HTTPIngressPath backend:311 path:s pathType:s"),
std::string_view(
"io.k8s.api.networking.v1.IngressTLS hosts:[s] secretName:s"),
std::string_view(
"io.k8s.api.networking.v1.IngressStatus loadBalancer:319"),
std::string_view(
"io.k8s.api.networking.v1.IngressLoadBalancerStatus ingress:[320]"),
std::string_view(
"io.k8s.api.networking.v1.IngressLoadBalancerIngress hostname:s ip:s ports:[321]"),
std::string_view(
"io.k8s.api.networking.v1.IngressPortStatus error:s port:i protocol:s"),
std::string_view(
"io.k8s.api.networking.v1.IngressClass=networking.k8s.io/v1/IngressClass apiVersion:s kind:s metadata"
":1 spec:323"),
std::string_view(
"io.k8s.api.networking.v1.IngressClassSpec controller:s parameters:324"),
std::string_view(
"io.k8s.api.networking.v1.IngressClassParametersReference apiGroup:s kind:s name:s namespace:s scope:"
"s"),
std::string_view(
"io.k8s.api.networking.v1.NetworkPolicy=networking.k8s.io/v1/NetworkPolicy apiVersion:s kind:s metada"
"ta:1 spec:326"),
std::string_view(
"io.k8s.api.networking.v1.NetworkPolicySpec egress:[327] ingress:[331] podSelector:75 policyTypes:[s]"),
std::string_view(
"io.k8s.api.networking.v1.NetworkPolicyEgressRule ports:[328] to:[329]"),
std::string_view(
"io.k8s.api.networking.v1.NetworkPolicyPort endPort:i port:* protocol:s"),
std::string_view(
"io.k8s.api.networking.v1.NetworkPolicyPeer ipBlock:330 namespaceSelector:75 podSelector:75"),
std::string_view(
"io.k8s.api.networking.v1.IPBlock cidr:s except:[s]"),
std::string_view(
"io.k8s.api.networking.v1.NetworkPolicyIngressRule from:[329] ports:[328]"),
std::string_view(
"io.k8s.api.networking.v1.ServiceCIDR=networking.k8s.io/v1/ServiceCIDR apiVersion:s kind:s metadata:1"
" spec:333 status:334"),
std::string_view(
"io.k8s.api.networking.v1.ServiceCIDRSpec cidrs:[s]"),
std::string_view(
"io.k8s.api.networking.v1.ServiceCIDRStatus conditions:[205]"),
std::string_view(
"io.k8s.api.node.v1.RuntimeClass=node.k8s.io/v1/RuntimeClass apiVersion:s handler:s kind:s metadata:1"
" overhead:336 scheduling:337"),
std::string_view(
"io.k8s.api.node.v1.Overhead podFixed:<*>"),
std::string_view(
"io.k8s.api.node.v1.Scheduling nodeSelector:<s> tolerations:[135]"),
std::string_view(
"io.k8s.api.policy.v1.PodDisruptionBudget=policy/v1/PodDisruptionBudget apiVersion:s kind:s metadata:"
"1 spec:339 status:340"),
std::string_view(
"io.k8s.api.policy.v1.PodDisruptionBudgetSpec maxUnavailable:* minAvailable:* selector:75 unhealthyPo"
"dEvictionPolicy:s"),
std::string_view(
"io.k8s.api.policy.v1.PodDisruptionBudgetStatus conditions:[205] currentHealthy:i desiredHealthy:i di"
"sruptedPods:<s> disruptionsAllowed:i expectedPods:i observedGeneration:i"),
std::string_view(
"io.k8s.api.rbac.v1.ClusterRole=rbac.authorization.k8s.io/v1/ClusterRole aggregationRule:342 apiVersi"
"on:s kind:s metadata:1 rules:[343]"),
std::string_view(
"io.k8s.api.rbac.v1.AggregationRule clusterRoleSelectors:[75]"),
std::string_view(
"io.k8s.api.rbac.v1.PolicyRule apiGroups:[s] nonResourceURLs:[s] resourceNames:[s] resources:[s] verb"
"s:[s]"),
std::string_view(
"io.k8s.api.rbac.v1.ClusterRoleBinding=rbac.authorization.k8s.io/v1/ClusterRoleBinding apiVersion:s k"
"ind:s metadata:1 roleRef:345 subjects:[346]"),
std::string_view(
"io.k8s.api.rbac.v1.RoleRef apiGroup:s kind:s name:s"),
std::string_view(
"io.k8s.api.rbac.v1.Subject apiGroup:s kind:s name:s namespace:s"),
std::string_view(
"io.k8s.api.rbac.v1.Role=rbac.authorization.k8s.io/v1/Role apiVersion:s kind:s metadata:1 rules:[343]"),
std::string_view(
"io.k8s.api.rbac.v1.RoleBinding=rbac.authorization.k8s.io/v1/RoleBinding apiVersion:s kind:s metadata"
":1 roleRef:345 subjects:[346]"),
std::string_view(
"io.k8s.api.scheduling.v1.PriorityClass=scheduling.k8s.io/v1/PriorityClass apiVersion:s description:s"
" globalDefault:b kind:s metadata:1 preemptionPolicy:s value:i"),
std::string_view(
"io.k8s.api.storage.v1.CSIDriver=storage.k8s.io/v1/CSIDriver apiVersion:s kind:s metadata:1 spec:351"),
std::string_view(
"io.k8s.api.storage.v1.CSIDriverSpec attachRequired:b fsGroupPolicy:s nodeAllocatableUpdatePeriodSeco"
"nds:i podInfoOnMount:b preventPodSchedulingIfMissing:b requiresRepublish:b seLinuxMount:b serviceAcc"
"ountTokenInSecrets:b storageCapacity:b tokenRequests:[352] volumeLifecycleModes:[s]"),
std::string_view(
"io.k8s.api.storage.v1.TokenRequest audience:s expirationSeconds:i"),
std::string_view(
"io.k8s.api.storage.v1.CSINode=storage.k8s.io/v1/CSINode apiVersion:s kind:s metadata:1 spec:354"),
std::string_view(
"io.k8s.api.storage.v1.CSINodeSpec drivers:[355]"),
std::string_view(
"io.k8s.api.storage.v1.CSINodeDriver allocatable:356 name:s nodeID:s topologyKeys:[s]"),
std::string_view(
"io.k8s.api.storage.v1.VolumeNodeResources count:i"),
std::string_view(
"io.k8s.api.storage.v1.CSIStorageCapacity=storage.k8s.io/v1/CSIStorageCapacity apiVersion:s capacity:"
"* kind:s maximumVolumeSize:* metadata:1 nodeTopology:75 storageClassName:s"),
std::string_view(
"io.k8s.api.storage.v1.StorageClass=storage.k8s.io/v1/StorageClass allowVolumeExpansion:b allowedTopo"
"logies:[359] apiVersion:s kind:s metadata:1 mountOptions:[s] parameters:<s> provisioner:s reclaimPol"
"icy:s volumeBindingMode:s"),
std::string_view(
"io.k8s.api.core.v1.TopologySelectorTerm matchLabelExpressions:[360]"),
std::string_view(
"io.k8s.api.core.v1.TopologySelectorLabelRequirement key:s values:[s]"),
std::string_view(
"io.k8s.api.storage.v1.VolumeAttachment=storage.k8s.io/v1/VolumeAttachment apiVersion:s kind:s metada"
"ta:1 spec:362 status:364"),
std::string_view(
"io.k8s.api.storage.v1.VolumeAttachmentSpec attacher:s nodeName:s source:363"),
std::string_view(
"io.k8s.api.storage.v1.VolumeAttachmentSource inlineVolumeSpec:41 persistentVolumeName:s"),
std::string_view(
"io.k8s.api.storage.v1.VolumeAttachmentStatus attachError:365 attached:b attachmentMetadata:<s> detac"
"hError:365"),
std::string_view(
"io.k8s.api.storage.v1.VolumeError errorCode:i message:s time:s"),
std::string_view(
"io.k8s.api.storage.v1.VolumeAttributesClass=storage.k8s.io/v1/VolumeAttributesClass apiVersion:s dri"
"verName:s kind:s metadata:1 parameters:<s>"),
};
// clang-format on

std::span<const std::string_view> schema_lines() {
    return schema_lines_stored;
}

}  // namespace k8s::embedded
