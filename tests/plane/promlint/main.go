// Reads metrics in the Prometheus text format from standard input and prints what is wrong with them: what does
// not parse, and what Prometheus' own linter has to say. Exit code 1 when anything is.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	if _, err := parser.TextToMetricFamilies(bytes.NewReader(text)); err != nil {
		fail(err)
	}
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	if err != nil {
		fail(err)
	}
	for _, problem := range problems {
		fmt.Printf("%s: %s\n", problem.Metric, problem.Text)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Println(err)
	os.Exit(1)
}
