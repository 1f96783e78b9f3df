;;; kdsl-mode.el --- KDSL in Emacs, with `kdslc lsp' through Eglot  -*- lexical-binding: t -*-
;; (add-to-list 'load-path "…/editors/emacs") (require 'kdsl-mode)
;;; Code:
(defvar kdsl-words '("fn" "kernel" "struct" "const" "import" "extern" "export" "test" "let" "var" "if" "else" "for" "in" "while" "break" "continue" "return" "assert" "offload" "atomic" "shared" "barrier" "wait" "true" "false" "mut" "by" "step" "on" "resident" "async" "out" "scratch" "over" "min" "max" "assume" "fast"))
(defvar kdsl-types '("bool" "i8" "i16" "i32" "i64" "u8" "u16" "u32" "u64" "index" "f16" "bf16" "f32" "f64" "str"))

(defvar kdsl-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?\" "\"" table)
    table))

;;;###autoload
(define-derived-mode kdsl-mode prog-mode "KDSL"
  "Major mode for KDSL, a language for GPU kernels."
  (setq-local comment-start "// "
              font-lock-defaults
              `(((,(concat (regexp-opt kdsl-types 'words) "\\(x[2348]\\)?") . font-lock-type-face)
                 (,(regexp-opt kdsl-words 'words) . font-lock-keyword-face)
                 ("\\<\\(fn\\|kernel\\|struct\\)\\s-+\\(\\w+\\)" 2 font-lock-function-name-face)))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.kdsl\\'" . kdsl-mode))

(defvar eglot-server-programs) ; of Eglot
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(kdsl-mode "kdslc" "lsp")))

(provide 'kdsl-mode)
;;; kdsl-mode.el ends here
