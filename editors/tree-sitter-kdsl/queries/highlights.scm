; Colours. Later patterns win in editors that take the last match, so the general ones come first.

(identifier) @variable
(member member: (identifier) @field)
(field name: (identifier) @field)
(labelled label: (identifier) @field)
(parameter name: (identifier) @parameter)
(generic name: (identifier) @type)
(generic constraint: (identifier) @type)
(generics ["<" ">"] @punctuation.bracket)
(path (identifier) @namespace)
(assumption name: (identifier) @function.builtin)
(reduction) @keyword

(function name: (identifier) @function)
(kernel name: (identifier) @function)
(extern_function name: (identifier) @function)
(call function: (identifier) @function)
(call function: (member member: (identifier) @function))
(struct name: (identifier) @type)
(extern_struct name: (identifier) @type)
(const name: (identifier) @constant)

(named_type module: (identifier) @namespace)
(named_type name: (identifier) @type)
((named_type name: (identifier) @type.builtin)
  (#match? @type.builtin "^(bool|str|index|bf16|bf16x[2348]|boolx[2348]|[iuf](8|16|32|64)(x[2348])?)$"))
((call function: (identifier) @type.builtin)
  (#match? @type.builtin "^(index|bf16|bf16x[2348]|boolx[2348]|[iuf](8|16|32|64)(x[2348])?)$"))

["fn" "kernel" "struct" "const" "extern" "export" "test" "let" "var" "fast" "over" "assume" "shared"] @keyword
["import"] @include
["if" "else"] @conditional
["for" "while" "in" "by" "step" "break" "continue"] @repeat
["return"] @keyword.return
["assert" "barrier" "wait" "offload" "resident" "async" "on" "atomic"] @keyword
["mut" "out" "scratch"] @keyword
(reference "&" @keyword)
(reference_type "&" @keyword)

["=" "+=" "-=" "*=" "/=" "%=" "&=" "|=" "^=" "<<=" "<<<=" ">>=" "||" "&&" "==" "!=" "<" "<=" ">" ">=" "|" "^" "<<"
  ">>" "<<<" "+" "-" "*" "/" "%" "!" "~" "->"] @operator
(binary "&" @operator)
(slice) @operator
(assignment ["min" "max"] @operator)
(atomic ["min" "max"] @operator)

["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" "."] @punctuation.delimiter
".." @operator

(integer) @number
(float) @float
(boolean) @boolean
(string) @string
(escape) @string.escape
(placeholder) @punctuation.special
[(line_comment) (block_comment)] @comment
(ERROR) @error
