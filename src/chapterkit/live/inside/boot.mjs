// What JupyterLite's worker imports in Pyodide's place: the same function, but WebAssembly comes packed by us.
// Many static servers send it as it is, three times as large.
import { loadPyodide as load } from "./pyodide.mjs";

const WASM = new URL("pyodide.asm.wasm", import.meta.url).href;

export async function loadPyodide(options) {
  const plain = self.fetch;
  self.fetch = async (input, init) => {
    const url = typeof input === "string" ? input : (input.url ?? String(input));
    if (url !== WASM) return plain(input, init);
    const response = await plain(`${WASM}.packed`, init);
    if (!response.ok || !response.body) return response;
    const body = response.body.pipeThrough(new DecompressionStream("gzip"));
    return new Response(body, { headers: { "content-type": "application/wasm" } });
  };
  try {
    return await load(options);
  } finally {
    self.fetch = plain;
  }
}
