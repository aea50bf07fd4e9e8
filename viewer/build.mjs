// build.mjs NODE_DIR OUT: bundles src/, style.css and page.html into one page, with three.js of NODE_DIR/node_modules in it.
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [nodeDir, out] = process.argv.slice(2);
const require = createRequire(join(resolve(nodeDir), "x.js"));
const esbuild = require("esbuild");

const common = { bundle: true, minify: true, write: false, legalComments: "none", logLevel: "warning", target: "es2022" };
const script = await esbuild.build({
  ...common,
  entryPoints: [join(here, "src/main.js")],
  format: "iife",
  charset: "utf8",
  nodePaths: [join(resolve(nodeDir), "node_modules")],
});
const style = await esbuild.build({ ...common, entryPoints: [join(here, "style.css")] });
const licence = "/* Includes three.js, (c) its authors, MIT licence: threejs.org */\n";

// Text inside <script> must not end it.
const code = script.outputFiles[0].text.replaceAll("</script", "<\\/script");
const page = (await readFile(join(here, "page.html"), "utf8"))
  .replace("/*STYLE*/", () => style.outputFiles[0].text.trim())
  .replace("/*SCRIPT*/", () => licence + code.trim());
if (page.split("<!--DATA-->").length !== 2) throw new Error("page.html must have one <!--DATA-->");
await writeFile(out, page);
