import { Hono } from 'hono'
import { admission } from '../../admission/admission.ts'
import type { Store } from '../../collections/catalog.ts'
import { ApiError, RetryLater } from '../../errors.ts'
import { readBytes } from '../../http/body/bytes.ts'
import { memoryOf } from '../../http/body/memory-of.ts'
import type { Ctx, Env, Protocol, Services } from '../../http/context.ts'
import { checkRate } from '../../http/middleware/gate.ts'
import { READS, requireSender, withFreshSender } from '../../http/middleware/sender.ts'
import { withCatalog } from '../../http/retry.ts'
import { sendRaw } from '../../http/send-json.ts'
import { clientIp } from '../../http/server/client-ip.ts'
import { holderOf } from '../../http/server/holder.ts'
import { storeOf } from '../../http/server/store-of.ts'
import { describeConnection, findAccount, listAccounts } from './account.ts'
import { type Account, identifyAccount, keyIn } from './credentials.ts'
import { TWILIO_TAGS, twilioPaths } from './description.ts'
import { twilioForm } from './error-form.ts'
import { changeMessage, deleteMessage } from './messages/change.ts'
import { createMessage } from './messages/create.ts'
import { listMessages } from './messages/list.ts'
import { listMedia } from './messages/media.ts'
import { findMessage, renderMessage } from './messages/message.ts'
import { changeNumber } from './numbers/change.ts'
import { listNumbers } from './numbers/list.ts'
import { findNumber, renderNumber } from './numbers/number.ts'
import { type Parameters, readParameters } from './parameters.ts'
import { INVALID, invalid, notFound, TwilioRefusal } from './refusal.ts'
import { idOf } from './sid.ts'

const ACCOUNTS = '/2010-04-01/Accounts.json'
const ACCOUNT = '/2010-04-01/Accounts/:AccountSid{[^/]+\\.json}'
const BELOW = '/2010-04-01/Accounts/:AccountSid'
const MESSAGES = `${BELOW}/Messages.json`
const MESSAGE = `${BELOW}/Messages/:Sid{[^/]+\\.json}`
const MEDIA = `${BELOW}/Messages/:Sid/Media.json`
const NUMBERS = `${BELOW}/IncomingPhoneNumbers.json`
const NUMBER = `${BELOW}/IncomingPhoneNumbers/:Sid{[^/]+\\.json}`
type Work = (c: Ctx, account: TwilioCaller) => Promise<Response>

/** The account that asks, with the store on its ticket. */
interface TwilioCaller extends Account {
  readonly store: Store
}

/** Twilio's Messaging API, for programs that were written for it. */
export const TWILIO: Protocol = {
  group: 'twilio',
  // below `/v1` to `/v3` are other products, whose hosts programs may rewrite to this server
  roots: ['/2010-04-01', '/v1', '/v2', '/v3'],
  errorForm: twilioForm,
  routes: twilioRoutes,
  tags: TWILIO_TAGS,
  paths: twilioPaths,
  keyIn,
  isNeverRedirected: true,
}

function twilioRoutes(services: Services): Hono<Env> {
  const { config, extensions } = services
  const serve = (work: Work) => (c: Ctx) => enter(c, services, (account) => work(c, account))
  const json = (c: Ctx, value: object, status: 200 | 201 = 200) => sendRaw(c, JSON.stringify(value), status)
  const refuseMethod = serve(async (c) => {
    throw new TwilioRefusal(20004, `${c.req.method} is not allowed here`)
  })
  const app = new Hono<Env>()
    .get('/api/sms/twilio', async (c) => {
      const { user, key, store } = await requireSender(c, services, READS)
      return json(c, await describeConnection(store, config, user, key?.id))
    })
    .get(
      ACCOUNTS,
      serve(async (c, { user, store }) => json(c, await listAccounts(store, user, readQueryOf(c)))),
    )
    .get(
      ACCOUNT,
      serve(async (c, { user, store }) => json(c, await findAccount(store, user))),
    )
    .get(
      MESSAGES,
      serve(async (c, { user, store }) => json(c, await listMessages(store, user, readQueryOf(c)))),
    )
    .post(
      MESSAGES,
      serve((c, account) => create(c, services, account)),
    )
    .get(
      MESSAGE,
      serve(async (c, { user, store }) =>
        json(c, renderMessage(await findMessage(store, user, sidIn(c)), user)),
      ),
    )
    .post(
      MESSAGE,
      serve(async (c, { user, store }) =>
        json(c, await changeMessage(store, user, sidIn(c), await readForm(c))),
      ),
    )
    .delete(
      MESSAGE,
      serve(async (c, { user, store }) => {
        await deleteMessage(store, extensions, user, sidIn(c))
        return c.body(null, 204)
      }),
    )
    .get(
      MEDIA,
      serve(async (c, { user, store }) => json(c, await listMedia(store, user, sidIn(c), readQueryOf(c)))),
    )
    .get(
      NUMBERS,
      serve(async (c, { user, store }) => json(c, await listNumbers(store, user, readQueryOf(c)))),
    )
    .get(
      NUMBER,
      serve(async (c, { user, store }) =>
        json(c, renderNumber(await findNumber(store, user, sidIn(c)), user)),
      ),
    )
    .post(
      NUMBER,
      serve(async (c, account) => {
        const ofCaller = { config, extensions, store: account.store }
        return json(c, await changeNumber(ofCaller, account, sidIn(c), await readForm(c)))
      }),
    )
  for (const path of [ACCOUNTS, ACCOUNT, MESSAGES, MESSAGE, MEDIA, NUMBERS, NUMBER])
    app.all(path, refuseMethod)
  for (const root of TWILIO.roots)
    app.all(
      `${root}/*`,
      serve(async () => {
        throw notFound()
      }),
    )
  return app
}

