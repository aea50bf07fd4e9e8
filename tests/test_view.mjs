// test_view.mjs NODE_DIR PAGE.html TRUTH.json: the page of a run in Chromium, from file://. TRUTH has places of one frame as the
// run holds them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [nodeDir, pagePath, truthPath] = process.argv.slice(2);
const require = createRequire(join(resolve(nodeDir), "x.js"));
const { chromium } = require("playwright-core");
const truth = JSON.parse(readFileSync(truthPath, "utf8"));
const url = `file://${resolve(pagePath)}`;
const plain = url.replace(/run.html$/, "plain.html");
const shots = process.env.SKEIN_SHOTS; // a folder: pictures to look at

let failed = 0;
const check = (what, good, detail = "") => {
  console.log(`${good ? "ok" : "NOT OK"} ${what} ${detail}`);
  if (!good) failed++;
};

const browser = await chromium.launch({
  executablePath: process.env.SKEIN_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});

const troubles = [];
async function openPage(options, before, address = url) {
  const context = await browser.newContext({ viewport: { width: 800, height: 420 }, colorScheme: "light", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20000);
  page.on("console", (m) => m.type() === "error" && troubles.push(`console: ${m.text()}`));
  page.on("pageerror", (e) => troubles.push(`error: ${e.message}`));
  page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || troubles.push(`request: ${r.url()}`));
  if (before) await page.addInitScript(before);
  await page.goto(address);
  return page;
}

// Draws now, and keeps the picture in the page under a number.
let pictures = 0;
const picture = async (page) => {
  const name = pictures++;
  await page.evaluate((n) => {
    const { stage } = window.skein;
    window.skein.moved = true;
    window.skein.show();
    stage.draw();
    const gl = stage.renderer.getContext();
    const [w, h] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    const data = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, data);
    (window.pictures ??= {})[n] = data;
  }, name);
  return { page, name };
};
// Share of pixels that differ clearly.
const difference = (a, b) =>
  a.page.evaluate(([m, n]) => {
    const [x, y] = [window.pictures[m], window.pictures[n]];
    let count = 0;
    for (let i = 0; i < x.length; i += 4) {
      if (Math.abs(x[i] - y[i]) + Math.abs(x[i + 1] - y[i + 1]) + Math.abs(x[i + 2] - y[i + 2]) > 40) count++;
    }
    return count / (x.length / 4);
  }, [a.name, b.name]);
// Waits for an expression to be true. (Playwright's own way needs eval, which the page forbids.)
async function until(page, expression) {
  for (const end = Date.now() + 30000; !(await page.evaluate(expression)); await page.waitForTimeout(50)) {
    if (Date.now() > end) throw new Error(`never came: ${expression}`);
  }
}
const time = (page) => page.evaluate("skein.player.time");

async function opens(page) {
  await until(page, "window.skein && skein.player.ready === skein.head.frames");
  const seen = await page.evaluate(() => ({
    title: document.title,
    heading: document.getElementById("title").textContent,
    frames: skein.head.frames,
    rods: skein.source.frames[0].rods,
    message: getComputedStyle(document.getElementById("message")).display,
  }));
  check("opens from file://", seen.message === "none" && seen.rods === truth.rods, JSON.stringify(seen));
  check("has title and frames", seen.heading === truth.title && seen.frames === truth.frames);
}

// What was packed, differences included, is what the run holds, to half a cell of the box.
async function decodes(page) {
  const error = await page.evaluate((t) => {
    const f = skein.source.frames[t.frame];
    let worst = 0;
    for (let i = 0; i < f.points; i++) {
      for (let k = 0; k < 3; k++) {
        worst = Math.max(worst, Math.abs(f.origin[k] + f.cell * f.point[k * f.points + i] - t.points[3 * i + k]));
      }
    }
    return { worst, cell: f.cell, points: f.points, contacts: f.contacts, time: f.time };
  }, truth);
  check("places are those of the run", error.points * 3 === truth.points.length && error.worst < 0.51 * error.cell, JSON.stringify(error));
  check("contacts and time, too", error.contacts === truth.contacts && Math.abs(error.time - truth.time) < 1e-9);
}

async function draws(page) {
  await page.evaluate(() => skein.actions_.seekFrame(0));
  const start = await picture(page);
  await page.evaluate(() => (skein.stage.strands.mesh.visible = false));
  const bare = await picture(page);
  await page.evaluate(() => (skein.stage.strands.mesh.visible = true));
  const covered = await difference(start, bare);
  check("strands cover a part of the picture", covered > 0.02 && covered < 0.8, covered.toFixed(3));
  await page.evaluate((n) => skein.actions_.seekFrame(n), truth.frame);
  const moved = await difference(start, await picture(page));
  check("another frame looks different", moved > 0.01, moved.toFixed(3));
}

