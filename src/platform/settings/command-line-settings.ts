import { setting } from './setting-kinds.ts';

/** The command line of operators. */
export const commandLineSettings = {
  XDG_CONFIG_HOME: setting.text(
    'Where the command line keeps its session, in gangway/session.json; unset, ~/.config.',
    '/home/ada/.config',
  ),
  GANGWAY_API_KEY: setting.secret(
    'GANGWAY_API_KEY',
    'API key that `npm run cli -- login` takes when none is given.',
    'gwk_...',
  ),
};
