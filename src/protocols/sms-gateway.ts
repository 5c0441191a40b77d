import { z } from 'zod'
import { acceptNumber, checkShape } from '../gateway/base/body-schemas.ts'
import { readJsonBody } from '../http/body/raw-body.ts'
import { makeRoutes } from '../http/make-routes.ts'
import { sendError } from '../http/middleware/answer-errors.ts'
import { splitAtCommas } from './read-parameters.ts'
import { sendByKey } from './send-by-key.ts'
import { allowKeyHeader, defineSendRoute, makeSendOnlyProtocol } from './send-only-protocol.ts'

const MESSAGE = z
  .object({
    to: acceptNumber(z.string('must be a text')).describe(
      'A number, or several with commas between.',
    ),
    body: acceptNumber(z.string('must be a text')).optional().describe('The text.'),
    content: acceptNumber(z.string('must be a text'))
      .optional()
      .describe('The same, for tools that call it so.'),
  })
  .meta({ id: 'SmsGatewayMessage' })

/** The API of https://github.com/mattboston/sms-gateway, which Uptime Kuma's "SMS Gateway" calls. */
export const SMS_GATEWAY = makeSendOnlyProtocol(
  'sms-gateway',
  'What Uptime Kuma’s “SMS Gateway” calls, and Novu’s generic SMS may.',
  ['/api/v1/sms'],
  makeRoutes('sms-gateway', {
    'POST /api/v1/sms/send': defineSendRoute(
      allowKeyHeader('x-api-key', 'apiKey'),
      {
        summary: 'Send a text',
        body: MESSAGE,
        error: z.strictObject({ error: z.string() }).meta({ id: 'SmsGatewayError' }),
      },
      async (call) => {
        const [id] = await sendByKey(call, async () => {
          const json = await readJsonBody(call.c, JSON.parse)
          const { to, body, content } = checkShape(MESSAGE, json)
          return { recipients: splitAtCommas(to), body: body ?? content }
        })
        return { id, status: 'pending', message: 'message accepted' }
      },
    ),
  }),
  (c, { status, message }) => sendError(c, status, { error: message }),
)