async function plays(page) {
  await page.evaluate(() => skein.actions_.seekFrame(0));
  await page.locator("#play").click();
  await until(page, "skein.player.playing && skein.player.time > skein.player.times[1]");
  await page.keyboard.press("Space"); // the button has the focus: it is pressed
  check("plays and pauses", !(await page.evaluate("skein.player.playing")) && (await time(page)) > 0, `at ${await time(page)}`);
  const box = await page.locator("#time").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const middle = await time(page);
  const end = await page.evaluate("skein.player.end");
  check("the slider seeks", Math.abs(middle - end / 2) < 0.1 * end, `${middle} of ${end}`);
  await page.locator("#view").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  check("keys step by frames", (await page.evaluate("skein.player.index")) === truth.frames - 2);
  await page.locator(".plot canvas").first().scrollIntoViewIfNeeded();
  const plot = await page.locator(".plot canvas").first().boundingBox();
  await page.mouse.click(plot.x + 54 + 0.25 * (plot.width - 58), plot.y + 20);
  check("a click on a plot seeks", Math.abs((await time(page)) - end / 4) < 0.03 * end, `${await time(page)}`);
  const steps = await page.evaluate("skein.plots.steps.count");
  check("plots have the steps", steps > truth.frames && (await page.locator(".plot").count()) >= 6, `${steps}`);
}

async function colours(page) {
  await page.evaluate((n) => skein.actions_.seekFrame(n), truth.frame);
  const seen = {};
  for (const mode of ["material", "group", "speed", "status", "force", "island"]) {
    await page.locator(`#colours [data-mode=${mode}]`).click();
    seen[mode] = await picture(page);
    const legend = await page.locator("#legend").textContent();
    const other = Object.entries(seen).filter(([m]) => m !== mode);
    const least = Math.min(1, ...(await Promise.all(other.map(([, p]) => difference(p, seen[mode])))));
    check(`colour by ${mode}`, least > 0.0005 && legend.length > 8, `${least.toFixed(4)} "${legend}"`);
  }
  await page.locator("#view").focus();
  await page.keyboard.press("1");
  const without = await picture(page);
  await page.keyboard.press("c");
  check("contact forces show", (await difference(without, await picture(page))) > 0.0002);
  if (shots) await page.screenshot({ path: join(shots, "arrows.png") });
  await page.keyboard.press("c");
}

async function turnsAndHelps(page) {
  const before = await picture(page);
  await page.mouse.move(200, 200);
  await page.mouse.down();
  await page.mouse.move(320, 230, { steps: 3 });
  await page.mouse.up();
  check("the mouse turns the view", (await difference(before, await picture(page))) > 0.02);
  await page.keyboard.press("f");
  await page.keyboard.press("d");
  check("dark", (await page.evaluate("document.documentElement.dataset.theme")) === "dark");
  if (shots) await page.waitForTimeout(300), await page.screenshot({ path: join(shots, "dark.png") });
  await page.keyboard.press("?");
  check("help opens", await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
  check("help closes", !(await page.locator("#help").isVisible()));
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, canvas:not([aria-hidden])")]
      .filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length))
      .map((e) => e.outerHTML));
  check("every control has a name", nameless.length === 0, nameless.join(" "));
}

