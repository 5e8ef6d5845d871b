import { listQuerySuite } from '../../support/list-suites.ts';

listQuerySuite('/v1/data-import/all-account-import-processes');
