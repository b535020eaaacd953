import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.network.util.JavaUtils;

/**
 * What Java and Spark themselves read from random texts, one JSON object a line: the vectors of
 * tests/app/java_oracle_test.cpp. Arguments: how many of each kind, and a seed.
 */
public final class Oracle {
    private static final String PREFIX = "spark.kubernetes.node.selector.";
    private static final String[] PIECES = {
        PREFIX + "a", PREFIX + "b", PREFIX, "spark.", "key", "=", ":", " ", "  ", "\t", "\f", "\n", "\n" + PREFIX + "c", "\n" + PREFIX + "d=", "\n" + PREFIX + "e :",
        "\r" + PREFIX, "\n  " + PREFIX + "f\t", "\r", "\r\n", "\\", "\\\\", "\\\n", "\\\r\n", "\\n", "\\t", "\\f", "\\r", "\\=", "\\:", "\\ ", "\\#",
        "\\q", "\\u0041", "\\u00e9", "\\u20ac", "\\uD83D\\uDE00", "\\ud800", "\\u", "\\u12", "\\uxyz1", "#", "!",
        "#no\n", "!no\n", "a", "B", "1", "value", "\u00e9", "\u20ac", "\ud83d\ude00", "\u0085", "\u2028", "\\\t", "\"",
        "%", "${x}", "\u000b", "\u007f"};
    private static final String NUMBERS = "0123456789";
    private static final String SIZES = "0123456789012345kKmMgGtTpPbB .-+e\t";
    private static final String DOUBLES = "01234567890123456789..eE+-dDfFxXpP aN";

    private final Random chance;
    private final PrintStream out;

    private Oracle(long seed, PrintStream out) {
        this.chance = new Random(seed);
        this.out = out;
    }

    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        Oracle oracle = new Oracle(Long.parseLong(arguments[1]), out);
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            oracle.properties();
            oracle.size();
            oracle.number();
            oracle.factor();
        }
    }

    private void properties() {
        StringBuilder text = new StringBuilder("spark.app.name=x\n");
        for (int left = chance.nextInt(24); left >= 0; left--) {
            text.append(PIECES[chance.nextInt(PIECES.length)]);
        }
        String answer;
        try {
            Properties read = new Properties();
            read.load(new StringReader(text.toString()));
            Map<String, String> kept = new TreeMap<>();
            read.forEach((key, value) -> {
                if (((String) key).startsWith(PREFIX)) {
                    kept.put((String) key, (String) value);
                }
            });
            StringBuilder pairs = new StringBuilder("{");
            kept.forEach((key, value) -> pairs.append(pairs.length() > 1 ? "," : "")
                .append(quoted(key)).append(":").append(quoted(value)));
            answer = pairs.append("}").toString();
        } catch (Exception refused) {
            answer = "null";
        }
        line("properties", text.toString(), answer);
    }

    private void size() {
        String text = random(SIZES, 8);
        if (chance.nextBoolean()) { // more that is right than chance alone would make
            String[] units = {"", "b", "k", "kb", "m", "MB", "g", "Gb", "t", "tb", "p", "PB"};
            text = random(NUMBERS, chance.nextInt(10) == 0 ? 21 : 6) + units[chance.nextInt(units.length)];
        }
        String input = text;
        line("mebibytes", text, answer(() -> JavaUtils.byteStringAsMb(input)));
        line("bytes", text, answer(() -> JavaUtils.byteStringAsBytes(input)));
    }

    private void number() {
        String input = random("0123456789+- ", 12);
        line("integer", input, answer(() -> (long) Integer.parseInt(input.trim())));
    }

    private void factor() {
        String input = chance.nextInt(20) == 0 ? "Infinity" : random(DOUBLES, 9);
        String answer = "null";
        try {
            double value = Double.parseDouble(input.trim());
            answer = "\"" + Double.doubleToLongBits(value) + "\"";
        } catch (RuntimeException refused) {
            // stays null
        }
        line("double", input, answer);
    }

    private interface Reading {
        long read();
    }

    private static String answer(Reading reading) {
        try {
            return "\"" + reading.read() + "\"";
        } catch (RuntimeException refused) {
            return "null";
        }
    }

    private String random(String alphabet, int lengthMax) {
        StringBuilder text = new StringBuilder();
        for (int left = chance.nextInt(lengthMax); left >= 0; left--) {
            text.append(alphabet.charAt(chance.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private void line(String kind, String input, String answer) {
        out.print("{\"kind\":\"" + kind + "\",\"input\":" + quoted(input) + ",\"answer\":" + answer + "}\n");
    }

    /** A JSON string; half a surrogate pair, which no text in UTF-8 can hold, becomes U+FFFD. */
    private static String quoted(String text) {
        StringBuilder result = new StringBuilder("\"");
        for (int i = 0; i < text.length();) {
            int point = text.codePointAt(i);
            i += Character.charCount(point);
            if (point >= 0xD800 && point <= 0xDFFF) {
                point = 0xFFFD;
            }
            if (point < ' ' || point == '"' || point == '\\') {
                result.append(String.format("\\u%04x", point));
            } else {
                result.appendCodePoint(point);
            }
        }
        return result.append("\"").toString();
    }
}
