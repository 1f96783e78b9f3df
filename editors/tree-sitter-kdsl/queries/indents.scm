[(block) (fields) (parameters) (arguments) (list) (fill) (comprehension) (if_expression) (parenthesized)] @indent.begin
["}" ")" "]"] @indent.branch
(block_comment) @indent.ignore
