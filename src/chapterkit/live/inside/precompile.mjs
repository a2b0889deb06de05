// Compiles the Python in wheels and zip files with the Pyodide that will run it, in Node. Called as
// `node precompile.mjs <folder of Pyodide> <archive>…`; the archives are rewritten.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...archives] = process.argv.slice(2).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
// The order of a set in compiled code follows the seed, and the same input is to give the same bytes.
// Without columns, which only underline a part of a line in tracebacks, the code is a third smaller.
const env = { HOME: "/home/pyodide", PYTHONHASHSEED: "0", PYTHONNODEBUGRANGES: "1" };
const pyodide = await loadPyodide({ indexURL: `${folder}/`, env });
pyodide.runPython(readFileSync(new URL("rewrite.py", import.meta.url), "utf8"));
const rewrite = pyodide.globals.get("rewrite");
for (const archive of archives) {
  pyodide.FS.writeFile("/in.zip", readFileSync(archive));
  rewrite("/in.zip", "/out.zip");
  writeFileSync(archive, pyodide.FS.readFile("/out.zip"));
}
