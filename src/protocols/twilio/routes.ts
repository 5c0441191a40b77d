import { Hono } from 'hono'
import { describeRefusals } from '../../gateway/base/describe-refusals.ts'
import { IDEMPOTENCY } from '../../gateway/messages/send-routes.ts'
import { asSender, type SendingCaller, withReader } from '../../gateway/messages/sender.ts'
import { sendValue } from '../../http/answer.ts'
import { readBytes } from '../../http/body/raw-body.ts'
import type { Ctx, Env } from '../../http/context.ts'
import { gate } from '../../http/middleware/gate.ts'
import { chapter, SENDING } from '../../http/openapi/operations.ts'
import { refusalAnswers } from '../../http/openapi/refusals.ts'
import { TWILIO as BY_TWILIO, SENDER } from '../../http/openapi/security.ts'
import { memoryOf } from '../../http/server/caller.ts'
import { ApiError, RetryLater } from '../../platform/errors.ts'
import { charsetOf } from '../../platform/tools/charset.ts'
import type { GatewayServices, Protocol } from '../gateway-services.ts'
import { addRoutes, describeRoutes } from '../route-table.ts'
import {
  accountOrGuest,
  type Call,
  CONNECTION,
  describeConnection,
  findAccount,
  identifyAccount,
  keyIn,
  listAccounts,
  type Route,
  route,
} from './account.ts'
import { changeMessage, deleteMessage } from './change-message.ts'
import { changeNumber } from './change-number.ts'
import { CREATE_PARAMETERS, createMessage } from './create-message.ts'
import { fetchMedium, listMedia, sendMedium } from './media.ts'
import { fetchMessage, listMessages } from './messages.ts'
import { fetchNumber, listNumbers } from './numbers.ts'
import { PAGE_PARAMETERS } from './pages.ts'
import { type Parameters, readParameters, refuseUnknown } from './parameters.ts'
import { INVALID, invalid, notFound, TwilioRefusal, twilioForm } from './refusals.ts'
import { idOf } from './sids.ts'
import { VERIFY_ROUTES } from './verify-routes.ts'

const ROOT = '/2010-04-01/Accounts'
const VERIFY_ROOT = '/v2/Services'

const ROUTES: readonly Route[] = [
  route('GET .json', 'List accounts', listAccounts, {
    query: PAGE_PARAMETERS,
  }),
  route('GET /{AccountSid}.json', 'Fetch an account', findAccount),
  route('GET /{AccountSid}/Messages.json', 'List messages', listMessages, {
    query: ['To', 'From', 'DateSent', 'DateSent<', 'DateSent>', ...PAGE_PARAMETERS],
  }),
  route('POST /{AccountSid}/Messages.json', 'Send a message', createMessage, {
    header: IDEMPOTENCY,
    form: CREATE_PARAMETERS,
    answer: [201, 'The message.'],
  }),
  route('GET /{AccountSid}/Messages/{Sid}.json', 'Fetch a message', fetchMessage),
  route('POST /{AccountSid}/Messages/{Sid}.json', 'Cancel a message, or take its text away', changeMessage, {
    form: ['Body', 'Status'],
  }),
  route('DELETE /{AccountSid}/Messages/{Sid}.json', 'Delete a message', deleteMessage, {
    answer: [204, 'It is deleted.'],
  }),
  route('GET /{AccountSid}/Messages/{Sid}/Media.json', 'List the media of a message', listMedia, {
    query: PAGE_PARAMETERS,
  }),
  route(
    'GET /{AccountSid}/Messages/{MessageSid}/Media/{Sid}.json',
    'Fetch what is known of a file',
    fetchMedium,
  ),
  route('GET /{AccountSid}/Messages/{MessageSid}/Media/{Sid}', 'Fetch a file', sendMedium, { isFile: true }),
  route('GET /{AccountSid}/IncomingPhoneNumbers.json', 'List numbers', listNumbers, {
    query: ['PhoneNumber', 'FriendlyName', ...PAGE_PARAMETERS],
  }),
  route('GET /{AccountSid}/IncomingPhoneNumbers/{Sid}.json', 'Fetch a number', fetchNumber),
  route('POST /{AccountSid}/IncomingPhoneNumbers/{Sid}.json', 'Say where its texts go', changeNumber, {
    form: ['SmsUrl', 'SmsMethod', 'FriendlyName'],
  }),
]

