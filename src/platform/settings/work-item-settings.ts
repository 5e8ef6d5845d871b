import { dispatchPace } from '../../../temporal.config.ts';
import { setting } from './setting-kinds.ts';

/** How soon pending work is started, and looked at again. */
export const workItemSettings = {
  DISPATCH_EVERY_MS: setting.count(
    'Pause between two rounds of the dispatcher, which starts pending work that is due; 100 to 600000.',
    dispatchPace.everyMs,
    100,
    600_000,
  ),
  WORK_RETRY_SECONDS: setting.count(
    'Pending work that the dispatcher has started is looked at again after this time; 1 to 3600. A switch that runs is looked at twice a day.',
    dispatchPace.retrySeconds,
    1,
    3_600,
  ),
};
