import { Hono } from 'hono'
import { ApiError, RetryLater } from '../../errors.ts'
import { readBytes } from '../../http/body/raw-body.ts'
import type { Ctx, Env, Protocol, Services } from '../../http/context.ts'
import { checkRate, takePlace } from '../../http/middleware/gate.ts'
import { READS, requireSender } from '../../http/middleware/sender.ts'
import { sendRaw } from '../../http/request-info.ts'
import { retry, withCatalog } from '../../http/retry.ts'
import { IDEMPOTENCY } from '../../http/routes/sms.ts'
import { clientIp } from '../../http/server/client-ip.ts'
import { holderOf, memoryOf } from '../../http/server/store-of.ts'
import { TWILIO as BY_TWILIO, chapter, SENDER, SENDING } from '../../openapi/schemas/operations.ts'
import { refusals } from '../../openapi/schemas/refusals.ts'
import { addRoutes, describeRoutes, failuresOf } from '../route-table.ts'
import { CONNECTION, describeConnection, findAccount, listAccounts } from './account.ts'
import { type Account, identifyAccount, keyIn } from './credentials.ts'
import type { Call, Route } from './description.ts'
import { changeMessage, deleteMessage } from './messages/change.ts'
import { createMessage } from './messages/create.ts'
import { CREATE_PARAMETERS } from './messages/create-body.ts'
import { listMessages } from './messages/list.ts'
import { findMedium, listMedia, sendMedium } from './messages/media.ts'
import { findMessage, renderMessage } from './messages/message.ts'
import { changeNumber } from './numbers/change.ts'
import { findNumber, listNumbers, renderNumber } from './numbers/number.ts'
import { PAGE_PARAMETERS } from './paging.ts'
import {
  INVALID,
  idOf,
  invalid,
  notFound,
  type Parameters,
  readParameters,
  refuseUnknown,
  TwilioRefusal,
  twilioForm,
} from './refusal.ts'
import { VERIFY_ROUTES } from './verify/routes.ts'

const ROOT = '/2010-04-01/Accounts'
const VERIFY_ROOT = '/v2/Services'

const ROUTES: readonly Route[] = [
  {
    at: 'GET .json',
    summary: 'List accounts',
    query: ['FriendlyName', 'Status', ...PAGE_PARAMETERS],
    work: listAccounts,
  },
  {
    at: 'GET /{AccountSid}.json',
    summary: 'Fetch an account',
    work: findAccount,
  },
  {
    at: 'GET /{AccountSid}/Messages.json',
    summary: 'List messages',
    query: ['To', 'From', 'DateSent', 'DateSent<', 'DateSent>', ...PAGE_PARAMETERS],
    work: listMessages,
  },
  {
    at: 'POST /{AccountSid}/Messages.json',
    summary: 'Send a message',
    header: IDEMPOTENCY,
    form: CREATE_PARAMETERS,
    answer: [201, 'The message.'],
    work: createMessage,
  },
  {
    at: 'GET /{AccountSid}/Messages/{Sid}.json',
    summary: 'Fetch a message',
    work: async ({ store, user, sid }) => renderMessage(await findMessage(store, user, sid), user),
  },
  {
    at: 'POST /{AccountSid}/Messages/{Sid}.json',
    summary: 'Cancel a message, or take its text away',
    form: ['Body', 'Status'],
    work: changeMessage,
  },
  {
    at: 'DELETE /{AccountSid}/Messages/{Sid}.json',
    summary: 'Delete a message',
    answer: [204, 'It is deleted.'],
    work: deleteMessage,
  },
  {
    at: 'GET /{AccountSid}/Messages/{Sid}/Media.json',
    summary: 'List the media of a message',
    query: PAGE_PARAMETERS,
    work: listMedia,
  },
  {
    at: 'GET /{AccountSid}/Messages/{MessageSid}/Media/{Sid}.json',
    summary: 'Fetch what is known of a file',
    work: async (call) => (await findMedium(call)).medium,
  },
  {
    at: 'GET /{AccountSid}/Messages/{MessageSid}/Media/{Sid}',
    summary: 'Fetch a file',
    isFile: true,
    work: sendMedium,
  },
  {
    at: 'GET /{AccountSid}/IncomingPhoneNumbers.json',
    summary: 'List numbers',
    query: ['PhoneNumber', 'FriendlyName', ...PAGE_PARAMETERS],
    work: listNumbers,
  },
  {
    at: 'GET /{AccountSid}/IncomingPhoneNumbers/{Sid}.json',
    summary: 'Fetch a number',
    work: async ({ store, user, sid }) => renderNumber(await findNumber(store, user, sid), user),
  },
  {
    at: 'POST /{AccountSid}/IncomingPhoneNumbers/{Sid}.json',
    summary: 'Say where its texts go',
    form: ['SmsUrl', 'SmsMethod', 'FriendlyName'],
    work: changeNumber,
  },
]

