import { listSuite } from '../../support/list-suites.ts';

listSuite('/v1/data-import/all-account-import-processes', ['staged', 'imported', 'skipped']);
