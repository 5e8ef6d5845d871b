import { listOfOthersSuite } from '../../support/list-suites.ts';

listOfOthersSuite('/v1/data-import/imported-account-import-processes', 'imported');
