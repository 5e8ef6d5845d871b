import chromium from '@sparticuz/chromium';
import axe from 'axe-core';
import { chromium as playwright, type Browser, type Page } from 'playwright-core';

/** A browser of a test file; every page has a context of its own, so that no cookie is shared. */
export interface TestBrowser {
  /** Opens an empty page; what the page logs as an error fails `expectQuiet`. */
  page(): Promise<OpenPage>;
  stop(): Promise<void>;
}

export interface OpenPage {
  page: Page;
  /** What the browser complained of: errors of scripts, and what the policy of the site stopped. */
  complaints: string[];
}

export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1280, height: 900 };
const WAIT_MS = 15_000;

/** Starts the browser that comes as a package; it needs nothing of the system. */
export async function startBrowser(): Promise<TestBrowser> {
  // Else a simulated graphics card makes each frame; no page of ours draws in three dimensions.
  chromium.setGraphicsMode = false;
  const browser: Browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    // Not one process for all pages, as its package proposes for small machines: a test was seen to fail by it.
    args: chromium.args.filter((one) => one !== '--single-process'),
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
 * What axe finds on a page that is serious or worse, as lines to read.
 * @param onlyColours for a page that was looked at in other colours before
 */
export async function seriousFindings(page: Page, { onlyColours = false } = {}): Promise<string[]> {
  // By the protocol of the browser, past the policy of the site, which lets no foreign script in.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe.source);
  const results = await page.evaluate(
    async (options) => {
      const { axe: run } = globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: Finding[] }> };
      };
      return (await run.run(options)).violations;
    },
    {
      // Not what was found well, nor how each place is addressed.
      resultTypes: ['violations'],
      selectors: false,
      ...(onlyColours ? { runOnly: { type: 'tag', values: ['cat.color'] } } : {}),
    },
  );
  return results
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html).join(' | ')})`);
}

/** Which elements a page has, by name, class and role, each with the one that holds it. */
export async function partsOf(page: Page): Promise<string[]> {
  return page.locator('body *').evaluateAll((all) => {
    const nameOf = (one: Part) => [one.localName, one.getAttribute('class'), one.getAttribute('role')].join('.');
    return [...new Set(all.map((one) => `${nameOf(one.parentElement)} > ${nameOf(one)}`))];
  });
}

interface Finding {
  id: string;
  impact: string | null;
  help: string;
  nodes: { html: string }[];
}

/** What of an element is looked at in the page. */
interface Part {
  localName: string;
  getAttribute(name: string): string | null;
}
