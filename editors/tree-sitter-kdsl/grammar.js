/* grammar.js -- a tree-sitter grammar of KDSL, for editors. The language is specified by grammar/kdsl.y and
 * lexer/lexer.re; tests/unit/test_tree_sitter.c compares the trees with the compiler's.
 *
 * Words come from the external scanner (src/scanner.c), which treats keywords as the compiler does: a hard keyword is
 * never a name; a soft keyword is one wherever no rule expects the keyword. */

// The order of both lists is that of enum Token in src/scanner.c.
const HARD = ["fn", "kernel", "struct", "const", "import", "extern", "export", "test", "let", "var", "if", "else",
  "for", "in", "while", "break", "continue", "return", "assert", "offload", "atomic", "shared", "barrier", "wait",
  "true", "false", "mut"];
const SOFT = ["by", "step", "on", "resident", "async", "out", "scratch", "over", "min", "max", "assume", "fast"];

const SUFFIX_INT = /i8|i16|i32|i64|u8|u16|u32|u64|index/;
const SUFFIX_FLOAT = /f16|bf16|f32|f64/;
const DIGITS = /[0-9][0-9_]*/;
const DECIMAL = choice("0", /0_[0-9_]*/, /[1-9][0-9_]*/);
const EXPONENT = seq(/[eE][+-]?/, DIGITS);

const word = ($, text) => alias($["_" + text], text);
const list = (rule) => seq(rule, repeat(seq(",", rule)), optional(","));