const sidIn = (c: Ctx) => (c.req.param('Sid') ?? '').replace(/\.json$/, '')

/** Sends; reads the account again when it changed before the message was stored. */
async function create(c: Ctx, services: Services, first: TwilioCaller): Promise<Response> {
  const parameters = await readForm(c)
  const key = c.req.header('idempotency-key')
  const identifySender = async (isCached: boolean) => {
    const account = isCached ? first : await identify(c, services)
    return { ...account.sender, account }
  }
  const { message, replayed } = await withFreshSender(services, identifySender, ({ account }) =>
    createMessage({ ...services.sending, store: account.store }, account, parameters, key),
  )
  if (replayed) c.header('Idempotent-Replayed', 'true')
  return sendRaw(c, JSON.stringify(message), 201)
}

/** The account that asks, read from the database. Throws 401. */
async function identify(c: Ctx, services: Services): Promise<TwilioCaller> {
  const { store } = services
  const { authorization } = c.env.incoming.headers
  const found = await withCatalog(store, () => identifyAccount(store.forEverybody('sign-in'), authorization))
  return { ...found, store: storeOf(c, services, found.auth) }
}

/** Checks rate limit (429), credentials (401) and the account in the path (404), then runs `work`. */
async function enter(
  c: Ctx,
  services: Services,
  work: (account: TwilioCaller) => Promise<Response>,
): Promise<Response> {
  c.set('services', services)
  const account = await identify(c, services).catch((error: unknown) => {
    pay(c, services, null)
    throw error
  })
  pay(c, services, account)
  c.set('asker', account.auth)
  const inPath = (c.req.param('AccountSid') ?? account.sid).replace(/\.json$/, '')
  if (idOf('AC', inPath) !== account.user) throw notFound()
  const holder = holderOf(c.env.incoming, services, account.auth)
  try {
    return await admission.requests.run(holder, () => withCatalog(services.store, () => work(account)))
  } finally {
    c.get('memory')?.leaveBody()
  }
}

const pay = (c: Ctx, services: Services, account: Account | null) =>
  checkRate(services, account?.auth ?? null, clientIp(c, services), c.req.method, c.req.path)

const MAX_BODY_BYTES = 1 << 20
const FORM = /^application\/x-www-form-urlencoded(?:\s*;|$)/i

/** The parameters of a request's form, read once. Throws 400 for a body that is no form, 413. */
async function readForm(c: Ctx): Promise<Parameters> {
  const known = forms.get(c)
  if (known) return known
  const bytes = await readBytes(c.env.incoming, MAX_BODY_BYTES, () => memoryOf(c)).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error instanceof RetryLater) throw error
    throw new TwilioRefusal(INVALID, `The body must have at most ${MAX_BODY_BYTES} bytes`, 413)
  })
  const type = c.req.header('content-type')
  if (bytes.length > 0 && !FORM.test(type ?? ''))
    throw invalid('The body must be application/x-www-form-urlencoded')
  const form = readParameters(bytes.toString('utf8'))
  forms.set(c, form)
  return form
}

/** A request may be worked on twice, its body comes once. */
const forms = new WeakMap<Ctx, Parameters>()

/** The parameters of a request's query. */
function readQueryOf(c: Ctx): Parameters {
  const url = c.env.incoming.url ?? ''
  const at = url.indexOf('?')
  return readParameters(at < 0 ? '' : url.slice(at + 1))
}
