import { listSuite } from '../../support/list-suites.ts';

listSuite('/v1/data-import/pending-account-import-processes', ['staged', 'skipped']);
