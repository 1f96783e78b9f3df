autocmd BufRead,BufNewFile *.kdsl setfiletype kdsl
