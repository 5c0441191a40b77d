import { z } from 'zod'
import { type DoorRoute, doorProtocol } from '../door.ts'
import type { Protocol } from '../gateway-services.ts'
import { V1 } from './api-v1.ts'
import { answerV2, MESSAGE } from './api-v2.ts'
import { errorForm } from './errors.ts'
import { answerRpc, RPC } from './json-rpc.ts'

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

/** SMSEagle's APIs for programs that send texts. Paths may begin with `/index.php`. */
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
