/** A function for `@google-cloud/functions-framework`, started by the framework's own command. */
import { http } from '@google-cloud/functions-framework';
import { answer } from './handler.mjs';

http('bench', async (request, response) => {
  response.json(await answer(request.body));
});
