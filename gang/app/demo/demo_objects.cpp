// Captured from spark-submit and its drivers, Spark 4.1.4: a JVM and a Python application with no
// conf but the scheduler's name. Names, ids and addresses are placeholders, the executors' JVM
// options are left out, and spark.executor.instances is added.
#include "gang/app/demo/demo_objects.hpp"

#include "core/base/result.hpp"

#include <fmt/format.h>

#include <utility>

namespace gang::app {

namespace {

constexpr std::string_view jvm_driver =
    R"json({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"spark-app-name":"@NAME@",)json"
    R"json("spark-app-selector":"@APP@","spark-role":"driver","spark-version":"4.1.4"},)json"
    R"json("name":"@NAME@-driver","namespace":"@NAMESPACE@"},"spec":{"containers":[{)json"
    R"json("args":["driver","--properties-file","/opt/spark/conf/spark.properties","--class",)json"
    R"json("Hold","local:///opt/spark/hold.jar","6"],"env":[{"name":"SPARK_USER",)json"
    R"json("value":"root"},{"name":"SPARK_APPLICATION_ID","value":"@APP@"},{)json"
    R"json("name":"SPARK_DRIVER_BIND_ADDRESS","valueFrom":{"fieldRef":{"apiVersion":"v1",)json"
    R"json("fieldPath":"status.podIP"}}},{"name":"SPARK_LOCAL_DIRS","val)json"
    R"json(ue":"/var/data/spark-b54b107c-90ea-4a46-84c5-067c84e9e24e"},{)json"
    R"json("name":"SPARK_CONF_DIR","value":"/opt/spark/conf"}],"image":"spark:4.1.4",)json"
    R"json("imagePullPolicy":"IfNotPresent","name":"spark-kubernetes-driver","ports":[{)json"
    R"json("containerPort":7078,"name":"driver-rpc-port","protocol":"TCP"},{)json"
    R"json("containerPort":7079,"name":"blockmanager","protocol":"TCP"},{"containerPort":4040,)json"
    R"json("name":"spark-ui","protocol":"TCP"},{"containerPort":15002,"name":"spark-connect",)json"
    R"json("protocol":"TCP"}],"resources":{"limits":{"memory":"1408Mi"},"requests":{"cpu":"1",)json"
    R"json("memory":"1408Mi"}},"terminationMessagePath":"/dev/termination-log",)json"
    R"json("terminationMessagePolicy":"File","volumeMounts":[{"mountPath)json"
    R"json(":"/var/data/spark-b54b107c-90ea-4a46-84c5-067c84e9e24e","nam)json"
    R"json(e":"spark-local-dir-1"},{"mountPath":"/opt/spark/conf","name")json"
    R"json(:"spark-conf-volume-driver"}]}],"dnsPolicy":"ClusterFirst","e)json"
    R"json(nableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority",)json"
    R"json("restartPolicy":"Never","schedulerName":"gang-scheduler","securityContext":{},)json"
    R"json("serviceAccount":"default","serviceAccountName":"default","te)json"
    R"json(rminationGracePeriodSeconds":30,"tolerations":[{"effect":"NoExecute",)json"
    R"json("key":"node.kubernetes.io/not-ready","operator":"Exists","tolerationSeconds":300},{)json"
    R"json("effect":"NoExecute","key":"node.kubernetes.io/unreachable","operator":"Exists",)json"
    R"json("tolerationSeconds":300}],"volumes":[{"emptyDir":{},"name":"spark-local-dir-1"},{)json"
    R"json("configMap":{"defaultMode":420,"items":[{"key":"spark.properties","mode":420,)json"
    R"json("path":"spark.properties"}],"name":"@NAME@-driver-conf-map"},)json"
    R"json("name":"spark-conf-volume-driver"}]}})json";

constexpr std::string_view jvm_conf_map =
    R"json({"apiVersion":"v1","data":{"spark.kubernetes.namespace":"@NAMESPACE@",)json"
    R"json("spark.properties":"#Java properties built from Kubernetes co)json"
    R"json(nfig map with name: @NAME@-driver-conf-map\n#Sat Nov 21 03:17)json"
    R"json(:45 UTC 2026\nspark.driver.port=7078\nspark.master=k8s\\://ht)json"
    R"json(tps\\://10.0.0.1\\:443\nspark.submit.pyFiles=\nspark.app.name)json"
    R"json(=@NAME@\nspark.kubernetes.submission.waitAppCompletion=false\)json"
    R"json(nspark.submit.deployMode=cluster\nspark.kubernetes.resource.t)json"
    R"json(ype=java\nspark.kubernetes.driver.master=https\\://10.0.0.1\\)json"
    R"json(:443\nspark.driver.host=@NAME@-driver-svc.@NAMESPACE@.svc\nsp)json"
    R"json(ark.driver.blockManager.port=7079\nspark.app.id=@APP@\nspark.)json"
    R"json(kubernetes.namespace=@NAMESPACE@\nspark.app.submitTime=179523)json"
    R"json(1064632\nspark.kubernetes.container.image=spark\\:4.1.4\nspar)json"
    R"json(k.kubernetes.scheduler.name=gang-scheduler\nspark.kubernetes.)json"
    R"json(memoryOverheadFactor=0.1\nspark.kubernetes.submitInDriver=tru)json"
    R"json(e\nspark.kubernetes.authenticate.driver.serviceAccountName=de)json"
    R"json(fault\nspark.kubernetes.driver.pod.name=@NAME@-driver\nspark.)json"
    R"json(jars=local\\:///opt/spark/hold.jar\nspark.executor.instances=@EXECUTORS@\n"},)json"
    R"json("immutable":true,"kind":"ConfigMap","metadata":{"name":"@NAME@-driver-conf-map",)json"
    R"json("namespace":"@NAMESPACE@","ownerReferences":[{"apiVersion":"v1","controller":true,)json"
    R"json("kind":"Pod","name":"@NAME@-driver","uid":"@DRIVER_UID@"}]}})json";

