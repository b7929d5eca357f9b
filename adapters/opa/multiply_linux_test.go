package opa

import (
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

// TestNoFunctionMultipliesOneOperandByAnother calls the functions that write one
// of their operands again for each value of another: each of the two is small,
// what they make together must be bounded too.
func TestNoFunctionMultipliesOneOperandByAnother(t *testing.T) {
	const memory = 512 << 20 // bytes made by one call
	long := strings.Repeat("a", 700_000)
	var numbers, texts []*ast.Term
	for i := range 2000 {
		numbers, texts = append(numbers, ast.IntNumberTerm(i)), append(texts, ast.StringTerm("b"))
	}
	field := func(name string, value *ast.Term) [2]*ast.Term {
		return [2]*ast.Term{ast.StringTerm(name), value}
	}
	for call, input := range map[string]*ast.Term{
		"json.marshal_with_options(input[0], input[1])":  ast.ArrayTerm(ast.ArrayTerm(numbers...), ast.ObjectTerm(field("pretty", ast.BooleanTerm(true)), field("prefix", ast.StringTerm(long)))),
		"urlquery.encode_object(input)":                  ast.ObjectTerm(field(long, ast.ArrayTerm(texts...))),
		"urlquery.encode_object(input[0])":               ast.ArrayTerm(ast.ObjectTerm(field(long, ast.SetTerm(texts...)), field("b", ast.ArrayTerm(texts...)))),
		"concat(input[0], input[1])":                     ast.ArrayTerm(ast.StringTerm(long), ast.ArrayTerm(texts...)),
		"replace(input[0], \"b\", input[1])":             ast.ArrayTerm(ast.StringTerm(strings.Repeat("b", 2000)), ast.StringTerm(long)),
		"strings.replace_n({\"b\": input[1]}, input[0])": ast.ArrayTerm(ast.StringTerm(strings.Repeat("b", 2000)), ast.StringTerm(long)),
		"regex.replace(input[0], \"b\", input[1])":       ast.ArrayTerm(ast.StringTerm(strings.Repeat("b", 2000)), ast.StringTerm(long)),
		"sprintf(input[0], input[1])":                    ast.ArrayTerm(ast.StringTerm(strings.Repeat("%[1]s", 2000)), ast.ArrayTerm(ast.StringTerm(long))),
	} {
		query, err := rego.New(rego.Query("x := "+call), rego.Capabilities(capabilities()), rego.SetRegoVersion(ast.RegoV1), rego.StrictBuiltinErrors(true)).PrepareForEval(t.Context())
		if err != nil {
			if !strings.Contains(err.Error(), "undefined function") {
				t.Errorf("%s: %v", call, err)
			}
			continue // it is not offered
		}
		before := allocated()
		_, _ = query.Eval(t.Context(), rego.EvalParsedInput(input.Value), rego.EvalGenerateJSON(keepValue))
		if made := allocated() - before; made > memory {
			t.Errorf("%s made %d MiB", call, made>>20)
		}
	}
}
