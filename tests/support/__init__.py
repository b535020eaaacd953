"""What all Python tests share: the two rigs, the referee kubelet, fake Spark, the history."""
