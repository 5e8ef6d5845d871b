import { listSuite } from '../../support/list-suites.ts';

listSuite('/v1/data-import/imported-account-import-processes', ['imported']);
