-- What a user does in Neovim with `kdslc lsp`, step by step; test_neovim.py runs it. A failed step ends it with its line.
local path, kdslc, root = vim.env.KDSL_FILE, vim.env.KDSLC, vim.env.KDSL_ROOT

local function wait(what, condition)
    if not vim.wait(60000, condition, 20) then error("waited in vain for " .. what, 2) end
end

local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") .. "\n" end

local function expect(found, wanted)
    if found ~= wanted then error("expected " .. vim.inspect(wanted) .. ", found " .. vim.inspect(found), 2) end
end

local function ask(method, params)
    local answer, why = vim.lsp.buf_request_sync(0, method, params, 60000)
    for _, result in pairs(answer or {}) do
        if result.error then error(vim.inspect(result.error), 2) end
        return result.result
    end
    error("no answer to " .. method .. ": " .. vim.inspect(why), 2)
end

local function steps()
    vim.opt.runtimepath:append(root .. "/editors/vim")
    vim.cmd("filetype on | syntax on | edit " .. vim.fn.fnameescape(path))
    expect(vim.bo.filetype, "kdsl")
    local groups = { kernel = "kdslKeyword", saxpy = "kdslCall", ["f32"] = "kdslType", over = "kdslSoft",
                     ["{}"] = "kdslHole", ["2.0"] = "kdslNumber", ["&mut"] = "kdslReference" }
    for word, group in pairs(groups) do
        local line, column = unpack(vim.fn.searchpos("\\V" .. word, "nw"))
        expect(word .. " " .. vim.fn.synIDattr(vim.fn.synID(line, column, 1), "name"), word .. " " .. group)
    end

    local id = vim.lsp.start_client({ name = "kdslc", cmd = { kdslc, "lsp" }, root_dir = vim.fn.getcwd() })
    vim.lsp.buf_attach_client(0, id)
    wait("the diagnostic", function() return #vim.diagnostic.get(0) > 0 end)
    local found = vim.diagnostic.get(0)[1]
    expect(found.code, "E0307")
    expect(found.lnum, 1)

    -- The fix of the diagnostic
    vim.api.nvim_win_set_cursor(0, { 2, 0 }) -- not on the underlined text
    local params = vim.lsp.util.make_range_params()
    params.context = { diagnostics = {} }
    local actions = ask("textDocument/codeAction", params)
    expect(actions[1].title, "use `&mut` to change it for the caller")
    vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
    wait("no diagnostic", function() return #vim.diagnostic.get(0) == 0 end)
    expect(text():find("y: &mut [f32; n]", 1, true) ~= nil, true)

    -- Hover
    vim.api.nvim_win_set_cursor(0, { 1, 8 })
    local hover = ask("textDocument/hover", vim.lsp.util.make_position_params())
    expect(hover.contents.value:find("kernel saxpy", 1, true) ~= nil, true)

    -- Formatting
    expect(text():find("y[i]+=a*x[i];", 1, true) ~= nil, true)
    vim.lsp.buf.formatting_sync(nil, 60000)
    expect(text():find("\n    y[i] += a * x[i];\n", 1, true) ~= nil, true)
    expect(#ask("textDocument/formatting", vim.lsp.util.make_formatting_params()), 0)
    vim.cmd("write")
end

local done, why = xpcall(steps, debug.traceback)
if not done then io.stderr:write(why .. "\n") end
vim.cmd(done and "qall!" or "cquit 1")
