// What the kernel's worker imports in Pyodide's place: the same function, reading its files as follows.
//
// * WebAssembly comes packed by us. Many static servers send it as it is, three times as large.
// * Every byte is counted and told to the page, so that a reader sees the start advance or stall.
import { loadPyodide as load } from "./pyodide.mjs";

const HERE = new URL(".", import.meta.url).href;
const WASM = "pyodide.asm.wasm";

/** @param {(bytes: number) => void} tell */
function counted(/** @type {Response} */ response, tell) {
  const meter = new TransformStream({
    transform(chunk, controller) {
      tell(chunk.byteLength);
      controller.enqueue(chunk);
    },
  });
  return response.body.pipeThrough(meter);
}

export async function loadPyodide(options) {
  const channel = typeof BroadcastChannel === "function" ? new BroadcastChannel("chapterkit-live") : null;
  const plain = self.fetch;
  let bytes = 0;
  let told = 0;
  const tell = (more) => {
    bytes += more;
    // Ten messages a second are plenty for a line of text.
    if (channel && Date.now() - told > 100) {
      told = Date.now();
      channel.postMessage({ bytes });
    }
  };
  self.fetch = async (input, init) => {
    const url = typeof input === "string" ? input : (input.url ?? String(input));
    if (!url.startsWith(HERE)) return plain(input, init);
    const packed = url === HERE + WASM;
    const response = packed ? await plain(`${url}.packed`, init) : await plain(input, init);
    if (!response.ok || !response.body) return response;
    const body = counted(response, tell);
    return packed
      ? new Response(body.pipeThrough(new DecompressionStream("gzip")), { headers: { "content-type": "application/wasm" } })
      : new Response(body, { status: response.status, headers: response.headers });
  };
  try {
    return await load(options);
  } finally {
    self.fetch = plain;
    channel?.postMessage({ bytes, done: true });
    channel?.close();
  }
}
