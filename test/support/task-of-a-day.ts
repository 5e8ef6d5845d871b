import type { Locator, Page } from 'playwright-core';
import type { Site } from './support-site.ts';
import type { TestBrowser } from './browser.ts';

/** A task of a day at the support site, by a person who starts at the overview. */
export interface Task {
  page: Page;
  /** The content of the page. */
  main: Locator;
  /** Errors that the browser logs. */
  complaints: string[];
  /** Clicks an element. @throws Error for the fourth click */
  click(on: Locator): Promise<void>;
  /** Opens a page of the menu with a click. */
  open(name: string): Promise<void>;
  /** Types into the search field of the page and presses Enter. @throws Error for the second search */
  search(text: string): Promise<void>;
}

const CLICKS_MAX = 3;
const SEARCHES_MAX = 1;

/**
 * Signs a person in and opens the overview. The clicks of the task are counted from then on. Typing is not counted, and neither is the
 * answer to the question of the browser before an action that cannot be undone.
 */
export async function startTask(browser: TestBrowser, site: Site): Promise<Task> {
  const { page, complaints } = await browser.page();
  await page.goto(`${site.url}/overview`);
  await page.fill('#key', await site.key());
  await page.click('main button');
  await page.waitForSelector('#now');
  page.on('dialog', (dialog) => void dialog.accept());
  const done = { clicks: 0, searches: 0 };
  const count = (what: keyof typeof done, most: number) => {
    done[what] += 1;
    if (done[what] > most) throw new Error(`The task needs more than ${most} ${what}.`);
  };
  const click: Task['click'] = async (on) => {
    count('clicks', CLICKS_MAX);
    await on.click();
  };
  return {
    page,
    main: page.getByRole('main'),
    complaints,
    click,
    open: (name) => click(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true })),
    search: async (text) => {
      count('searches', SEARCHES_MAX);
      await page.getByRole('searchbox', { name: 'Find', exact: true }).fill(text);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/find?*');
    },
  };
}
