// Checks the extension without an editor: it activates with a stand-in for the module `vscode`, and its grammar names the
// tokens of the examples as the lexer does. Needs the npm packages of the extension and two more:
//     cp -r editors/vscode /tmp/kdsl && cd /tmp/kdsl && npm install vscode-textmate vscode-oniguruma
//     node check.js KDSLC FILE.kdsl ...
const { execFileSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const Module = require("module");
const assert = require("assert");
const [kdslc, ...files] = process.argv.slice(2);

// Extension ----------------------------------------------------------------------------------------------------------

// Any name of the module is a class and a namespace; the setting is the compiler.
function standIn() {
    const made = class { constructor() { return standIn(); } };
    return new Proxy(made, {
        get: (target, name) => {
            if (name === "getConfiguration") return () => ({ get: () => kdslc });
            if (name === "then" || typeof name === "symbol" || name === "prototype") return target[name];
            return target[name] ??= standIn();
        },
        apply: () => standIn(),
    });
}

function checkExtension() {
    const load = Module._load;
    let started;
    Module._load = function (name, ...rest) {
        if (name === "vscode") return standIn();
        const loaded = load.call(this, name, ...rest);
        if (name !== "vscode-languageclient/node") return loaded;
        assert.strictEqual(typeof loaded.LanguageClient.prototype.start, "function");
        return { LanguageClient: class { constructor(...how) { this.how = how; } start() { started = this.how; } } };
    };
    require("./extension.js").activate();
    Module._load = load;
    assert.deepStrictEqual(started[2], { command: kdslc, args: ["lsp"] });
    assert.strictEqual(started[3].documentSelector[0].language, require("./package.json").contributes.languages[0].id);
}

// Grammar ------------------------------------------------------------------------------------------------------------

async function loadGrammar() {
    const oniguruma = require("vscode-oniguruma"), textmate = require("vscode-textmate");
    const wasm = fs.readFileSync(path.join(path.dirname(require.resolve("vscode-oniguruma")), "onig.wasm"));
    await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length));
    const text = fs.readFileSync("syntaxes/kdsl.tmLanguage.json", "utf8");
    const registry = new textmate.Registry({
        onigLib: Promise.resolve({
            createOnigScanner: patterns => new oniguruma.OnigScanner(patterns),
            createOnigString: s => new oniguruma.OnigString(s),
        }),
        loadGrammar: async () => textmate.parseRawGrammar(text, "kdsl.json"),
    });
    return [await registry.loadGrammar("source.kdsl"), textmate.INITIAL];
}

// The innermost scope of each character of a text.
function scopesOf(grammar, state, text) {
    const scopes = [];
    for (const line of text.split("\n")) {
        const done = grammar.tokenizeLine(line, state);
        state = done.ruleStack;
        for (const token of done.tokens)
            for (let at = token.startIndex; at < Math.min(token.endIndex, line.length); at++)
                scopes.push(token.scopes.join(" "));
        scopes.push("");
    }
    return scopes;
}

const wanted = { INT: "constant.numeric", FLOAT: "constant.numeric", STR: "string.", FN: "keyword.", OFFLOAD: "keyword.",
                 LET: "keyword.", VAR: "keyword.", FOR: "keyword.", KERNEL: "keyword.", MUT: "keyword." };

function checkFile(grammar, initial, file) {
    const text = fs.readFileSync(file, "latin1"); // as the lexer counts: bytes
    const scopes = scopesOf(grammar, initial, text);
    let n = 0, end = 0;
    for (const row of execFileSync(kdslc, ["--emit=tokens", file], { encoding: "latin1" }).trim().split("\n")) {
        const [, kind, lo, hi] = row.match(/^(\w+) (\d+)\.\.(\d+)/) ?? [];
        if (!kind || kind === "END") continue;
        if (wanted[kind]) assert.ok(scopes[lo].includes(wanted[kind]), `${file}: ${row} is ${scopes[lo]}`);
        assert.ok(!scopes[lo].includes("comment"), `${file}: ${row} is ${scopes[lo]}`);
        for (let at = end; at < lo; at++)
            if (!/\s/.test(text[at])) assert.ok(scopes[at].includes("comment"), `${file}: the comment at ${at} is ${scopes[at]}`);
        end = Number(hi);
        n++;
    }
    return n;
}

async function main() {
    checkExtension();
    const [grammar, initial] = await loadGrammar();
    const n = files.reduce((sum, file) => sum + checkFile(grammar, initial, file), 0);
    assert.ok(n > 0, "no tokens");
    console.log(`the extension activates; ${n} tokens of ${files.length} files have the scopes of the grammar`);
}

main().catch(why => { console.error(why.message); process.exit(1); });
