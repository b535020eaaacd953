import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.deploy.InProcessSparkSubmit;

/**
 * Runs Spark's own spark-submit and drivers one after the other in one JVM, which is then warm: a second
 * or two an application instead of a dozen. Commands come by standard input, one a line; every command
 * gets one line of answer that begins with the mark.
 *
 * <pre>
 * submit FILE   spark-submit with the arguments in FILE (one a line), to its end: ok | failed WHY
 * drive FILE    the same on a thread of its own, for a driver: ok
 * state         of that driver: running | ended | failed WHY
 * release       lets its application end and waits for it: ok | failed WHY
 * </pre>
 */
public final class Workbench {
    private static final String MARK = "@workbench ";
    private static final int RELEASE_SECONDS = 60;
    private static volatile CountDownLatch release = new CountDownLatch(0);

    /** The application's main class: has a context, thus executors, until it is released. */
    public static final class Hold {
        public static void main(String[] arguments) throws InterruptedException {
            try (JavaSparkContext context = new JavaSparkContext(new SparkConf().setAppName("hold"))) {
                release.await();
            }
        }
    }

    /** A driver on its thread. */
    private static final class Driver extends Thread {
        private volatile Throwable failure;

        private final String[] arguments;

        Driver(String[] arguments) {
            this.arguments = arguments;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                InProcessSparkSubmit.main(arguments);
            } catch (Throwable thrown) {
                failure = thrown;
                thrown.printStackTrace();
            }
        }

        String state() {
            if (isAlive()) {
                return "running";
            }
            return failure == null ? "ended" : "failed " + inOneLine(failure);
        }
    }

    private final PrintStream answers;
    private final Properties pristine = (Properties) System.getProperties().clone();
    private Driver driver;

    private Workbench(PrintStream answers) {
        this.answers = answers;
    }

    public static void main(String[] arguments) throws Exception {
        // What Spark prints goes with its log, so that answers are all there is on standard output.
        Workbench workbench = new Workbench(System.out);
        System.setOut(System.err);
        workbench.serve();
        Runtime.getRuntime().halt(0);
    }

    private void serve() throws Exception {
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            int blank = line.indexOf(' ');
            String verb = blank < 0 ? line : line.substring(0, blank);
            answers.println(MARK + obey(verb, blank < 0 ? "" : line.substring(blank + 1)));
            answers.flush();
        }
    }

    private String obey(String verb, String file) throws Exception {
        switch (verb) {
            case "submit":
                return submit(read(file));
            case "drive":
                release = new CountDownLatch(1);
                driver = new Driver(read(file));
                driver.setContextClassLoader(Workbench.class.getClassLoader());
                driver.start();
                return "ok";
            case "state":
                return driver.state();
            case "release":
                return release();
            default:
                return "failed unknown command " + verb;
        }
    }

    private String submit(String[] arguments) {
        try {
            InProcessSparkSubmit.main(arguments);
            return "ok";
        } catch (Throwable thrown) {
            thrown.printStackTrace();
            return "failed " + inOneLine(thrown);
        } finally {
            forget();
        }
    }

    private String release() throws InterruptedException {
        release.countDown();
        driver.join(TimeUnit.SECONDS.toMillis(RELEASE_SECONDS));
        String state = driver.state();
        forget();
        return state.equals("ended") ? "ok" : state.equals("running") ? "failed running" : state;
    }

    /** Spark keeps a conf in system properties, where the next application would find it. */
    private void forget() {
        System.setProperties((Properties) pristine.clone());
        Thread.currentThread().setContextClassLoader(Workbench.class.getClassLoader());
    }

    private static String[] read(String file) throws Exception {
        return Files.readAllLines(Path.of(file), StandardCharsets.UTF_8).toArray(new String[0]);
    }

    private static String inOneLine(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        return String.valueOf(cause).replaceAll("\\s+", " ");
    }
}
