import { industrySwitchLimits } from '../../../temporal.config.ts';
import type { VendorWatch } from '../../platform/vendor-http/vendor-http.ts';
import type { Settings } from '../../platform/settings.ts';
import { createIndustrySwitch } from './industry-switch.client.ts';
import type { IndustrySwitch } from './industry-switch.port.ts';

/**
 * Opens the client of the industry switch; nothing is connected before the first call.
 * @param watch told how calls end
 * @returns undefined when no address is set: nothing can be asked then
 */
export function openIndustrySwitch(settings: Settings, watch: VendorWatch = {}): IndustrySwitch | undefined {
  const { INDUSTRY_SWITCH_URL: url, INDUSTRY_SWITCH_CREDENTIAL: credential } = settings;
  return url === undefined
    ? undefined
    : createIndustrySwitch({ url, credential, limits: industrySwitchLimits, ...watch });
}