constexpr std::string_view jvm_executor =
    R"json({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"spark-app-name":"@NAME@",)json"
    R"json("spark-app-selector":"@APP@","spark-exec-id":"@ID@","spark-ex)json"
    R"json(ec-resourceprofile-id":"0","spark-role":"executor","spark-version":"4.1.4"},)json"
    R"json("name":"@NAME@-exec-@ID@","namespace":"@NAMESPACE@","ownerReferences":[{)json"
    R"json("apiVersion":"v1","controller":true,"kind":"Pod","name":"@NAME@-driver",)json"
    R"json("uid":"@DRIVER_UID@"}]},"spec":{"containers":[{"args":["executor"],"env":[{)json"
    R"json("name":"SPARK_USER","value":"root"},{"name":"SPARK_DRIVER_URL",)json"
    R"json("value":"spark://CoarseGrainedScheduler@@NAME@-driver-svc.@NAMESPACE@.svc:7078"},{)json"
    R"json("name":"SPARK_EXECUTOR_CORES","value":"1"},{"name":"SPARK_EXECUTOR_MEMORY",)json"
    R"json("value":"1024m"},{"name":"SPARK_APPLICATION_ID","value":"@APP@"},{)json"
    R"json("name":"SPARK_CONF_DIR","value":"/opt/spark/conf"},{"name":"SPARK_EXECUTOR_ID",)json"
    R"json("value":"@ID@"},{"name":"SPARK_RESOURCE_PROFILE_ID","value":"0"},{)json"
    R"json("name":"SPARK_DRIVER_POD_IP","value":"10.0.0.2"},{"name":"SPARK_EXECUTOR_POD_IP",)json"
    R"json("valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}},{)json"
    R"json("name":"SPARK_EXECUTOR_POD_NAME","valueFrom":{"fieldRef":{"apiVersion":"v1",)json"
    R"json("fieldPath":"metadata.name"}}},{"name":"SPARK_LOCAL_DIRS","va)json"
    R"json(lue":"/var/data/spark-local"}],"image":"spark:4.1.4","imagePu)json"
    R"json(llPolicy":"IfNotPresent","name":"spark-kubernetes-executor","ports":[{)json"
    R"json("containerPort":7079,"name":"blockmanager","protocol":"TCP"}],"resources":{)json"
    R"json("limits":{"memory":"1408Mi"},"requests":{"cpu":"1","memory":"1408Mi"}},)json"
    R"json("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",)json"
    R"json("volumeMounts":[{"mountPath":"/opt/spark/conf","name":"spark-conf-volume-exec"},{)json"
    R"json("mountPath":"/var/data/spark-local","name":"spark-local-dir-1"}]}],)json"
    R"json("dnsPolicy":"ClusterFirst","enableServiceLinks":true,"hostname":"@NAME@-exec-@ID@",)json"
    R"json("preemptionPolicy":"PreemptLowerPriority","restartPolicy":"Never",)json"
    R"json("schedulerName":"gang-scheduler","securityContext":{},"serviceAccount":"default",)json"
    R"json("serviceAccountName":"default","terminationGracePeriodSeconds":30,"tolerations":[{)json"
    R"json("effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists",)json"
    R"json("tolerationSeconds":300},{"effect":"NoExecute","key":"node.ku)json"
    R"json(bernetes.io/unreachable","operator":"Exists","tolerationSeconds":300}],"volumes":[{)json"
    R"json("configMap":{"defaultMode":420,"items":[{"key":"spark.kubernetes.namespace",)json"
    R"json("mode":420,"path":"spark.kubernetes.namespace"}],"name":"@NAME@-exec-conf-map"},)json"
    R"json("name":"spark-conf-volume-exec"},{"emptyDir":{},"name":"spark-local-dir-1"}]}})json";

constexpr std::string_view python_driver =
    R"json({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"spark-app-name":"@NAME@",)json"
    R"json("spark-app-selector":"@APP@","spark-role":"driver","spark-version":"4.1.4"},)json"
    R"json("name":"@NAME@-driver","namespace":"@NAMESPACE@"},"spec":{"containers":[{)json"
    R"json("args":["driver","--properties-file","/opt/spark/conf/spark.properties","--class",)json"
    R"json("org.apache.spark.deploy.PythonRunner","local:///opt/spark/ex)json"
    R"json(amples/src/main/python/pi.py","40"],"env":[{"name":"SPARK_USER","value":"root"},{)json"
    R"json("name":"SPARK_APPLICATION_ID","value":"@APP@"},{"name":"SPARK_DRIVER_BIND_ADDRESS",)json"
    R"json("valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}},{)json"
    R"json("name":"SPARK_LOCAL_DIRS","value":"/var/data/spark-0a8d9e2b-5)json"
    R"json(67c-40c7-aa0e-421a555eeaa9"},{"name":"SPARK_CONF_DIR","value":"/opt/spark/conf"}],)json"
    R"json("image":"spark:4.1.4","imagePullPolicy":"IfNotPresent","name")json"
    R"json(:"spark-kubernetes-driver","ports":[{"containerPort":7078,"name":"driver-rpc-port",)json"
    R"json("protocol":"TCP"},{"containerPort":7079,"name":"blockmanager","protocol":"TCP"},{)json"
    R"json("containerPort":4040,"name":"spark-ui","protocol":"TCP"},{"containerPort":15002,)json"
    R"json("name":"spark-connect","protocol":"TCP"}],"resources":{"limits":{"memory":"1433Mi"},)json"
    R"json("requests":{"cpu":"1","memory":"1433Mi"}},"terminationMessage)json"
    R"json(Path":"/dev/termination-log","terminationMessagePolicy":"File","volumeMounts":[{)json"
    R"json("mountPath":"/var/data/spark-0a8d9e2b-567c-40c7-aa0e-421a555eeaa9",)json"
    R"json("name":"spark-local-dir-1"},{"mountPath":"/opt/spark/conf","n)json"
    R"json(ame":"spark-conf-volume-driver"}]}],"dnsPolicy":"ClusterFirst",)json"
    R"json("enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority",)json"
    R"json("restartPolicy":"Never","schedulerName":"gang-scheduler","securityContext":{},)json"
    R"json("serviceAccount":"default","serviceAccountName":"default","te)json"
    R"json(rminationGracePeriodSeconds":30,"tolerations":[{"effect":"NoExecute",)json"
    R"json("key":"node.kubernetes.io/not-ready","operator":"Exists","tolerationSeconds":300},{)json"
    R"json("effect":"NoExecute","key":"node.kubernetes.io/unreachable","operator":"Exists",)json"
    R"json("tolerationSeconds":300}],"volumes":[{"emptyDir":{},"name":"spark-local-dir-1"},{)json"
    R"json("configMap":{"defaultMode":420,"items":[{"key":"spark.properties","mode":420,)json"
    R"json("path":"spark.properties"}],"name":"@NAME@-driver-conf-map"},)json"
    R"json("name":"spark-conf-volume-driver"}]}})json";

constexpr std::string_view python_conf_map =
    R"json({"apiVersion":"v1","data":{"spark.kubernetes.namespace":"@NAMESPACE@",)json"
    R"json("spark.properties":"#Java properties built from Kubernetes co)json"
    R"json(nfig map with name: @NAME@-driver-conf-map\n#Sat Nov 21 03:16)json"
    R"json(:07 UTC 2026\nspark.driver.port=7078\nspark.master=k8s\\://ht)json"
    R"json(tps\\://10.0.0.1\\:443\nspark.submit.pyFiles=\nspark.app.name)json"
    R"json(=@NAME@\nspark.kubernetes.submission.waitAppCompletion=false\)json"
    R"json(nspark.submit.deployMode=cluster\nspark.kubernetes.resource.t)json"
    R"json(ype=python\nspark.kubernetes.driver.master=https\\://10.0.0.1)json"
    R"json(\\:443\nspark.driver.host=@NAME@-driver-svc.@NAMESPACE@.svc\n)json"
    R"json(spark.driver.blockManager.port=7079\nspark.app.id=@APP@\nspar)json"
    R"json(k.kubernetes.namespace=@NAMESPACE@\nspark.app.submitTime=1795)json"
    R"json(230966623\nspark.kubernetes.container.image=spark\\:4.1.4\nsp)json"
    R"json(ark.kubernetes.scheduler.name=gang-scheduler\nspark.kubernete)json"
    R"json(s.memoryOverheadFactor=0.4\nspark.kubernetes.submitInDriver=t)json"
    R"json(rue\nspark.kubernetes.authenticate.driver.serviceAccountName=)json"
    R"json(default\nspark.kubernetes.driver.pod.name=@NAME@-driver\nspar)json"
    R"json(k.executor.instances=@EXECUTORS@\n"},"immutable":true,"kind":"ConfigMap",)json"
    R"json("metadata":{"name":"@NAME@-driver-conf-map","namespace":"@NAMESPACE@",)json"
    R"json("ownerReferences":[{"apiVersion":"v1","controller":true,"kind":"Pod",)json"
    R"json("name":"@NAME@-driver","uid":"@DRIVER_UID@"}]}})json";

