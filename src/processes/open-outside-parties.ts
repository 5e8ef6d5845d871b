import { industrySwitchLimits, lookupBudget, paymentVendorLimits } from '../../temporal.config.ts';
import { openWebhooks } from '../events/index.ts';
import { recordPausedVendors } from '../payment-instructions/payment-vendor-rest.store.ts';
import type { Database } from '../platform/database/database.ts';
import { reportPartyHealth } from '../platform/vendor-http/party-health.store.ts';
import type { VendorWatch } from '../platform/vendor-http/vendor-http.ts';
import { openIndustrySwitch } from '../vendors/industry-switch/open.ts';
import { openNetworkOperators } from '../vendors/network-operator/open.ts';
import { openPaymentVendors } from '../vendors/payment-vendor/open.ts';
import type { PartyName } from '../vocabulary/parties.ts';
import type { PaymentVendor } from '../vocabulary/value-sets.ts';
import type { ProcessContext } from './run-process.ts';

/** Clients of the outside parties that a worker calls. */
export type OutsideParties = ReturnType<typeof openOutsideParties>;

/** Creates the clients of the outside parties; they connect at their first call. Their health is stored in the database. */
export function openOutsideParties({
  settings,
  secrets,
  log,
  metrics,
  database,
}: Pick<ProcessContext, 'settings' | 'secrets' | 'log' | 'metrics'> & { database: Database }) {
  const health = reportPartyHealth({ database, log });
  const recordPausedVendor = recordPausedVendors(database, log);
  const watchOf = (party: PartyName, openMs: number): Required<VendorWatch> => ({
    onCall: (outcome, wasCalled) => {
      metrics.partnerCalled(party, outcome);
      if (wasCalled) health.called(party, outcome);
    },
    onPause: (isPaused) => health.paused(party, isPaused ? openMs : undefined),
  });
  const watchOfVendor = (vendor: PaymentVendor): VendorWatch => {
    const watch = watchOf(vendor, paymentVendorLimits[vendor].openMs);
    return {
      ...watch,
      onPause: (isPaused) => {
        watch.onPause(isPaused);
        recordPausedVendor(vendor, isPaused);
      },
    };
  };
  const watchOfOperator = (operator: PartyName & keyof ReturnType<typeof openNetworkOperators>) =>
    watchOf(operator, lookupBudget.call.openMs);
  const networkOperators = openNetworkOperators(settings, watchOfOperator, secrets);
  const vendors = openPaymentVendors(settings, watchOfVendor, secrets);
  const watchOfSwitch = watchOf('industry-switch', industrySwitchLimits.openMs);
  const industrySwitch = openIndustrySwitch(settings, watchOfSwitch, secrets);
  const webhooks = openWebhooks({ allowsPrivate: settings.WEBHOOK_PRIVATE_ADDRESSES });
  return {
    networkOperators,
    vendors,
    industrySwitch,
    webhooks,
    close: async () => {
      const clients = [...Object.values(vendors), ...Object.values(networkOperators), webhooks];
      await Promise.all([...clients, ...(industrySwitch ? [industrySwitch] : [])].map((client) => client.close()));
    },
  };
}
