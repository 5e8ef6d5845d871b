import type { Client } from '@temporalio/client';
import type { Page } from 'playwright-core';
import { until } from './until.ts';

/**
 * Resets the pending activity of a run, as described in docs/running/temporal-web-ui.md; resolves when Temporal accepted.
 * @param run address of the run
 * @param beforeReset runs after the failure is shown, immediately before the reset
 * @returns the failure shown by the web UI
 */
export async function resetInWebUi(page: Page, run: string, beforeReset: () => Promise<unknown>): Promise<string> {
  const reset = page.getByRole('button', { name: 'Reset', exact: true });
  let shown = '';
  // A short step of the run may be pending beside the failing activity, also at the moment of the click, which two buttons make fail.
  await until(async () => {
    await page.goto(run);
    await page.getByTestId('pending-activities-tab').click();
    await reset.first().waitFor();
    shown = (await page.locator('main').textContent()) ?? '';
    return reset.click().then(
      () => true,
      () => false,
    );
  });
  const confirm = page.getByTestId('confirm-modal-button').filter({ visible: true });
  // Waits until the dialog is ready, so that no automatic retry happens between the two.
  await confirm.click({ trial: true });
  await beforeReset();
  const accepted = page.waitForResponse((response) => /activities.*\/reset/.test(response.url()) && response.ok());
  await confirm.dispatchEvent('click');
  await accepted;
  return shown;
}

/**
 * Opens a run from the list of workflows, and its current details.
 * @param client of the same namespace
 * @param site address of the namespace in the web UI
 * @param query filter of the list
 * @param details text that the run must show
 */
export async function openRunInWebUi(
  page: Page,
  client: Client,
  site: string,
  run: { query: string; workflowId: string; details: RegExp },
): Promise<void> {
  // The list does not refresh, so it is loaded once Temporal lists the run.
  await until(async () => {
    for await (const listed of client.workflow.list({ query: run.query })) {
      if (listed.workflowId === run.workflowId) return true;
    }
    return false;
  });
  await page.goto(`${site}/workflows?query=${encodeURIComponent(run.query)}`);
  await page.getByRole('link', { name: run.workflowId, exact: true }).click();
  await page.getByText('User Metadata', { exact: true }).click();
  const details = page.locator('main iframe').last().contentFrame();
  await details.locator('body', { hasText: run.details }).waitFor();
}

/** Sends a signal without input to the run that the page shows. */
export async function signalInWebUi(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More Actions' }).filter({ visible: true }).click();
  await page.getByRole('menuitem', { name: 'Send a Signal' }).filter({ visible: true }).click();
  await page.getByTestId('signal-select-button').filter({ visible: true }).click();
  await page.getByRole('option', { name }).filter({ visible: true }).click();
  await page.getByTestId('confirm-modal-button').filter({ visible: true }).click();
}