/** Twilio's Messaging API and Verify, for programs that were written for Twilio. */
export const TWILIO: Protocol = {
  group: 'twilio',
  // Twilio's other products are below `/v1` to `/v3`: calls of them get a 404 in Twilio's form
  roots: ['/2010-04-01', '/v1', '/v2', '/v3'],
  errorForm: twilioForm,
  routes: twilioRoutes,
  tags: [
    {
      name: 'twilio',
      description: "Twilio's Messaging API and Verify, for programs that were written for them.",
    },
  ],
  paths: twilioPaths,
  keyIn,
  isNeverRedirected: true,
}

function twilioRoutes(services: GatewayServices): Hono<Env> {
  const refuse = (error: (c: Ctx) => TwilioRefusal) => (c: Ctx) =>
    withAccount(c, services, async () => {
      throw error(c)
    })
  const app = new Hono<Env>()
  for (const root of TWILIO.roots) app.use(`${root}/*`, gate(services, accountOrGuest(services)))
  app.get('/api/sms/twilio', async (c) => {
    const describe = (caller: SendingCaller) => describeConnection(caller, services.config)
    return sendValue(c, await withReader(c, services, 'readUsage', describe))
  })
  const work = (c: Ctx, { query, form }: Route, work: (call: Call) => Promise<Response>) => {
    // the parameters are read once, even if `retry` repeats the work
    let given: Parameters | undefined
    return withAccount(c, services, async (account) => {
      const sid = (c.req.param('Sid') ?? '').replace(/\.json$/, '')
      given ??= form
        ? await readForm(c)
        : readParameters(Buffer.from((c.env.incoming.url ?? '').replace(/^[^?]*\??/, '')))
      const known = query ?? form
      if (known) refuseUnknown(given, known)
      return work({ ...account, c, services, sid, parameters: given })
    })
  }
  const paths = [...addRoutes(app, ROOT, ROUTES, work), ...addRoutes(app, VERIFY_ROOT, VERIFY_ROUTES, work)]
  const refuseMethod = refuse((c) => new TwilioRefusal(20004, `${c.req.method} is not allowed here`))
  for (const path of paths) app.all(path, refuseMethod)
  for (const root of TWILIO.roots) app.all(`${root}/*`, refuse(notFound))
  return app
}

function twilioPaths() {
  return {
    ...chapter(SENDING, SENDER, {
      'GET /api/sms/twilio': {
        id: 'twilioConnection',
        summary: "Read the settings for Twilio's libraries",
        description:
          'Account and numbers as SIDs. The token is shown only once, in the answer that creates the key.',
        answer: ['The account.', CONNECTION],
        fails: refusalAnswers(describeRefusals('unauthorized', 'forbidden')),
      },
    }),
    ...describeRoutes('twilio', BY_TWILIO, ROOT, ROUTES),
    ...describeRoutes('twilio', BY_TWILIO, VERIFY_ROOT, VERIFY_ROUTES),
  }
}

/** Runs `work` for the account of the credentials. Throws 401, and 404 if the path names another account. */
const withAccount = (
  c: Ctx,
  services: GatewayServices,
  work: (account: SendingCaller) => Promise<Response>,
) => {
  const run = (account: SendingCaller) => {
    const inPath = c.req.param('AccountSid')?.replace(/\.json$/, '')
    if (inPath !== undefined && idOf('AC', inPath) !== account.user) throw notFound()
    c.set('asker', account.auth)
    return work(account)
  }
  return asSender(services, () => identifyAccount(c, services), run)
}

const MAX_BODY_BYTES = 1 << 20
const FORM = /^application\/x-www-form-urlencoded(?:\s*;|$)/i

/**
 * The parameters of a request's form. Throws 400 for a body that is no form, 413 for one that is too large.
 */
async function readForm(c: Ctx): Promise<Parameters> {
  const bytes = await readBytes(c.env.incoming, MAX_BODY_BYTES, () => memoryOf(c)).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error instanceof RetryLater) throw error
    throw new TwilioRefusal(INVALID, `The body must have at most ${MAX_BODY_BYTES} bytes`, 413)
  })
  if (bytes.length > 0 && !FORM.test(c.req.header('content-type') ?? ''))
    throw invalid('The body must be application/x-www-form-urlencoded')
  return readParameters(bytes, charsetOf(c.req.header('content-type') ?? ''))
}
