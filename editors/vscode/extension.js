// The client of `kdslc lsp`. `npm install` here, then copy or link the folder to ~/.vscode/extensions/kdsl.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = function () {
    const compiler = workspace.getConfiguration("kdsl").get("compiler");
    client = new LanguageClient("kdsl", "KDSL", { command: compiler, args: ["lsp"] },
        { documentSelector: [{ language: "kdsl" }] });
    return client.start();
};

exports.deactivate = function () { return client && client.stop(); };
