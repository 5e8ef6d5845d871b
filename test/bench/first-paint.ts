import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';

/** Slow 3G: 50 kB/s in both directions, and 400 ms before each response. */
const SLOW_3G = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** Time limit of the first paint. */
const GOAL_MS = 1_000;

/**
 * Prints after which time a browser paints pages on simulated slow 3G, and the bytes of the page: without anything in its cache, and with the
 * files of an earlier page.
 */
export async function benchFirstPaint(
  site: string,
  key: string,
  paths: readonly string[],
  print: (line?: string) => void,
): Promise<void> {
  const browser = await startBrowser();
  try {
    const { page } = await browser.page();
    await page.goto(site);
    await page.fill('#key', key);
    await page.click('main button');
    await page.waitForSelector('.person');
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', SLOW_3G);
    print(`\nfirst paint on slow 3G, without a cache and with one (goal: under ${GOAL_MS} ms)`);
    for (const path of paths) {
      await network.send('Network.clearBrowserCache');
      const cold = await paintedAfter(page, site + path);
      const warm = await paintedAfter(page, site + path);
      const goal = Math.max(cold.ms, warm.ms) > GOAL_MS ? '   OVER THE GOAL' : '';
      const figures = [cold.ms, warm.ms].map((ms) => `${ms.toFixed(0).padStart(5)} ms`).join('  ');
      print(`  ${path.padEnd(70)} ${figures}   ${(cold.bytes / 1_000).toFixed(1)} kB${goal}`);
    }
  } finally {
    await browser.stop();
  }
}

async function paintedAfter(page: Page, address: string): Promise<{ ms: number; bytes: number }> {
  await page.goto(address);
  const ms = await page.evaluate<number>(FIRST_PAINT);
  const bytes = await page.evaluate<number>(`performance.getEntriesByType('navigation')[0].transferSize`);
  return { ms, bytes };
}

const FIRST_PAINT = `new Promise((resolve) => {
  const observer = new PerformanceObserver((list) => {
    for (const one of list.getEntriesByName('first-contentful-paint')) resolve(one.startTime);
  });
  observer.observe({ type: 'paint', buffered: true });
})`;
