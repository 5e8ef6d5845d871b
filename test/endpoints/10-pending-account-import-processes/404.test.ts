import { listOfOthersSuite } from '../../support/list-suites.ts';

listOfOthersSuite('/v1/data-import/pending-account-import-processes', 'staged');
