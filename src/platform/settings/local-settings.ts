import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** Local use: `npm start` and the command line. */
export const localSettings = {
  DATA_DIR: Type.String({
    description: 'Folder in which `npm start` keeps its data.',
    default: '.gangway',
    examples: ['/var/lib/gangway'],
    minLength: 1,
  }),
  TEMPORAL_CLI_PATH: setting.text('Temporal command line to run as the embedded server.', '/usr/local/bin/temporal'),
  XDG_CONFIG_HOME: setting.text(
    'Folder in which the command line keeps its session, in gangway/session.json; unset, ~/.config.',
    '/home/ada/.config',
  ),
  GANGWAY_API_KEY: setting.secret(
    'GANGWAY_API_KEY',
    'API key that `npm run cli -- login` uses unless one is given.',
    'gwk_...',
  ),
};
