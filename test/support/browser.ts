import chromium from '@sparticuz/chromium';
import axe from 'axe-core';
import { chromium as playwright, type Browser, type Page } from 'playwright-core';

/** A browser for a test file; every page has its own context, so no cookie is shared. */
export interface TestBrowser {
  /** Opens an empty page; errors that the page logs fail `expectQuiet`. */
  page(): Promise<OpenPage>;
  stop(): Promise<void>;
}

export interface OpenPage {
  page: Page;
  /** Complaints of the browser: script errors, and violations of the site's policy. */
  complaints: string[];
}

export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1280, height: 900 };
const WAIT_MS = 15_000;

/** Starts the browser from its package, which needs nothing from the system. */
export async function startBrowser(): Promise<TestBrowser> {
  // Otherwise a simulated graphics card renders each frame, although no page uses 3D.
  chromium.setGraphicsMode = false;
  const browser: Browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    // Without defaults of the package: one process for all pages, which made a test fail, and no rules for requests to other origins.
    args: chromium.args.filter((one) => one !== '--single-process' && one !== '--disable-web-security'),
    headless: true,
  });
  return {
    page: async () => {
      const context = await browser.newContext({ viewport: DESK });
      context.setDefaultTimeout(WAIT_MS);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(`${message.location().url} ${message.text()}`);
      });
      return { page, complaints };
    },
    stop: () => browser.close(),
  };
}

/**
 * Finds serious axe violations on a page, one line each.
 * @param onlyColours for a page that was already checked in other colours
 */
export async function seriousFindings(page: Page, { onlyColours = false } = {}): Promise<string[]> {
  // Injected by the browser's protocol, because the site's policy allows no foreign script.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe.source);
  const results = await page.evaluate(
    async (options) => {
      const { axe: run } = globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: Finding[] }> };
      };
      return (await run.run(options)).violations;
    },
    {
      // Omit passed rules and element paths.
      resultTypes: ['violations'],
      selectors: false,
      ...(onlyColours ? { runOnly: { type: 'tag', values: ['cat.color'] } } : {}),
    },
  );
  return results
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html).join(' | ')})`);
}

/** Widths of a phone, a small window and a desktop. */
const WIDTHS = [360, 1000, 1440];

/** The elements that leave the window or their box and do not scroll, or whose text breaks after few letters, at each of the widths; one line each. */
export async function overflowingElements(page: Page): Promise<string[]> {
  const size = page.viewportSize() ?? DESK;
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    found.push(...(await page.evaluate<string[]>(OVERFLOWING)));
  }
  await page.setViewportSize(size);
  return found;
}

const OVERFLOWING = `[...document.querySelectorAll('body *')].filter((one) => {
  const { left, right, width } = one.getBoundingClientRect();
  if (width <= 1 || one.closest('.skip, .unseen, svg') || !one.checkVisibility()) return false;
  const scrolls = (box) => box !== null && box !== one && getComputedStyle(box).overflowX !== 'visible';
  const leaves = (left < -1 || right > innerWidth + 1) && !scrolls(one.closest('.table, pre, textarea, dialog'));
  const style = getComputedStyle(one);
  const spills = style.overflowX === 'visible' && style.display !== 'inline' && one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 && !scrolls(one.closest('.table'));
  const isText = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const isSqueezed = isText && style.display !== 'inline' && width < 48 && one.getBoundingClientRect().height > 100;
  return leaves || spills || isSqueezed;
}).map((one) => innerWidth + ': ' + one.outerHTML.slice(0, 150))`;

/** The elements of a page by name, class and role, each with its parent. */
export async function partsOf(page: Page): Promise<string[]> {
  return page.locator('body *').evaluateAll((all) => {
    const nameOf = (one: Part) => [one.localName, one.getAttribute('class'), one.getAttribute('role')].join('.');
    // A live part that was replaced meanwhile has no parent.
    const attached = all.filter((one) => one.isConnected);
    return [...new Set(attached.map((one) => `${nameOf(one.parentElement)} > ${nameOf(one)}`))];
  });
}

interface Finding {
  id: string;
  impact: string | null;
  help: string;
  nodes: { html: string }[];
}

/** The properties of an element that are read in the page. */
interface Part {
  localName: string;
  getAttribute(name: string): string | null;
}