/** Twilio's Messaging API, and Verify's, for programs that were written for them. */
export const TWILIO: Protocol = {
  group: 'twilio',
  // below `/v1` to `/v3` are other products, whose hosts programs may rewrite to this server
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

function twilioRoutes(services: Services): Hono<Env> {
  const refuse = (error: (c: Ctx) => TwilioRefusal) => (c: Ctx) =>
    enter(c, services, async () => {
      throw error(c)
    })
  const app = new Hono<Env>().get('/api/sms/twilio', async (c) => {
    const { user, key, store } = await requireSender(c, services, READS)
    return sendRaw(c, JSON.stringify(await describeConnection(store, services.config, user, key?.id)))
  })
  const work = (c: Ctx, { query, form }: Route, work: (call: Call) => Promise<Response>) => {
    // read once, also if the work is repeated
    let given: Parameters | undefined
    return enter(c, services, async (account) => {
      const sid = (c.req.param('Sid') ?? '').replace(/\.json$/, '')
      given ??= form ? await readForm(c) : readQueryOf(c)
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
  const describe = (root: string, routes: readonly Route[]) =>
    describeRoutes(['twilio', BY_TWILIO], root, routes, failuresOf(), ({ summary }) => summary)
  return {
    ...chapter(SENDING, SENDER, {
      'GET /api/sms/twilio': {
        id: 'twilioConnection',
        summary: "What Twilio's libraries need",
        description:
          'Account and numbers as SIDs. The token is shown once, in the answer that makes the key.',
        answer: ['The account.', CONNECTION],
        fails: refusals('unauthorized', 'forbidden'),
      },
    }),
    ...describe(ROOT, ROUTES),
    ...describe(VERIFY_ROOT, VERIFY_ROUTES),
  }
}

/** Checks rate limit (429), credentials (401) and the account in the path (404), then runs `work`. */
async function enter(c: Ctx, services: Services, work: (account: Account) => Promise<Response>) {
  c.set('services', services)
  const account = await withCatalog(services.store, () => identifyAccount(c, services)).catch(
    (error: unknown) => {
      pay(c, services, null)
      throw error
    },
  )
  pay(c, services, account)
  c.set('asker', account.auth)
  const inPath = c.req.param('AccountSid')?.replace(/\.json$/, '')
  if (inPath !== undefined && idOf('AC', inPath) !== account.user) throw notFound()
  const leave = await takePlace(c, holderOf(c.env.incoming, services, account.auth))
  try {
    const again = async (isFirst: boolean) => (isFirst ? account : identifyAccount(c, services))
    return await retry(services.store, again, work, { startsCached: true })
  } finally {
    leave()
    c.get('memory')?.leaveBody()
  }
}

const pay = (c: Ctx, services: Services, account: Account | null) =>
  checkRate(services, account?.auth ?? null, clientIp(c, services), c.req.method, c.req.path)

const MAX_BODY_BYTES = 1 << 20
const FORM = /^application\/x-www-form-urlencoded(?:\s*;|$)/i

/** The parameters of a request's form. Throws 400 for a body that is no form, 413. */
async function readForm(c: Ctx): Promise<Parameters> {
  const bytes = await readBytes(c.env.incoming, MAX_BODY_BYTES, () => memoryOf(c)).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error instanceof RetryLater) throw error
    throw new TwilioRefusal(INVALID, `The body must have at most ${MAX_BODY_BYTES} bytes`, 413)
  })
  const type = c.req.header('content-type')
  if (bytes.length > 0 && !FORM.test(type ?? ''))
    throw invalid('The body must be application/x-www-form-urlencoded')
  return readParameters(bytes.toString('utf8'))
}

const readQueryOf = (c: Ctx) => readParameters((c.env.incoming.url ?? '').replace(/^[^?]*\??/, ''))
