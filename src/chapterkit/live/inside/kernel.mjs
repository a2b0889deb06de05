// Python for the cells of one page: Pyodide in a worker of its own, without an application around it.
//
// The page creates it as `new Worker("kernel.mjs?<version>", { type: "module" })`. It tells the page
//   { bytes }                       how much has come,
//   { step: "start" | "ready" }     how far the start is,
//   { fault, name }                 that the start failed: "missing" (this file did not come) or "failed",
//   { cell, state | stream, text | bundle | error }   what a cell does,
//   { done, ok }                    that a request has ended, and
//   { dead }                        that Python itself broke: memory or stack used up.
// The version goes on to every file, so that files of two builds are never mixed by a browser's cache.

const VERSION = new URL(import.meta.url).search;
const HERE = new URL(".", import.meta.url).href;
const WASM = "pyodide.asm.wasm";
const plain = self.fetch.bind(self);

let bytes = 0;
let told = 0;
const meter = () =>
  new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (Date.now() - told > 100) {
        told = Date.now();
        postMessage({ bytes });
      }
      controller.enqueue(chunk);
    },
  });

class Missing extends Error {}

/** @param {string} name */
async function get(name) {
  const packed = name === WASM;
  const sent = packed ? `${name}.packed` : name;
  const response = await plain(`${HERE}${sent}${VERSION}`).catch(() => undefined);
  if (!response?.ok) throw new Missing(sent);
  // Many static servers send WebAssembly as it is, three times as large, so it comes packed by us.
  const body = response.body.pipeThrough(meter());
  if (!packed) return new Response(body, { status: 200, headers: response.headers });
  const type = { "content-type": "application/wasm" };
  return new Response(body.pipeThrough(new DecompressionStream("gzip")), { headers: type });
}

/** What a start needs, asked for at once rather than one after the other. @type {Map<string, Promise<Response>>} */
const early = new Map();
const ask = (/** @type {string} */ name) => {
  const answer = get(name);
  answer.catch(() => {});
  early.set(name, answer);
  return answer;
};

let lost = "";
self.fetch = async (input, init) => {
  const url = typeof input === "string" ? input : (input.url ?? String(input));
  if (!url.startsWith(HERE)) return plain(input, init);
  const name = url.slice(HERE.length).split("?")[0];
  const answer = early.get(name) || get(name);
  early.delete(name);
  return answer.catch((problem) => {
    lost ||= problem.message;
    throw problem;
  });
};

/** @param {string} name */
const load = (name) => {
  const code = import(`./${name}${VERSION}`).catch((problem) => {
    // Code that is there and wrong is no TypeError; the words of a file that did not come are each browser's own.
    throw problem instanceof TypeError ? new Missing(name) : problem;
  });
  // Told once, by whoever awaits it.
  code.catch(() => {});
  return code;
};

/** @type {any} */
let python, run;

async function start() {
  const settings = ask("kernel.json");
  ask(WASM);
  ask("python_stdlib.zip");
  const lock = ask("pyodide-lock.json");
  const core = load("pyodide.mjs");
  // Pyodide would import this itself, by a name without a version.
  const machine = load("pyodide.asm.js");
  const source = ask("kernel.py").then((answer) => answer.text());
  const { packages } = await (await settings).json();
  const known = await (await lock).clone().json();
  for (const name of packages) ask(known.packages[name].file_name);
  const { loadPyodide } = await core;
  await machine;
  postMessage({ step: "start" });
  python = await loadPyodide({ indexURL: HERE, packages, stdout: () => {}, stderr: () => {} });
  // A package that did not come, or is not what the lock file says, is only logged.
  const absent = packages.find((/** @type {string} */ name) => !(name in python.loadedPackages));
  if (absent) throw new Error(`${absent} could not be loaded`);
  python.FS.mkdirTree("/home/reader");
  python.FS.chdir("/home/reader");
  python.registerJsModule("_page", { tell: (/** @type {string} */ text) => postMessage(JSON.parse(text)) });
  const scope = python.toPy({ __name__: "kernel" });
  python.runPython(await source, { filename: "kernel.py", globals: scope });
  run = scope.get("run");
  self.fetch = plain;
}

const ready = start().then(
  () => {
    postMessage({ bytes });
    postMessage({ step: "ready" });
  },
  (problem) => {
    const missing = lost || (problem instanceof Missing && problem.message);
    postMessage({ fault: missing ? "missing" : "failed", name: String(missing || problem) });
    throw problem;
  },
);
ready.catch(() => {});

/** One request after the other: a kernel does one thing at a time. */
let queue = ready;
self.addEventListener("message", ({ data }) => {
  queue = queue.then(async () => {
    if (data.interrupt) return python.setInterruptBuffer(data.interrupt);
    try {
      const ok = await run(JSON.stringify(data));
      postMessage({ done: data.id, ok });
    } catch (problem) {
      postMessage({ dead: String(problem) });
    }
  });
});
