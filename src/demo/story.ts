import { call, obtainToken } from './api-client.ts';
import { importFile } from './import-job-chapter.ts';
import { lookAsOperator, setUp } from './operator-chapters.ts';
import {
  addInstructions,
  attachToAccount,
  look,
  moveAccount,
  moveBusiness,
  populate,
  switchAccounts,
} from './supplier-chapters.ts';
import { startTelling, type StoryOptions } from './telling.ts';

/**
 * Tells the main job as a supplier and an operator would do it, over the API alone: set up, validate, stage,
 * dry run, create, attach, follow. Prints each step with its answer.
 * @throws Error when an answer is not the one that the story expects
 */
export async function tellStory(options: StoryOptions): Promise<void> {
  let token = '';
  const telling = startTelling(options, () => token);
  const operatorToken = await obtainToken(options.http, options.operatorKey);
  token = operatorToken;
  await setUp(telling);
  const key = (
    await call(options.http, 'POST', '/v1/operations/api-keys/', token, {
      organisation: 'Demo supplier',
      name: 'demo',
      role: 'supplier',
      import_suppliers: [telling.supplier],
    })
  ).body as { api_key: string };
  token = await obtainToken(options.http, key.api_key);
  await moveAccount(telling);
  await attachToAccount(telling);
  await addInstructions(telling);
  await moveBusiness(telling);
  await populate(options, telling, token);
  await switchAccounts(telling);
  await importFile(options, telling, token);
  await look(telling);
  token = operatorToken;
  await lookAsOperator(telling);
}
