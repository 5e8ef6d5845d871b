import { listQuerySuite } from '../../support/list-suites.ts';

listQuerySuite('/v1/data-import/pending-account-import-processes');
