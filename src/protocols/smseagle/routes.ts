import { z } from 'zod'
import type { Protocol } from '../../http/context.ts'
import { type DoorRoute, doorProtocol } from '../door.ts'
import { answerRpc, answerV1, answerV2, errorForm, MESSAGE, METHODS, RPC } from './send.ts'

const PARAMETERS = ['access_token', 'login', 'pass', 'message', 'highpriority']

const V1 = Object.entries(METHODS).flatMap(([method, [parameter]]) =>
  (['GET', 'POST'] as const).map(
    (verb): DoorRoute => ({
      at: `${verb} /http_api/${method}`,
      summary: 'Send a text (APIv1)',
      [verb === 'GET' ? 'query' : 'form']: [...PARAMETERS, parameter],
      answer: [200, '`OK; ID=…`', z.string()],
      error: z.string(),
      isText: true,
      work: (call) => answerV1(call, method),
    }),
  ),
)
const fault = z.strictObject({ error_text: z.string(), status: z.literal('error') })

const OTHERS: readonly DoorRoute[] = [
  {
    at: 'POST /jsonrpc/sms',
    summary: 'Send a text (JSON-RPC)',
    body: RPC,
    error: z.strictObject({ result: z.union([z.string(), fault]) }).meta({ id: 'SmseagleFault' }),
    work: answerRpc,
  },
  {
    at: 'POST /api/v2/messages/sms',
    summary: 'Send a text (APIv2)',
    header: z.object({ 'access-token': z.string().describe('An API key.') }),
    body: MESSAGE,
    error: z.strictObject({ message: z.string() }).meta({ id: 'SmseagleError' }),
    work: answerV2,
  },
]

/** What an SMSEagle offers to programs that send. Its paths may begin with `/index.php`. */
export const SMSEAGLE: Protocol = {
  ...doorProtocol(
    'smseagle',
    'What an SMSEagle offers to programs that send texts.',
    ['/http_api', '/jsonrpc', '/api/v2/messages', '/index.php'],
    [...V1, ...OTHERS],
    errorForm,
  ),
  canonicalPath: (path) => path.replace(/^\/index\.php(?=\/)/, ''),
  pathMark: '/index.php/',
}
