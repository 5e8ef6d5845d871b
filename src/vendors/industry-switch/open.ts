import { industrySwitchLimits } from '../../../temporal.config.ts';
import type { VendorWatch } from '../../platform/vendor-http/vendor-http.ts';
import { fixedSecrets, type Secrets } from '../../platform/secrets/secrets.ts';
import type { Settings } from '../../platform/settings.ts';
import { createIndustrySwitch } from './industry-switch.client.ts';
import type { IndustrySwitch } from './industry-switch.port.ts';

/**
 * Opens the client of the industry switch. Connects at the first call.
 * @param watch receives the outcomes of calls
 * @param secrets read before each call
 * @returns undefined when no address is set
 */
export function openIndustrySwitch(
  settings: Settings,
  watch: VendorWatch = {},
  secrets: Secrets = fixedSecrets(settings),
): IndustrySwitch | undefined {
  const { INDUSTRY_SWITCH_URL: url } = settings;
  const credential = secrets.of('INDUSTRY_SWITCH_CREDENTIAL');
  return url === undefined
    ? undefined
    : createIndustrySwitch({ url, credential, limits: industrySwitchLimits, ...watch });
}
