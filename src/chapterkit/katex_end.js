// Loaded into the KaTeX server: it ends when the build process that feeds it does.
process.stdin.resume();
process.stdin.on("end", function () {
  require("fs").rmSync(process.cwd(), { recursive: true, force: true });
  process.exit(0);
});
