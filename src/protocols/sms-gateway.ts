import { z } from 'zod'
import { checkShape } from '../gateway/base/body-schemas.ts'
import { readJson } from '../http/body/raw-body.ts'
import { makeRoutes } from '../http/make-routes.ts'
import { sendError } from '../http/middleware/answer-errors.ts'
import { readClientIp } from '../http/server/client-address.ts'
import { MAX_BODY_BYTES, splitAtCommas } from './read-parameters.ts'
import { sendByKey } from './send-by-key.ts'
import { defineSendRoute, makeSendOnlyProtocol } from './send-only-protocol.ts'

const MESSAGE = z
  .object({
    to: z.string('must be a text').describe('A number, or several with commas between.'),
    body: z.string('must be a text').optional().describe('The text.'),
    content: z.string('must be a text').optional().describe('The same, for tools that call it so.'),
  })
  .meta({ id: 'SmsGatewayMessage' })

/** The API of https://github.com/mattboston/sms-gateway, which Uptime Kuma's "SMS Gateway" calls. */
export const SMS_GATEWAY = makeSendOnlyProtocol(
  'sms-gateway',
  'What Uptime Kuma’s “SMS Gateway” calls, and Novu’s generic SMS may.',
  ['/api/v1/sms'],
  makeRoutes('sms-gateway', {
    'POST /api/v1/sms/send': defineSendRoute(
      {
        summary: 'Send a text',
        header: z.object({ 'x-api-key': z.string().describe('An API key.') }),
        body: MESSAGE,
        error: z.strictObject({ error: z.string() }).meta({ id: 'SmsGatewayError' }),
      },
      async ({ c, services }) => {
        const json = await readJson(c, MAX_BODY_BYTES, JSON.parse)
        const key = String(c.env.incoming.headers['x-api-key'] ?? '')
        const [id] = await sendByKey(services, { key, ip: readClientIp(c, services) }, () => {
          const { to, body, content } = checkShape(MESSAGE, json)
          return { recipients: splitAtCommas(to), body: body ?? content }
        })
        return { id, status: 'pending', message: 'message accepted' }
      },
    ),
  }),
  (c, { status, message }) => sendError(c, status, { error: message }),
)
