import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { anyOf, queries } from '../db/queries.ts'
import { scalarText } from '../fields/cast.ts'
import { groupsNamed } from '../hooks/compose.ts'
import { readJson } from '../http/body/raw-body.ts'
import type { ErrorForm, Protocol } from '../http/context.ts'
import { messageForm, sendError } from '../http/middleware/failure.ts'
import type { KeyCredentials } from '../http/middleware/sender.ts'
import { clientIp } from '../http/server/store-of.ts'
import { checkShape } from '../sms/send/check-shape.ts'
import { isAllowed, tooMany } from '../sms/send/judge.ts'
import { recipientsIn } from '../sms/send/read-numbers.ts'
import { gatewayRefusal, invalid, isRefusal } from '../sms/send/refusals.ts'
import {
  type DoorCall,
  type DoorRoute,
  type DoorSend,
  doorProtocol,
  parametersOf,
  partsOf,
  sendByKey,
  WORLD,
} from './door.ts'

/** Recipients by kind, each a list with commas: `to` of numbers, `contacts` and `groups` of names. */
type Recipients = Partial<Record<'to' | 'contacts' | 'groups', string>>

const findContacts = (db: Db, user: string, names: readonly string[]) =>
  queries(db)
    .selectFrom('contacts')
    .select(['name', 'phone'])
    .where('user', '=', user)
    .where('name', '=', anyOf(names))
    .execute()

/**
 * Phone numbers and group ids of recipients; `numbers`: those of the request alone. Throws 400 for more than
 * `max` of a kind, for an unknown name, and if several contacts have it.
 */
async function findRecipients(store: Store, user: string, max: number, given: Recipients) {
  const [to, contacts, groups] = [given.to, given.contacts, given.groups].map((list) => partsOf(list ?? ''))
  if (contacts!.length > max || groups!.length > max) throw tooMany(max)
  const numbers = await recipientsIn(store, user, to!, max, WORLD)
  return {
    numbers,
    recipients: [...new Set([...numbers, ...(await phonesNamed(store, user, contacts!))])],
    group_ids: await groupsNamed(store, user, groups!),
  }
}

async function phonesNamed(store: Store, user: string, names: readonly string[]): Promise<string[]> {
  const found = names.length > 0 ? await findContacts(store.db, user, names) : []
  const people = Map.groupBy(found, ({ name }) => name)
  return names.map((name) => {
    const [person, other] = people.get(name) ?? []
    if (person && !other) return person.phone
    throw invalid(`${other ? 'Several contacts are' : 'No contact is'} called "${name.slice(0, 40)}"`)
  })
}

/**
 * Checks the API key, calls `read` and sends. Returns ids and phone numbers: '' for members of groups, and
 * for contacts unless the key may read them.
 */
async function sendTo(
  { c, services }: DoorCall,
  by: Omit<KeyCredentials, 'ip'>,
  read: () => DoorSend & { readonly named: Recipients },
) {
  let shown: readonly string[] = []
  const sent = sendByKey(services, { ...by, ip: clientIp(c, services) }, async (sender) => {
    const { named, ...what } = read()
    const { store, user } = sender
    const { maxRecipients } = services.config
    const { numbers, ...found } = await findRecipients(store, user, maxRecipients, named)
    shown = isAllowed(sender, 'readContacts') ? found.recipients : numbers
    return { ...what, ...found }
  })
  const ids = await sent.catch((error: unknown) => {
    if (!isRefusal(error, 'unauthorized')) throw error
    const isToken = by.name === undefined
    throw gatewayRefusal('unauthorized', isToken ? 'Invalid access token' : 'Invalid login or password')
  })
  return ids.map((id, i) => ({ id, number: shown[i] ?? '' }))
}

/** SMSEagle's APIv1: a method (the end of the path), its parameter for the recipients, and their kind. */
const METHODS: Readonly<Record<string, readonly [parameter: string, kind: keyof Recipients]>> = {
  send_sms: ['to', 'to'],
  send_togroup: ['groupname', 'groups'],
  send_tocontact: ['contactname', 'contacts'],
}

/** Parameters of APIv1 that would change the text, or delay or prevent the send. They are refused. */
const NOT_OFFERED = ['date', 'send_after', 'send_before', 'test', 'attachments']

/** Throws 400 if a call has one of these parameters, unless it is empty or off. */
function refuseOthers(given: Readonly<Record<string, unknown>>, others: readonly string[]): void {
  const other = others.find((name) => given[name] && given[name] !== '0')
  if (other) throw invalid(`${other} is not supported here`)
}

