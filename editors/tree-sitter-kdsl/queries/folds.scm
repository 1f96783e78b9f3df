[(block) (fields) (arguments) (list) (block_comment)] @fold
