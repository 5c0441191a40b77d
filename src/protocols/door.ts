import { Hono } from 'hono'
import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import { readBytes, readJson } from '../http/body/raw-body.ts'
import { type Ctx, type Env, type ErrorForm, type Protocol, queryOf, type Services } from '../http/context.ts'
import { sendError } from '../http/middleware/failure.ts'
import { gate } from '../http/middleware/gate.ts'
import { identifyKeyHolder, type KeyCredentials } from '../http/middleware/sender.ts'
import { retry } from '../http/retry.ts'
import { clientIp, memoryOf } from '../http/server/store-of.ts'
import { SENDS as SEND_GROUP } from '../metrics/traffic.ts'
import { NOBODY } from '../openapi/operations.ts'
import { splitAtSpaces } from '../portable/phone/spaced-list.ts'
import { SEND } from '../sms/send/body-schema.ts'
import { checkShape } from '../sms/send/check-shape.ts'
import type { Idempotency } from '../sms/send/idempotency.ts'
import { readSend } from '../sms/send/read-body.ts'
import { countryOfAccount, readNumber, recipientsIn } from '../sms/send/read-numbers.ts'
import { invalid } from '../sms/send/refusals.ts'
import { send } from '../sms/send/send.ts'
import { type Sender, senderOfKey } from '../sms/send/sender.ts'
import { charsetOf, decodeForm, decodeText, type FormPair, formBytes } from '../tools/charset.ts'
import { addRoutes, describeRoutes, type TableRoute } from './route-table.ts'

// A door is another product's API, through which programs send texts with an API key.

export interface DoorCall {
  readonly c: Ctx
  readonly services: Services
}

export type DoorRoute = TableRoute<DoorCall>

/**
 * Makes the `Protocol` of another product. OpenAPI has the API key as a parameter, not as a security scheme.
 */
export const doorProtocol = (
  name: string,
  description: string,
  roots: readonly string[],
  routes: readonly DoorRoute[],
  errorForm: ErrorForm,
): Protocol => ({
  group: name.replace('-', '_'),
  groups: Object.fromEntries(routes.map(({ at }) => [at, SEND_GROUP])),
  roots,
  errorForm,
  routes(services) {
    const app = new Hono<Env>()
    for (const root of roots) if (!root.startsWith('/api/')) app.use(`${root}/*`, gate(services))
    addRoutes<DoorCall, DoorRoute>(app, '', routes, (c, _, work) => work({ c, services }))
    return app
  },
  tags: [{ name, description }],
  paths: () => describeRoutes(name, NOBODY, '', routes),
})

/** What to send: the fields of `POST /api/sms/send`, with phone numbers in any notation. */
export type DoorSend = Partial<z.input<typeof SEND>>

type DoorSender = Sender & { readonly store: ReturnType<Services['store']['forUser']> }

/** Runs `work` for the user of an API key. Repeats it if its SQL finds a changed user or key. */
export const asKeyHolder = <T>(
  services: Services,
  credentials: KeyCredentials,
  work: (sender: DoorSender) => Promise<T>,
): Promise<T> =>
  retry(
    services.store,
    async (isCached): Promise<DoorSender> => {
      const holder = await identifyKeyHolder(services, credentials, 'send', isCached)
      return { ...senderOfKey(holder), store: services.store.forUser(holder.auth.id) }
    },
    work,
    { startsCached: true },
  )

/** Sends for the user of an API key. Returns the messages' ids in the order of the recipients. */
export const sendByKey = (
  services: Services,
  credentials: KeyCredentials,
  read: (sender: DoorSender) => DoorSend | Promise<DoorSend>,
  idempotency?: Idempotency | null,
): Promise<readonly string[]> =>
  asKeyHolder(services, credentials, async (sender) => {
    const { store, user } = sender
    const given = await read(sender)
    const { maxRecipients } = services.config
    const recipients = await recipientsIn(store, user, given.recipients ?? [], maxRecipients, WORLD)
    const body = readSend(SEND, { ...given, recipients }, new Date())
    const { answer } = await send({ ...services.sending, store }, sender, body, idempotency)
    return (JSON.parse(answer) as { message_ids: string[] }).message_ids
  })

/** Splits a list into trimmed, distinct parts that are not empty. */
export const partsOf = (list: string, separator: RegExp | string = ','): string[] => {
  const parts = list.split(separator).map((part) => part.trim())
  return [...new Set(parts)].filter((part) => part !== '')
}

const MAX_BODY_BYTES = 64 << 10

/** The query's parameters. In a POST, parameters of the form replace those of the query. */
export async function parametersOf(c: Ctx): Promise<Readonly<Record<string, string>>> {
  if (c.req.method !== 'POST') return queryFields(c)
  const form = await readBytes(c.env.incoming, MAX_BODY_BYTES, () => memoryOf(c))
  return { ...queryFields(c), ...firstOf(decodeForm(form, charsetOf(c.req.header('content-type') ?? ''))) }
}

const queryBytes = (c: Ctx) => Buffer.from((c.env.incoming.url ?? '').replace(/^[^?]*\??/, ''), 'latin1')
const queryFields = (c: Ctx) => firstOf(decodeForm(queryBytes(c)))

/** Of repeated parameters, the first counts. */
const firstOf = (pairs: readonly FormPair[]) => Object.fromEntries(pairs.toReversed())