async function sendV1(call: DoorCall, method: string, given: Readonly<Record<string, string>>) {
  const { access_token: token, login = '', pass = '', message: body, highpriority } = given
  const by = token === undefined ? { key: pass, name: login } : { key: token }
  const sent = await sendTo(call, by, () => {
    refuseOthers(given, NOT_OFFERED)
    if (!Object.hasOwn(METHODS, method)) throw invalid('This method is not offered here')
    const [parameter, kind] = METHODS[method]!
    return { named: { [kind]: given[parameter] ?? '' }, body, priority: highpriority === '1' ? 1 : 0 }
  })
  return sent.map(({ id }) => id)
}

/** The sentence that explains an error. For status 400 it begins with SMSEagle's words. */
const wordsOf = ({ status, message }: { status: number; message: string }): string =>
  status === 400 ? `Wrong parameters: ${message}` : message

/** An error in JSON-RPC. `result`: a sentence, or an object if the request's `responsetype` is `extended`. */
const rpcForm =
  (isExtended: boolean): ErrorForm =>
  (c, error) => {
    const error_text = wordsOf(error)
    return sendError(c, error.status, { result: isExtended ? { error_text, status: 'error' } : error_text })
  }

/** Errors in the form of one of SMSEagle's APIs. The path decides which one, even a path without a route. */
const errorForm: ErrorForm = (c, error) => {
  if (c.req.path.startsWith('/api/')) return messageForm(c, error)
  if (c.req.path.startsWith('/jsonrpc')) return rpcForm(false)(c, error)
  return c.text(wordsOf(error), error.status as 400)
}

const RPC = z
  .object({
    method: z
      .string('must be a text')
      .default('')
      .describe('`sms.send_sms`, `sms.send_togroup` or `sms.send_tocontact`.'),
    params: z
      .record(z.string(), z.unknown(), 'must be an object')
      .default({})
      .describe('The parameters of APIv1.'),
  })
  .meta({ id: 'SmseagleCall' })

const MAX_BODY_BYTES = 64 << 10

function textOf(name: string, value: unknown): string {
  const text = scalarText(value)
  if (text !== undefined) return text
  throw invalid(NOT_OFFERED.includes(name) ? `${name} is not supported here` : `${name} must be a text`)
}

async function answerRpc(call: DoorCall) {
  const { method, params } = checkShape(RPC, await readJson(call.c, MAX_BODY_BYTES, JSON.parse))
  const name = method.replace(/^sms\./, '')
  const isExtended = params.responsetype === 'extended'
  call.c.set('errorForm', rpcForm(isExtended))
  const given = Object.entries(params).map(([key, value]) => [key, textOf(key, value)])
  const ids = await sendV1(call, name, Object.fromEntries(given))
  if (!isExtended) return { result: `OK; ID=${ids.join(',')}` }
  const results = ids.map((message_id) => ({ message_id, status: 'ok' }))
  return { result: results.length === 1 ? results[0] : results }
}

const names = z.array(z.union([z.string(), z.number()], 'must be a name'), 'must be a list').default([])
const MESSAGE = z
  .object({
    to: names.describe('Numbers.'),
    contacts: names.describe('Names of contacts.'),
    groups: names.describe('Names of groups.'),
    text: z.string('must be a text'),
    priority: z.coerce.number('must be a number').optional(),
    date: z.string('must be a text').optional().describe('Not before this instant.'),
  })
  .meta({ id: 'SmseagleMessage' })

async function answerV2(call: DoorCall) {
  const key = String(call.c.env.incoming.headers['access-token'] ?? '')
  const json = await readJson(call.c, MAX_BODY_BYTES, JSON.parse)
  const sent = await sendTo(call, { key }, () => {
    const { to, contacts, groups, text: body, priority, date: scheduled_at } = checkShape(MESSAGE, json)
    refuseOthers(
      json as object as Readonly<Record<string, unknown>>,
      NOT_OFFERED.filter((name) => name !== 'date'),
    )
    const named = { to: to.join(','), contacts: contacts.join(','), groups: groups.join(',') }
    return { named, body, priority, scheduled_at }
  })
  return sent.map((message) => ({ status: 'queued', message: 'OK', ...message }))
}

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
      work: async (call) => {
        const ids = await sendV1(call, method, await parametersOf(call.c))
        return call.c.text(`OK; ID=${ids.join(',')}`)
      },
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
