// test_view_live.mjs NODE_DIR PAGE.html: the live page against a stand-in for the server, which repeats a frame of PAGE and
// writes down what it is told. What the real one answers is tested with it.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { inflateSync } from "node:zlib";

const [nodeDir, pagePath] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(nodeDir), "x.js"))("playwright-core");
const text = readFileSync(pagePath, "utf8");
let failed = 0;
const check = (what, good, detail = "") => {
  console.log(`${good ? "ok" : "NOT OK"} live: ${what} ${detail}`);
  if (!good) failed++;
};

// The head and the first frame (complete) of a page.
const element = (id) => text.match(new RegExp(`<script type="[^"]*" id="${id}">([^<]*)</script>`))[1];
const head = { ...JSON.parse(element("skein-head")), kind: "live", controls: { mu: 0.3, gravity: [0, 0, -9.81], wind: [0, 0, 0] } };
for (const name of ["frames", "times", "chunks", "source", "verdict"]) delete head[name];
const chunk = inflateSync(Buffer.from(element("skein-chunk-0"), "base64"));
const size = chunk.readUInt32LE(0);
const columns = head.columns.length; // it has one step, which is too deep from the tenth frame on
const frame = Buffer.alloc(size + 4 * columns);
for (let i = 0; i < size / 2; i++) [frame[2 * i], frame[2 * i + 1]] = [chunk[4 + i], chunk[4 + size / 2 + i]];
frame.writeUInt32LE(size + 4 * columns, 4);
frame.writeUInt32LE(1, 68);
const start = text.indexOf('<script type="application/json" id="skein-head">');
const livePage = text.slice(0, start) + '<script type="application/json" id="skein-live">{"api": "api"}</script>' +
  text.slice(text.lastIndexOf("</script>", text.lastIndexOf("<script>")) + 9);