const MINUTE_MS = 60_000

function wholeIn(given: Readonly<Record<string, string>>, name: string): number | undefined {
  if (!given[name]) return undefined
  if (/^\d{1,9}$/.test(given[name])) return Number(given[name])
  throw invalid(`${name[0]!.toUpperCase()}${name.slice(1)} field misformed, rejected`)
}

/** Digits without a plus begin with a calling code here, or are a number of the account's country. */
export const WORLD = { bare: 'world' } as const

/** Kannel's recipients, which its documentation separates by spaces. Commas separate them, too. */
async function kannelRecipients(store: Store, user: string, list: string): Promise<string[]> {
  const country = await countryOfAccount(store, user)
  return partsOf(list).flatMap((part) => splitAtSpaces(part, country, WORLD))
}

/** Parameters that make a text another one, or a signal. */
const NOT_A_TEXT = ['udh', 'mwi', 'hex']

/**
 * The text, by Kannel's `coding` and `charset`. Without a charset it is UTF-8, with coding 2 UTF-16BE.
 * Coding 0 chooses the GSM alphabet, which a text gets here anyway if it can be written in it.
 */
function readText(c: Ctx, { coding = '', charset = '' }: Readonly<Record<string, string>>) {
  // 8-bit coding (1) means binary data
  if (coding === '1') throw invalid('Only texts are sent here, rejected')
  if (!['', '0', '2'].includes(coding)) throw invalid('Coding field misformed, rejected')
  const found = formBytes(queryBytes(c)).find(([name]) => name.toString() === 'text')
  try {
    return found && decodeText(found[1], charset || (coding === '2' ? 'utf-16be' : ''))
  } catch {
    throw invalid('Charset or body misformed, rejected')
  }
}

/** Sends by Kannel's parameters (gw/smsbox.c, smsbox_req_sendsms). Ignores those for the carrier. */
async function sendsms({ c, services }: DoorCall): Promise<Response> {
  const given = queryOf(c)
  const { username = given.user ?? '', password = given.pass ?? '', to, from = '' } = given
  const ip = clientIp(c, services)
  await sendByKey(services, { key: password, name: username, ip }, async ({ store, user }) => {
    if (to === undefined) throw invalid('Missing receiver number, rejected')
    if (NOT_A_TEXT.some((name) => given[name])) throw invalid('Only texts are sent here, rejected')
    const [minutes, validity] = [wholeIn(given, 'deferred'), wholeIn(given, 'validity')]
    return {
      recipients: await kannelRecipients(store, user, to),
      body: readText(c, given),
      from: from ? await readNumber(store, user, from, WORLD) : undefined,
      priority: wholeIn(given, 'priority'),
      scheduled_at: minutes ? new Date(Date.now() + minutes * MINUTE_MS).toISOString() : undefined,
      ttl: validity ? validity * 60 : undefined,
    }
  })
  return c.text('0: Accepted for delivery', 202)
}

/** The API of Kannel's smsbox. It answers 403 instead of 401 and 402, so that clients do not retry. */
export const KANNEL = doorProtocol(
  'kannel',
  'Kannel’s interface for programs that send texts.',
  ['/cgi-bin'],
  [
    {
      at: 'GET /cgi-bin/sendsms',
      summary: 'Send a text',
      query: [
        'username',
        'password',
        'to',
        'text',
        'coding',
        'charset',
        'from',
        'priority',
        'deferred',
        'validity',
      ],
      answer: [202, 'Accepted.', z.string()],
      error: z.string(),
      isText: true,
      work: sendsms,
    },
  ],
  (c, { status, message }) => {
    if (status === 401) return c.text('Authorization failed for sendsms', 403)
    return c.text(message, status === 402 ? 403 : (status as 400))
  },
)

const MESSAGE = z
  .object({
    to: z.string('must be a text').describe('A number, or several with commas between.'),
    body: z.string('must be a text').optional().describe('The text.'),
    content: z.string('must be a text').optional().describe('The same, for tools that call it so.'),
  })
  .meta({ id: 'SmsGatewayMessage' })

/** The API of https://github.com/mattboston/sms-gateway, which Uptime Kuma's "SMS Gateway" calls. */
export const SMS_GATEWAY = doorProtocol(
  'sms-gateway',
  'What Uptime Kuma’s “SMS Gateway” calls, and Novu’s generic SMS may.',
  ['/api/v1/sms'],
  [
    {
      at: 'POST /api/v1/sms/send',
      summary: 'Send a text',
      header: z.object({ 'x-api-key': z.string().describe('An API key.') }),
      body: MESSAGE,
      error: z.strictObject({ error: z.string() }).meta({ id: 'SmsGatewayError' }),
      async work({ c, services }) {
        const json = await readJson(c, MAX_BODY_BYTES, JSON.parse)
        const key = String(c.env.incoming.headers['x-api-key'] ?? '')
        const [id] = await sendByKey(services, { key, ip: clientIp(c, services) }, () => {
          const { to, body, content } = checkShape(MESSAGE, json)
          return { recipients: partsOf(to), body: body ?? content }
        })
        return { id, status: 'pending', message: 'message accepted' }
      },
    },
  ],
  (c, { status, message }) => sendError(c, status, { error: message }),
)
