" Vim syntax file for KDSL. docs/editors.md says where it belongs.
if exists("b:current_syntax") | finish | endif
syn keyword kdslKeyword fn kernel struct const import extern export test let var if else for in while break continue return assert offload atomic shared barrier wait true false mut
syn keyword kdslSoft by step on resident async out scratch over min max assume fast
syn keyword kdslType bool i8 i16 i32 i64 u8 u16 u32 u64 index f16 bf16 f32 f64 str
syn match kdslVectorType "\<\%([iuf]\%(8\|16\|32\|64\)\|bf16\|bool\)x[2348]\>"
syn match kdslNumber "\<\d[0-9a-zA-Z_]*\%(\.\d[0-9_]*\)\?\%([eE][-+]\?\d\+\)\?\%([iuf]\w\+\)\?\>"
syn region kdslString start=+"+ skip=+\\.+ end=+"+ contains=kdslEscape,kdslHole
syn match kdslEscape "\\." contained
syn match kdslHole "{[^{}]*}" contained
syn match kdslComment "//.*$" contains=kdslTodo,@Spell
syn region kdslComment start="/\*" end="\*/" contains=kdslTodo,@Spell
syn keyword kdslTodo contained TODO FIXME
syn match kdslCall "\<\h\w*\ze\s*("
syn match kdslReference "&\%(mut\|out\|scratch\)\?\>\?"
hi def link kdslKeyword Keyword
hi def link kdslSoft Keyword
hi def link kdslType Type
hi def link kdslVectorType Type
hi def link kdslNumber Number
hi def link kdslString String
hi def link kdslEscape SpecialChar
hi def link kdslHole SpecialChar
hi def link kdslComment Comment
hi def link kdslTodo Todo
hi def link kdslCall Function
hi def link kdslReference Operator
setlocal commentstring=//\ %s
let b:current_syntax = "kdsl"