const verdict = {
  steps: 10, flawed: 1, crossings: 0,
  last: { flaw: 5, steps: 1, time: 0.25, text: "1.3 collision radii, fair[7] in <fair>[9]", rods: [7, 9], bodies: [] },
};
const told = [];
let [sequence, paused, generation, refuse] = [0, false, 0, false];
const state = () => ({ paused, failed: false, error: null, time: sequence / 30, sequence, controls: head.controls, verdict });
function nextFrame() {
  sequence++;
  frame.writeDoubleLE(sequence / 30, 16);
  frame.writeUInt32LE(sequence, 24);
  frame.writeUInt32LE(paused ? 1 : 0, 28);
  frame.writeUInt32LE(generation, 32);
  frame.writeFloatLE(sequence / 30, size);
  frame.writeFloatLE(sequence < 10 ? 0 : 32, size + 4 * head.columns.indexOf("flaws"));
  return frame;
}
const server = createServer((request, answer) => {
  const json = (code, body) => answer.writeHead(code, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  const { pathname } = new URL(request.url, "http://x");
  if (pathname === "/") return answer.writeHead(200, { "Content-Type": "text/html" }).end(livePage);
  if (pathname === "/api/scene") return json(200, head);
  if (pathname === "/api/state") return json(200, state());
  if (pathname === "/api/frame") return setTimeout(() => answer.writeHead(200, { "Content-Type": "application/octet-stream" }).end(nextFrame()), 100);
  let body = "";
  request.on("data", (d) => (body += d)).on("end", () => {
    const command = JSON.parse(body);
    told.push(command);
    if (refuse) return json(400, { error: "not now" });
    if (command.type === "pause" || command.type === "play") paused = command.type === "pause";
    if (command.type === "reset") generation++;
    json(200, state());
  });
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const home = `http://127.0.0.1:${server.address().port}/`;

const browser = await chromium.launch({
  executablePath: process.env.SKEIN_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const troubles = [];
async function until(what, test) {
  for (const end = Date.now() + 15000; Date.now() < end; await new Promise((r) => setTimeout(r, 30))) if (await test()) return true;
  return check(what, false, "never came"), false;
}
const last = (type) => told.findLast((c) => c.type === type);

async function controls(page) {
  await page.locator("#play").click();
  await until("pause", () => last("pause"));
  await until("shows that it is paused", async () => (await page.locator("#play").getAttribute("aria-label")) === "Play");
  await page.locator("#step").click();
  await until("step", () => last("step"));
  await page.locator("#reset").click();
  await until("reset", () => last("reset"));
  await page.locator("#play").click();
  await until("play", () => last("play"));
  await page.locator("#mu").fill("0.75");
  await until("mu", () => last("set")?.mu === 0.75);
  await page.locator("#gravity").fill("0.5");
  await until("gravity", () => Math.abs((last("set")?.gravity?.[2] ?? 0) + 4.905) < 1e-6);
  await page.locator("#wind").fill("4");
  await until("wind", () => Math.abs((last("set")?.wind?.[0] ?? 0) - 4) < 1e-6);
  check("buttons and sliders tell the server", true, `${told.length} commands`);
}

async function flaws(page) {
  await until("counts flawed steps", async () => /^Flawed: \d+ of \d+ steps seen$/.test(await page.locator("#verdict-text").textContent()));
  const list = () => page.locator("#flaws").textContent();
  await until("says who", async () => (await list()).includes("last at 0.25 s: 1.3 collision radii, fair[7] in <fair>[9]"));
  await until("beside the picture, too", async () => (await page.locator("#readout").textContent()).includes("too deep"));
  await page.locator("#flaws button").click();
  check("a click marks the two", (await page.evaluate(() => skein.colouring.marked.join())) === "7,9", await list());
  await page.keyboard.press("Escape");
}

// Takes hold of the tip of a strand, pulls it aside and lets go.
async function drags(page) {
  const tip = await page.evaluate(() => {
    const { stage } = window.skein;
    const i = stage.strands.shape.start[7] - 2;
    const p = stage.strands.place(i, stage.centre.clone());
    const q = p.clone().project(stage.camera);
    return { place: p.toArray(), x: (0.5 + 0.5 * q.x) * stage.canvas.clientWidth, y: (0.5 - 0.5 * q.y) * stage.canvas.clientHeight };
  });
  const eye = () => page.evaluate(() => window.skein.stage.camera.position.toArray());
  const before = await eye();
  await page.mouse.move(tip.x, tip.y);
  await page.mouse.down();
  await page.mouse.move(tip.x + 60, tip.y - 20, { steps: 4 });
  await until("drag", () => last("drag"));
  await page.waitForTimeout(150);
  const drag = last("drag");
  const length = Math.hypot(...drag.target.map((x, k) => x - tip.place[k]));
  check("a drag names rod, place and target", Number.isInteger(drag.rod) && drag.s > 0 && length > 0.002 && length < 0.2, JSON.stringify(drag));
  await page.mouse.up();
  await until("drop", () => last("drop"));
  check("the drop is the last word", told.at(-1).type === "drop");
  const apart = (a, b) => Math.hypot(...a.map((x, k) => x - b[k])) / Math.hypot(...a);
  const turned = apart(before, await eye());
  check("dragging a strand does not turn the view", turned < 1e-6, turned);
  await page.locator("#grab").click();
  const count = told.length;
  await page.mouse.move(tip.x, tip.y);
  await page.mouse.down();
  await page.mouse.move(tip.x + 60, tip.y - 20, { steps: 4 });
  await page.mouse.up();
  check("without grabbing it does", told.length === count && apart(before, await eye()) > 0.01);
}

try {
  const page = await (await browser.newContext({ viewport: { width: 800, height: 400 } })).newPage();
  page.setDefaultTimeout(15000);
  page.on("pageerror", (e) => troubles.push(e.message));
  page.on("request", (r) => r.url().startsWith(home) || /^(data|blob):/.test(r.url()) || troubles.push(r.url()));
  await page.goto(home);
  await until("frames", () => page.evaluate(() => window.skein?.source.frames.length > 0));
  check("shows frames", (await page.locator("#facts").textContent()).includes("200 strands"));
  await page.evaluate(() => window.skein.actions_.shadows(false)); // drawn by software here: spare it
  await flaws(page);
  await controls(page);
  await drags(page);
  refuse = true;
  await page.locator("#step").click();
  await until("the server's message", async () => (await page.locator("#message-text").textContent()) === "not now");
  refuse = false;
  if (process.env.SKEIN_SHOTS) await page.locator("#step").click(), await page.waitForTimeout(500), await page.screenshot({ path: join(process.env.SKEIN_SHOTS, "live.png") });
  await new Promise((done) => (server.closeAllConnections?.(), server.close(done)));
  await until("says that the server is gone", async () => /does not answer/.test(await page.locator("#message-text").textContent()));
} catch (error) {
  check("no exception", false, error.message);
}
check("no errors, no other requests", troubles.length === 0, troubles.join("; "));
await browser.close();
process.exit(failed ? 1 : 0);
