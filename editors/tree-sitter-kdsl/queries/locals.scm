[(source_file) (function) (kernel) (test) (block) (for) (comprehension)] @local.scope

(function name: (identifier) @local.definition.function)
(kernel name: (identifier) @local.definition.function)
(extern_function name: (identifier) @local.definition.function)
(struct name: (identifier) @local.definition.type)
(extern_struct name: (identifier) @local.definition.type)
(const name: (identifier) @local.definition.constant)
(parameter name: (identifier) @local.definition.parameter)
(generic name: (identifier) @local.definition.type)
(binder name: (identifier) @local.definition.var)
(let name: (identifier) @local.definition.var)
(shared name: (identifier) @local.definition.var)
(for name: (identifier) @local.definition.var)
(import path: (path (identifier) @local.definition.namespace .))

(identifier) @local.reference
