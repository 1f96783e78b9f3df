-- KDSL in Neovim, 0.7 and newer: the language server, and keys for it. kdslc must be on the PATH.
--   ]d [d      next, previous diagnostic        \a   the fixes of the diagnostics on this line
--   \e         the diagnostics on this line     \f   format the file
--   K          what the name at the cursor is
-- (`\` is the leader key, if nothing else is set.)
if vim.b.did_ftplugin then return end
vim.b.did_ftplugin = 1

-- Colours from the grammar for tree-sitter, where it is installed; else from syntax/kdsl.vim.
if #vim.api.nvim_get_runtime_file("parser/kdsl.so", false) > 0 then
    if vim.treesitter.start then
        vim.treesitter.start()
    else
        vim.treesitter.highlighter.new(vim.treesitter.get_parser(0, "kdsl"), {})
    end
end

if vim.fn.executable("kdslc") == 0 then
    vim.notify("kdslc is not on the PATH, so there are no diagnostics", vim.log.levels.WARN)
    return
end

local config = { name = "kdslc", cmd = { "kdslc", "lsp" }, root_dir = vim.fn.getcwd() }
if vim.lsp.start then
    vim.lsp.start(config)
else -- Neovim 0.7
    local id
    for _, client in ipairs(vim.lsp.get_active_clients()) do
        if client.name == config.name then id = client.id end
    end
    vim.lsp.buf_attach_client(0, id or vim.lsp.start_client(config))
end
vim.bo.omnifunc = "v:lua.vim.lsp.omnifunc" -- Ctrl-X Ctrl-O completes a name

local function jump(count)
    if vim.diagnostic.jump then
        vim.diagnostic.jump({ count = count, float = true })
    elseif count > 0 then
        vim.diagnostic.goto_next()
    else
        vim.diagnostic.goto_prev()
    end
end

local function key(modes, keys, action) vim.keymap.set(modes, keys, action, { buffer = true }) end
key("n", "]d", function() jump(1) end)
key("n", "[d", function() jump(-1) end)
key({ "n", "v" }, "<leader>a", function() vim.lsp.buf.code_action() end)
key("n", "<leader>e", function() vim.diagnostic.open_float() end)
key("n", "<leader>f", function() (vim.lsp.buf.format or vim.lsp.buf.formatting_sync)() end)
key("n", "K", function() vim.lsp.buf.hover() end)