constexpr std::string_view python_executor =
    R"json({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"spark-app-name":"@NAME@",)json"
    R"json("spark-app-selector":"@APP@","spark-exec-id":"@ID@","spark-ex)json"
    R"json(ec-resourceprofile-id":"0","spark-role":"executor","spark-version":"4.1.4"},)json"
    R"json("name":"@NAME@-exec-@ID@","namespace":"@NAMESPACE@","ownerReferences":[{)json"
    R"json("apiVersion":"v1","controller":true,"kind":"Pod","name":"@NAME@-driver",)json"
    R"json("uid":"@DRIVER_UID@"}]},"spec":{"containers":[{"args":["executor"],"env":[{)json"
    R"json("name":"SPARK_USER","value":"root"},{"name":"SPARK_DRIVER_URL",)json"
    R"json("value":"spark://CoarseGrainedScheduler@@NAME@-driver-svc.@NAMESPACE@.svc:7078"},{)json"
    R"json("name":"SPARK_EXECUTOR_CORES","value":"1"},{"name":"SPARK_EXECUTOR_MEMORY",)json"
    R"json("value":"1024m"},{"name":"SPARK_APPLICATION_ID","value":"@APP@"},{)json"
    R"json("name":"SPARK_CONF_DIR","value":"/opt/spark/conf"},{"name":"SPARK_EXECUTOR_ID",)json"
    R"json("value":"@ID@"},{"name":"SPARK_RESOURCE_PROFILE_ID","value":"0"},{)json"
    R"json("name":"SPARK_DRIVER_POD_IP","value":"10.0.0.2"},{"name":"SPARK_EXECUTOR_POD_IP",)json"
    R"json("valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}},{)json"
    R"json("name":"SPARK_EXECUTOR_POD_NAME","valueFrom":{"fieldRef":{"apiVersion":"v1",)json"
    R"json("fieldPath":"metadata.name"}}},{"name":"SPARK_LOCAL_DIRS","va)json"
    R"json(lue":"/var/data/spark-local"}],"image":"spark:4.1.4","imagePu)json"
    R"json(llPolicy":"IfNotPresent","name":"spark-kubernetes-executor","ports":[{)json"
    R"json("containerPort":7079,"name":"blockmanager","protocol":"TCP"}],"resources":{)json"
    R"json("limits":{"memory":"1433Mi"},"requests":{"cpu":"1","memory":"1433Mi"}},)json"
    R"json("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",)json"
    R"json("volumeMounts":[{"mountPath":"/opt/spark/conf","name":"spark-conf-volume-exec"},{)json"
    R"json("mountPath":"/var/data/spark-local","name":"spark-local-dir-1"}]}],)json"
    R"json("dnsPolicy":"ClusterFirst","enableServiceLinks":true,"hostname":"@NAME@-exec-@ID@",)json"
    R"json("preemptionPolicy":"PreemptLowerPriority","restartPolicy":"Never",)json"
    R"json("schedulerName":"gang-scheduler","securityContext":{},"serviceAccount":"default",)json"
    R"json("serviceAccountName":"default","terminationGracePeriodSeconds":30,"tolerations":[{)json"
    R"json("effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists",)json"
    R"json("tolerationSeconds":300},{"effect":"NoExecute","key":"node.ku)json"
    R"json(bernetes.io/unreachable","operator":"Exists","tolerationSeconds":300}],"volumes":[{)json"
    R"json("configMap":{"defaultMode":420,"items":[{"key":"spark.kubernetes.namespace",)json"
    R"json("mode":420,"path":"spark.kubernetes.namespace"}],"name":"@NAME@-exec-conf-map"},)json"
    R"json("name":"spark-conf-volume-exec"},{"emptyDir":{},"name":"spark-local-dir-1"}]}})json";

constexpr std::string_view driver_service =
    R"json({"apiVersion":"v1","kind":"Service","metadata":{"name":"@NAME@-driver-svc",)json"
    R"json("namespace":"@NAMESPACE@","labels":{"spark-app-selector":"@APP@"},)json"
    R"json("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"@NAME@-driver",)json"
    R"json("uid":"@DRIVER_UID@","controller":true}]},"spec":{"clusterIP":"None","selector":{)json"
    R"json("spark-app-selector":"@APP@","spark-role":"driver"},"ports":[{)json"
    R"json("name":"driver-rpc-port","port":7078}]}})json";

