// test_live_browser.mjs NODE_DIR ADDRESS: the live page in Chromium.
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [nodeDir, address] = process.argv.slice(2);
const require = createRequire(join(resolve(nodeDir), "x.js"));
const { chromium } = require("playwright-core");
const shots = process.env.SKEIN_SHOTS; // a folder: pictures to look at

let failed = 0;
const check = (what, good, detail = "") => {
  console.log(`${good ? "ok" : "NOT OK"} ${what} ${detail} (${(performance.now() / 1000).toFixed(1)} s)`);
  if (!good) failed++;
};

const browser = await chromium.launch({
  executablePath: process.env.SKEIN_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const troubles = [];
const page = await (await browser.newContext({ viewport: { width: shots ? 900 : 640, height: shots ? 600 : 400 }, colorScheme: "light" })).newPage();
page.setDefaultTimeout(20000);
page.on("console", (m) => m.type() === "error" && troubles.push(`console: ${m.text()}`));
page.on("pageerror", (e) => troubles.push(`error: ${e.message}`));

// Waits for an expression to be true.
async function until(what, expression, seconds = 20) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await page.waitForTimeout(30)) {
    if (await page.evaluate(expression)) return check(what, true);
  }
  check(what, false, await page.evaluate(() => JSON.stringify(skein.source.frames.at(-1), ["time", "state", "sequence", "generation"])));
}

// Tip of a rod in the newest frame, in the world and on the screen.
const tip = (rod) =>
  page.evaluate((r) => {
    const f = skein.source.frames.at(-1);
    const i = f.shape.start[r + 1] - 1;
    const world = [0, 1, 2].map((k) => f.origin[k] + f.cell * f.point[k * f.points + i]);
    const v = skein.stage.camera.position.clone().set(...world).project(skein.stage.camera);
    const box = skein.stage.canvas.getBoundingClientRect();
    return { world, screen: [box.left + (0.5 + 0.5 * v.x) * box.width, box.top + (0.5 - 0.5 * v.y) * box.height] };
  }, rod);
const api = (path) => page.evaluate((p) => fetch(p).then((a) => a.json()), path);
const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));

async function drags(rod, [dx, dy]) {
  const before = await tip(rod);
  const [x, y] = before.screen;
  await page.mouse.move(x, y - 2);
  await page.mouse.down();
  await page.mouse.move(x + dx / 2, y + dy / 2, { steps: 4 });
  await page.mouse.move(x + dx, y + dy, { steps: 4 });
  let now = before;
  for (const end = Date.now() + 8000; Date.now() < end; await page.waitForTimeout(30)) {
    now = await tip(rod);
    if (distance(now.screen, [x + dx, y + dy]) < 15) break;
  }
  const held = await page.evaluate("skein.source.frames.at(-1).state & 4");
  check(`rod ${rod} follows the mouse`, distance(now.screen, [x + dx, y + dy]) < 15 && held > 0, JSON.stringify({ before, now }));
  if (shots) await page.screenshot({ path: join(shots, `live-drag-${rod}.png`) });
  await page.mouse.up();
  await until(`rod ${rod} is let go`, "!(skein.source.frames.at(-1).state & 4)");
  for (const end = Date.now() + 8000; Date.now() < end && distance(now.world, before.world) > 0.03; await page.waitForTimeout(30)) now = await tip(rod);
  check(`rod ${rod} falls back`, distance(now.world, before.world) <= 0.03);
}

try {
  await page.goto(address);
  await until("shows frames", "Boolean(window.skein && skein.source.frames.length && skein.source.frames.at(-1).time > 0.1)");
  check("title", (await page.title()).includes("Strands to pull at"), await page.title());
  check("two strands", (await page.evaluate("skein.source.frames.at(-1).rods")) === 2);
  await drags(0, [90, -60]);
  await drags(1, [-60, -80]);
  await page.locator("#play").click();
  await until("pauses", "Boolean(skein.source.frames.at(-1).state & 1)");
  const paused = await api("api/state");
  await page.locator("#step").click();
  await until("steps", `skein.source.frames.at(-1).time > ${paused.time} + 0.03`);
  await page.locator("#reset").click();
  await until("starts again", "skein.source.frames.at(-1).generation === 1 && skein.source.frames.at(-1).time === 0");
  await page.locator("#play").click();
  await until("plays", "skein.source.frames.at(-1).time > 0.1");
  await page.evaluate(() => {
    const gravity = document.getElementById("gravity");
    gravity.value = 0;
    gravity.dispatchEvent(new Event("input"));
  });
  for (let k = 0; k < 100 && (await api("api/state")).controls.gravity[2] !== 0; k++) await page.waitForTimeout(30);
  check("gravity is off", distance((await api("api/state")).controls.gravity, [0, 0, 0]) === 0);
  check("no failure", !(await api("api/state")).failed);
} catch (error) {
  check("no exception", false, error.message);
}
check("no errors", troubles.length === 0, troubles.join("; "));
await browser.close();
process.exit(failed ? 1 : 0);