module.exports = grammar({
  name: "kdsl",

  externals: ($) => [
    $.identifier,
    ...HARD.map((text) => $["_" + text]),
    ...SOFT.map((text) => $["_" + text]),
    $.block_comment,
    $.string_content,
    $._error_sentinel, // no rule has it: it is valid only during error recovery
  ],

  extras: ($) => [/[ \t\r\n\v\f]/, $.line_comment, $.block_comment],

  inline: ($) => [$._type_word],

  rules: {
    source_file: ($) => repeat($._item),

    line_comment: (_) => token(seq("//", /[^\n]*/)),

    // ---- declarations ----

    _item: ($) => choice($.function, $.kernel, $.extern_function, $.extern_struct, $.struct, $.const, $.import,
      $.test),

    function: ($) => seq(optional(word($, "export")), word($, "fn"), field("name", $.identifier),
      optional($.generics), $.parameters, optional(seq("->", field("result", $._type))), field("body", $.block)),

    kernel: ($) => seq(optional(word($, "export")), word($, "kernel"), field("name", $.identifier),
      optional($.generics), $.parameters, optional(word($, "fast")), word($, "over"), $._binders,
      optional($.assumptions),
      optional(seq("->", optional(field("reduction", $.reduction)), field("result", $._type))),
      field("body", $.block)),

    reduction: ($) => $.identifier,

    assumptions: ($) => seq(word($, "assume"), $.assumption, repeat(seq(",", $.assumption))),
    assumption: ($) => seq(field("name", $.identifier), "(", field("array", $.identifier), ")"),

    extern_function: ($) => seq(word($, "extern"), field("language", alias(token('"C"'), $.string)), word($, "fn"),
      field("name", $.identifier), optional($.generics), $.parameters,
      optional(seq("->", field("result", $._type))), ";"),
    extern_struct: ($) => seq(word($, "extern"), field("language", alias(token('"C"'), $.string)), word($, "struct"),
      field("name", $.identifier), ";"),

    struct: ($) => seq(word($, "struct"), field("name", $.identifier), optional($.generics), $.fields),
    fields: ($) => seq("{", optional(list($.field)), "}"),
    field: ($) => seq(field("name", $.identifier), ":", field("type", $._type)),

    const: ($) => seq(word($, "const"), field("name", $.identifier), optional(seq(":", field("type", $._type))), "=",
      field("value", $._expression), ";"),
    import: ($) => seq(word($, "import"), field("path", $.path), ";"),
    path: ($) => seq($.identifier, repeat(seq(".", $.identifier))),
    test: ($) => seq(word($, "test"), field("name", $.string), field("body", $.block)),

    generics: ($) => seq("<", list($.generic), ">"),
    generic: ($) => seq(field("name", $.identifier), optional(seq(":", field("constraint", $.identifier)))),

    parameters: ($) => seq("(", optional(list($.parameter)), ")"),
    parameter: ($) => seq(field("name", $.identifier), ":", field("type", $._type)),

    _binders: ($) => prec.left(seq($.binder, repeat(seq(",", $.binder)))),
    binder: ($) => seq(field("name", $.identifier), word($, "in"), field("range", $.range),
      optional(seq(word($, "by"), field("by", $._expression)))),

    // What `for` and `over` run through. Brackets of an index have `slice` instead.
    range: ($) => seq(choice($._expression, seq($._expression, "..", $._expression)),
      optional(seq(word($, "step"), field("step", $._expression)))),

    // ---- types ----

    _type: ($) => choice($.named_type, $.array_type, $.reference_type),
    named_type: ($) => seq($._type_word, optional($.type_arguments)),
    _type_word: ($) => choice(field("name", $.identifier),
      seq(field("module", $.identifier), ".", field("name", $.identifier))),
    type_arguments: ($) => seq("<", list($._type), ">"),
    array_type: ($) => seq("[", field("element", $._type), ";",
      choice(list($._expression), alias("..", $.slice)), "]"),
    reference_type: ($) => seq($._mode, $._type),
    _mode: ($) => seq("&", optional(choice(word($, "mut"), word($, "out"), word($, "scratch")))),

    // ---- statements ----

    block: ($) => seq("{", repeat($._statement), "}"),

    _statement: ($) => choice($.let, $.assignment, $.atomic_statement, $.expression_statement, $.if, $.for, $.while,
      $.break, $.continue, $.barrier, $.wait, $.return, $.assert, $.shared, $.resident, $.block),

    let: ($) => choice(
      seq(choice(word($, "let"), word($, "var")), field("name", $.identifier),
        optional(seq(":", field("type", $._type))), "=", field("value", $._init), ";"),
      seq(word($, "var"), field("name", $.identifier), ":", field("type", $._type), ";")),
    assignment: ($) => seq(field("target", $._postfix),
      choice(seq("=", field("value", $._init)), seq($._update, field("value", $._expression))), ";"),
    atomic_statement: ($) => seq($.atomic, ";"),
    expression_statement: ($) => seq(choice($.call, $.offload), ";"),
    if: ($) => seq(word($, "if"), field("condition", $._expression), field("then", $.block),
      optional(seq(word($, "else"), field("else", choice($.block, $.if))))),
    for: ($) => seq(word($, "for"), field("name", $.identifier), word($, "in"), field("range", $.range),
      field("body", $.block)),
    while: ($) => seq(word($, "while"), field("condition", $._expression), field("body", $.block)),
    break: ($) => seq(word($, "break"), ";"),
    continue: ($) => seq(word($, "continue"), ";"),
    barrier: ($) => seq(word($, "barrier"), ";"),
    wait: ($) => seq(word($, "wait"), ";"),
    return: ($) => seq(word($, "return"), optional($._expression), ";"),
    assert: ($) => seq(word($, "assert"), field("condition", $._expression),
      optional(seq(",", field("format", $.string), choice(optional(","), seq(",", list($._argument))))), ";"),
    shared: ($) => seq(word($, "shared"), field("name", $.identifier), ":", field("type", $._type), ";"),
    resident: ($) => seq(word($, "offload"), word($, "resident"), $.block),

    // An atomic update cannot be an operand of an expression.
    _init: ($) => choice($._expression, $.atomic),
    atomic: ($) => seq(word($, "atomic"), field("target", $._postfix), choice(
      seq($._update, field("value", $._expression)),
      seq("=", field("value", $._expression), optional(seq(word($, "if"), "==", field("was", $._expression)))))),
    _update: ($) => choice("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", "<<<=", ">>=",
      seq(choice(word($, "min"), word($, "max")), "=")),

    // ---- expressions; comparisons are not associative ----

    _expression: ($) => choice($._operand, alias($._compared, $.binary), alias($._combined, $.binary)),

    _combined: ($) => choice(
      prec.left(1, seq(field("left", $._expression), field("operator", "||"), field("right", $._expression))),
      prec.left(2, seq(field("left", $._expression), field("operator", "&&"), field("right", $._expression)))),

    _compared: ($) => seq(field("left", $._operand), field("operator", choice("==", "!=", "<", "<=", ">", ">=")),
      field("right", $._operand)),

    _operand: ($) => choice($.binary, $.unary, $._postfix, $.if_expression),

    binary: ($) => choice(...[["|"], ["^"], ["&"], ["<<", ">>", "<<<"], ["+", "-"], ["*", "/", "%"]].map(
      (operators, level) => prec.left(level + 1, seq(field("left", $._operand),
        field("operator", operators.length > 1 ? choice(...operators) : operators[0]), field("right", $._operand))))),

    unary: ($) => prec(10, seq(field("operator", choice("-", "!", "~")), $._operand)),

    if_expression: ($) => seq(word($, "if"), field("condition", $._expression), "{", field("then", $._expression),
      "}", word($, "else"),
      choice(seq("{", field("else", $._expression), "}"), field("else", $.if_expression))),

    _postfix: ($) => choice($.identifier, $.integer, $.float, $.string, $.boolean, $.parenthesized, $.list, $.fill,
      $.comprehension, $.offload, $.call, $.index, $.member),

    call: ($) => seq(field("function", $._postfix), $.arguments),
    arguments: ($) => seq("(", optional(list($._argument)), ")"),
    _argument: ($) => choice($._expression, $.reference, $.labelled),
    reference: ($) => seq($._mode, $._expression),
    labelled: ($) => seq(field("label", $.identifier), ":", field("value", $._expression)),

    index: ($) => seq(field("array", $._postfix), "[", list(choice($._expression, $.slice)), "]"),
    slice: ($) => choice("..", seq("..", $._expression), seq($._expression, ".."),
      seq($._expression, "..", $._expression)),
    member: ($) => seq(field("value", $._postfix), ".", field("member", $.identifier)),

    parenthesized: ($) => seq("(", $._expression, ")"),
    list: ($) => seq("[", optional(list($._expression)), "]"),
    fill: ($) => seq("[", field("value", $._expression), ";", list($._expression), "]"),
    comprehension: ($) => seq("[", field("value", $._expression), word($, "for"), $._binders, "]"),

    offload: ($) => seq(word($, "offload"), optional(word($, "async")),
      optional(seq(word($, "on"), field("device", choice($.identifier, $.integer, $.parenthesized)))),
      field("call", alias($._launch, $.call))),
    _launch: ($) => seq(field("function", $._kernel_name), $.arguments),
    _kernel_name: ($) => choice($.identifier, alias($._kernel_member, $.member)),
    _kernel_member: ($) => seq(field("value", $._kernel_name), ".", field("member", $.identifier)),

    // ---- literals ----

    boolean: ($) => choice(word($, "true"), word($, "false")),
    integer: (_) => token(seq(choice(DECIMAL, /0x[0-9a-fA-F_]*[0-9a-fA-F][0-9a-fA-F_]*/, /0b[01_]*[01][01_]*/,
      /0o[0-7_]*[0-7][0-7_]*/), optional(SUFFIX_INT))),
    float: (_) => token(choice(
      seq(DIGITS, ".", DIGITS, optional(EXPONENT), optional(SUFFIX_FLOAT)),
      seq(DIGITS, EXPONENT, optional(SUFFIX_FLOAT)),
      seq(DECIMAL, SUFFIX_FLOAT))),

    string: ($) => seq('"', repeat(choice($.string_content, $.escape, $.placeholder, $._brace)),
      token.immediate('"')),
    escape: (_) => token.immediate(choice(/\\[ntr0"'\\]/, /\\x[0-9a-fA-F]{2}/, /\\u\{[0-9a-fA-F]{1,6}\}/, "{{", "}}")),
    placeholder: (_) => token.immediate(/\{[^{}"\\\n]*\}/),
    _brace: (_) => token.immediate(/[{}]/),
  },
});
