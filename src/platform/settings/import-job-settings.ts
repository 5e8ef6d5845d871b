import { setting } from './setting-kinds.ts';

/** How long import jobs are kept. */
export const importJobSettings = {
  JOB_BYTES_MAX: setting.count('Bytes that the import jobs of one organisation may store, compressed.', 10_737_418_240),
  JOB_PARTS_KEPT_DAYS: setting.count(
    'Days after the end of an import job for which what was uploaded is kept; its records stand in the results until then.',
    7,
  ),
  JOB_PAUSED_DAYS: setting.count('Days after which a paused import job expires.', 30),
  JOB_RESULTS_KEPT_DAYS: setting.count(
    'Days after the end of an import job for which its results are kept; counts and causes stay.',
    30,
  ),
};
