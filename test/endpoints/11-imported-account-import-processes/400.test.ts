import { listQuerySuite } from '../../support/list-suites.ts';

listQuerySuite('/v1/data-import/imported-account-import-processes');
