import type { Page } from 'playwright-core';

/**
 * Follows docs/operators/when-something-waits.md#quarantined-accounts in Temporal's own web UI: opens the run's
 * pending activities and resets the failing one.
 * @param page any page; it is led to the run
 * @param run address of the run
 * @param whenSeen runs between reading the failure and the reset
 * @returns the failure that the web UI showed
 */
export async function resetInWebUi(page: Page, run: string, whenSeen: () => Promise<unknown>): Promise<string> {
  await page.goto(run);
  await page.getByTestId('pending-activities-tab').click();
  const reset = page.getByRole('button', { name: 'Reset', exact: true });
  await reset.waitFor();
  const shown = (await page.locator('main').textContent()) ?? '';
  await whenSeen();
  await reset.click();
  await page.getByTestId('confirm-modal-button').filter({ visible: true }).click();
  return shown;
}
