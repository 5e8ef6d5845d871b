import { listOfOthersSuite } from '../../support/list-suites.ts';

listOfOthersSuite('/v1/data-import/all-account-import-processes', 'imported');
