import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Counts points of a grid inside the quarter circle: the same number in every run. */
public final class Pi {
    public static void main(String[] arguments) {
        int size = Integer.parseInt(arguments[0]);
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf().setAppName("pi"))) {
            var rows = IntStream.range(0, size).boxed().collect(Collectors.toList());
            long inside = context.parallelize(rows, 4).map(row -> IntStream.range(0, size)
                .filter(column -> (long) row * row + (long) column * column < (long) size * size)
                .count()).reduce(Long::sum);
            System.out.println("inside=" + inside);
        }
    }
}
