import { setting } from './setting-kinds.ts';

/** The industry switch, and when it is asked. */
export const industrySwitchSettings = {
  INDUSTRY_SWITCH_URL: setting.text(
    'Address of the industry switch; unset, `npm start` simulates it, and a worker alone asks for no switch.',
    'https://switch.example/api',
  ),
  INDUSTRY_SWITCH_CREDENTIAL: setting.secret(
    'INDUSTRY_SWITCH_CREDENTIAL',
    'Credential of the industry switch, sent as a bearer token.',
    'kept in the secret store',
  ),
  SWITCH_LEAD_TIME_DAYS: setting.count(
    'So many days before the supply start of a point its switch is asked for.',
    14,
    0,
  ),
};
