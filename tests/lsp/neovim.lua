-- What a user does in Neovim with `kdslc lsp`, step by step; test_real_editors.py runs it. A failed step ends it with its line.
local path = vim.env.KDSL_FILE

local function wait(what, condition)
    if not vim.wait(60000, condition, 20) then error("waited in vain for " .. what, 2) end
end

local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") .. "\n" end

local function expect(found, wanted)
    if found ~= wanted then error("expected " .. vim.inspect(wanted) .. ", found " .. vim.inspect(found), 2) end
end

local function press(keys)
    vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), "x", false)
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
    vim.cmd("edit " .. vim.fn.fnameescape(path))
    expect(vim.bo.filetype, "kdsl")
    local groups = { kernel = "kdslKeyword", saxpy = "kdslCall", ["f32"] = "kdslType", over = "kdslSoft",
                     ["{}"] = "kdslHole", ["2.0"] = "kdslNumber", ["&mut"] = "kdslReference" }
    for word, group in pairs(groups) do
        local line, column = unpack(vim.fn.searchpos("\\V" .. word, "nw"))
        expect(word .. " " .. vim.fn.synIDattr(vim.fn.synID(line, column, 1), "name"), word .. " " .. group)
    end

    wait("the diagnostic", function() return #vim.diagnostic.get(0) > 0 end)
    local found = vim.diagnostic.get(0)[1]
    expect(found.code, "E0307")
    expect(found.lnum, 1)

    press("]d")
    expect(vim.api.nvim_win_get_cursor(0)[1], 2)
    press("G[d")
    expect(vim.api.nvim_win_get_cursor(0)[1], 8)

    -- The fix of the diagnostic, which is chosen from the menu
    vim.api.nvim_win_set_cursor(0, { 2, 0 }) -- not on the underlined text
    local params = vim.lsp.util.make_range_params()
    params.context = { diagnostics = {} }
    local actions = ask("textDocument/codeAction", params)
    expect(actions[1].title, "use `&mut` to change it for the caller")
    vim.ui.select = function(items, _, choose) choose(items[1]) end
    press("\\a")
    wait("no diagnostic", function() return #vim.diagnostic.get(0) == 0 end)
    expect(text():find("y: &mut [f32; n]", 1, true) ~= nil, true)

    -- Hover
    vim.api.nvim_win_set_cursor(0, { 1, 8 })
    local hover = ask("textDocument/hover", vim.lsp.util.make_position_params())
    expect(hover.contents.value:find("kernel saxpy", 1, true) ~= nil, true)

    -- Formatting
    expect(text():find("y[i]+=a*x[i];", 1, true) ~= nil, true)
    press("\\f")
    expect(text():find("\n    y[i] += a * x[i];\n", 1, true) ~= nil, true)
    expect(#ask("textDocument/formatting", vim.lsp.util.make_formatting_params()), 0)
    vim.cmd("write")
end

local done, why = xpcall(steps, debug.traceback)
if not done then io.stderr:write(why .. "\n") end
vim.cmd(done and "qall!" or "cquit 1")
