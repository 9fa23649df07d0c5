// Opens a report in Debian's Chromium and says what is wrong with it, as one JSON object on standard output.
// Arguments: the browser, the page.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [browserPath, page] = process.argv.slice(2);
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const address = pathToFileURL(page).href;
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
const told = { left: [], violations: [], errors: [], headings: [], tabs: 0, details: false, hidden: [], sideways: [], drawn_ms: 0 };
for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 360]) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
    const tab = await context.newPage();
    tab.on("request", (request) => {
      if (request.url() !== address) told.left.push(request.url());
    });
    tab.on("pageerror", (error) => told.errors.push(String(error)));
    tab.on("console", (message) => {
      if (message.type() === "error") told.errors.push(message.text());
    });
    await tab.goto(address);
    const drawn = await tab.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0))),
    );
    told.drawn_ms = Math.max(told.drawn_ms, Math.round(drawn));
    await tab.evaluate(axe);
    const found = await tab.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    for (const violation of found.violations) {
      if (["serious", "critical"].includes(violation.impact)) {
        const where = violation.nodes.slice(0, 3).map((node) => node.target.join(" "));
        told.violations.push(`${colorScheme} ${width}: ${violation.id}: ${violation.help}: ${where.join("; ")}`);
      }
    }
    if (await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1)) {
      told.sideways.push(`${colorScheme} ${width}`);
    }
    if (colorScheme === "light" && width === 1280) {
      told.headings = await tab.locator("h1, h2").allTextContents();
      // By keyboard alone: the folded data opens, and wide tables can be reached.
      for (let step = 0; step < 60 && !told.details; step += 1) {
        await tab.keyboard.press("Tab");
        told.tabs += 1;
        const name = await tab.evaluate(() => document.activeElement?.tagName);
        if (name === "SUMMARY") {
          await tab.keyboard.press("Enter");
          told.details = await tab.evaluate(() => document.activeElement.parentElement.open);
        }
      }
      await tab.emulateMedia({ media: "print" });
      told.hidden = await tab.evaluate(() =>
        [...document.querySelectorAll("h1, h2, svg.plot")]
          .filter((element) => element.getClientRects().length === 0)
          .map((element) => element.outerHTML.slice(0, 80)),
      );
    }
    await context.close();
  }
}
await browser.close();
process.stdout.write(`${JSON.stringify(told)}\n`);