// Three steps were given flaws: the panel, the timeline and the picture say which, when and who.
async function verdict(page) {
  const near = (a, b) => Math.abs(a - b) < 1e-6;
  const panel = await page.evaluate(() => ({
    state: document.getElementById("verdict").dataset.state,
    text: document.getElementById("verdict-text").textContent,
    list: [...document.querySelectorAll("#flaws li")].map((e) => e.textContent),
  }));
  check("the panel says how often", panel.state === "flawed" && panel.text.startsWith(`Flawed: 3 of ${truth.ends.length}`), panel.text);
  check("and what, when, who", /^too deep2 stepsworst at .* s: 1.3 collision radii, fair\[17\] in fair\[23\]$/.test(panel.list[0]) && panel.list.length === 5, panel.list.join("; "));
  check("the title says so, too", (await page.locator("#facts").textContent()).endsWith("flawed"));
  await page.evaluate(() => skein.actions_.seekFrame(0));
  const before = await picture(page);
  await page.locator("#flaws button").first().click();
  check("a click jumps there", near(await time(page), truth.ends[30]), `${await time(page)}`);
  const there = await picture(page);
  const readout = await page.locator("#readout").textContent();
  check("and says who", readout.includes("1.3 collision radii, fair[17] in fair[23]"), readout);
  const colours = await page.evaluate(() => {
    const { start } = skein.stage.strands.shape;
    const data = skein.stage.strands.uniforms.colours.value.image.data;
    return [17, 23, 18].map((r) => [...data.subarray(4 * start[r], 4 * start[r] + 3)].join());
  });
  check("both rods have colours of their own", colours[0] === "229,18,111" && colours[1] === "245,158,11" && colours[2] !== colours[0], colours.join(" "));
  await until(page, () => {
    const c = document.getElementById("overlay");
    return c.width > 0 && c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((x) => x > 0);
  });
  check("and are drawn through the others", true);
  if (shots) await page.screenshot({ path: join(shots, "verdict.png") });
  await page.keyboard.press("Escape");
  const changed = await difference(there, await picture(page));
  check("Esc takes the marks away", !(await page.locator("#readout").textContent()).includes("fair[17]") && changed > 0.01, `${changed}`);
  await page.evaluate(() => skein.actions_.seekFrame(0));
  check("all is as before", (await difference(before, await picture(page))) < 0.002);
  const marks = await page.locator("#marks").boundingBox();
  const x = await page.evaluate(() => skein.verdict.x(skein.verdict.marks.at(-1).time));
  const painted = await page.evaluate((at) => {
    const c = document.getElementById("marks");
    const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
    const alpha = (px) => d[4 * (c.width * (c.height >> 1) + Math.round((px * c.width) / c.clientWidth)) + 3];
    return [alpha(at), alpha(at + 20)];
  }, x);
  check("the timeline is marked there, and only there", painted[0] > 200 && painted[1] === 0, painted.join());
  await page.mouse.move(marks.x + x, marks.y + 4);
  const tip = await page.locator("#mark-tip").textContent();
  check("a mark tells what, when, who", /^deep at [0-9.]* s1.2 collision radii, fair\[30\] in floor/.test(tip), tip);
  await page.mouse.click(marks.x + x, marks.y + 4);
  check("a click on it jumps there", near(await time(page), truth.ends[120]) && (await page.evaluate("skein.verdict.bodies.size")) === 1);
  await page.keyboard.press("n");
  check("N goes to the next one, around the end", near(await time(page), truth.ends[30]), `${await time(page)}`);
  await page.keyboard.press("Escape");
  await page.mouse.move(10, 10);
}

// A run without a flaw has nothing to mark.
async function clean() {
  const page = await openPage({}, null, plain);
  await until(page, "window.skein && skein.player.ready === skein.head.frames");
  const text = await page.locator("#verdict-text").textContent();
  check("a clean run is within tolerance", text.startsWith("Within tolerance: none of") && !(await page.locator("#marks").isVisible()), text);
  await page.context().close();
}

async function phone() {
  const page = await openPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await until(page, "window.skein && skein.player.ready === skein.head.frames");
  await page.locator("#panel-toggle").click();
  await page.locator("#tab-stats").click();
  await page.waitForTimeout(200);
  const fits = await page.evaluate(() => {
    const out = [...document.querySelectorAll("button, #legend, h1, input, select")].filter((e) => {
      const b = e.getBoundingClientRect();
      return b.width > 0 && (b.left < -1 || b.right > innerWidth + 1);
    });
    return { wide: document.documentElement.scrollWidth, out: out.map((e) => e.id), plot: document.querySelector(".plot canvas").clientWidth };
  });
  check("fits a phone", fits.wide <= 390 && fits.out.length === 0 && fits.plot > 250, JSON.stringify(fits));
  if (shots) await page.screenshot({ path: join(shots, "phone.png") });
  await page.context().close();
}

async function withoutWebGL() {
  const page = await openPage({}, () => {
    HTMLCanvasElement.prototype.getContext = () => null;
  });
  const text = await page.locator("#message-text").textContent();
  check("says that WebGL is missing", /WebGL/.test(text) && (await page.locator("#message").isVisible()), text);
  await page.context().close();
}

try {
  const page = await openPage({});
  await opens(page);
  await decodes(page);
  await draws(page);
  if (shots) await page.screenshot({ path: join(shots, "light.png") });
  await page.locator("#shadows").uncheck(); // drawn by software here: spare it
  await plays(page);
  await verdict(page);
  await colours(page);
  await turnsAndHelps(page);
  await page.context().close();
  await clean();
  await phone();
  await withoutWebGL();
} catch (error) {
  check("no exception", false, error.message);
}
check("no errors, no requests", troubles.length === 0, troubles.join("; "));
await browser.close();
process.exit(failed ? 1 : 0);