constexpr std::string_view executor_conf_map =
    R"json({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"@NAME@-exec-conf-map",)json"
    R"json("namespace":"@NAMESPACE@","labels":{"spark-app-selector":"@APP@",)json"
    R"json("spark-role":"executor"},"ownerReferences":[{"apiVersion":"v1","kind":"Pod",)json"
    R"json("name":"@NAME@-driver","uid":"@DRIVER_UID@","controller":true}]},"data":{)json"
    R"json("spark.kubernetes.namespace":"@NAMESPACE@"}})json";

}  // namespace

std::string_view template_of(DemoObject object, DemoLanguage language) {
    const bool jvm = language == DemoLanguage::jvm;
    switch (object) {
        case DemoObject::driver:
            return jvm ? jvm_driver : python_driver;
        case DemoObject::driver_conf_map:
            return jvm ? jvm_conf_map : python_conf_map;
        case DemoObject::driver_service:
            return driver_service;
        case DemoObject::executor:
            return jvm ? jvm_executor : python_executor;
        case DemoObject::executor_conf_map:
            return executor_conf_map;
    }
    return {};
}

std::string fill_template(std::string_view text, const core::StringMap& values) {
    std::string filled;
    std::size_t at = 0;
    while (true) {
        const std::size_t open = text.find('@', at);
        const std::size_t close = open == text.npos ? text.npos : text.find('@', open + 1);
        if (close == text.npos) return filled.append(text.substr(at));
        filled.append(text.substr(at, open - at));
        const std::string key(text.substr(open + 1, close - open - 1));
        const std::string* value = core::find_value(values, key);
        filled.append(
            value != nullptr ? std::string_view(*value) : text.substr(open, close - open));
        at = value != nullptr ? close + 1 : close;
    }
}

std::string with_limit(std::string pod, std::string_view resource, int amount) {
    constexpr std::string_view limits = "\"limits\":{";
    const std::size_t at = pod.find(limits);
    ENSURE(at != std::string::npos);
    return pod.insert(at + limits.size(), fmt::format("\"{}\":\"{}\",", resource, amount));
}

/// Before a property that spark-submit always writes, in a JSON text.
std::string with_properties(std::string conf_map, std::string_view lines) {
    const std::size_t at = conf_map.find("spark.driver.port=");
    ENSURE(at != std::string::npos);
    std::string escaped;
    for (const char c : lines) {
        if (c == '\n') {
            escaped += "\\n";
        } else {
            escaped += c;
        }
    }
    return conf_map.insert(at, escaped);
}

}  // namespace gang::app
