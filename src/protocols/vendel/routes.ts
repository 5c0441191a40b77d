import { z } from 'zod'
import { queries } from '../../db/queries.ts'
import { ApiError, GatewayError } from '../../errors.ts'
import { toText } from '../../fields/cast.ts'
import { formatDate } from '../../fields/date.ts'
import { type ErrorForm, type Protocol, queryOf } from '../../http/context.ts'
import { hookForm, sendError } from '../../http/middleware/failure.ts'
import { requireSender, type SendingCaller, withReader } from '../../http/middleware/sender.ts'
import { meterFor } from '../../http/request-info.ts'
import { sendFrom } from '../../http/routes/sms.ts'
import { SENDS as SEND_GROUP } from '../../metrics/traffic.ts'
import { listRecords } from '../../records/list.ts'
import { NO_REQUEST } from '../../request/request.ts'
import { countBatch } from '../../sms/queue/cancel.ts'
import { SEND, TEMPLATE_SEND } from '../../sms/send/body-schema.ts'
import { checkShape } from '../../sms/send/check-shape.ts'
import { type Act, isAllowed } from '../../sms/send/judge.ts'
import { gatewayRefusal, isRefusal } from '../../sms/send/refusals.ts'
import { instant } from '../../sms/send/schemas.ts'
import { ACCEPTED } from '../../sms/send/send.ts'
import { readUsage, type USAGE } from '../../sms/usage.ts'
import { type DoorCall, type DoorRoute, doorProtocol } from '../door.ts'

const QUOTA_ERROR = z.strictObject({
  error: z.literal('quota_exceeded'),
  detail: z.string(),
  quota_type: z.literal('sms_monthly'),
  limit: z.int(),
  used: z.int(),
  available: z.int(),
  upgrade_url: z.literal(''),
})

const ERROR = z
  .union([z.strictObject({ data: z.object({}), message: z.string(), status: z.int() }), QUOTA_ERROR])
  .meta({ id: 'VendelError' })

/** The 429 for a send beyond the quota. Vendel's SDKs take every 429 for this error. */
function quotaExceeded({ quota, used, remaining }: z.output<typeof USAGE>): GatewayError {
  const body: z.output<typeof QUOTA_ERROR> = {
    error: 'quota_exceeded',
    detail: `You can only send ${remaining ?? 0} more SMS this month`,
    quota_type: 'sms_monthly',
    limit: quota,
    used,
    available: remaining ?? 0,
    upgrade_url: '',
  }
  return new GatewayError(429, body)
}

/** HTTP statuses that Vendel answers for these errors of a send, instead of ours. */
const STATUSES: Readonly<Record<string, number>> = { device_not_found: 400, group_not_found: 400 }

/** Errors in PocketBase's form. A rate limit becomes a 503: Vendel's SDKs take every 429 for the quota. */
const errorForm: ErrorForm = (c, error) => {
  if (error instanceof ApiError) return hookForm(c, error)
  const { body, status, message } = error
  if ('quota_type' in body) return sendError(c, status, body)
  return hookForm(c, new ApiError(STATUSES[String(body.error)] ?? status, message))
}

interface List {
  readonly collection: string
  readonly sort: string
  readonly fields: readonly string[]
  readonly filters: readonly string[]
}

/** Our field names by Vendel's, where they differ. */
const OURS: Readonly<Record<string, string>> = {
  recipient: 'to',
  from_number: 'from',
  device_id: 'device',
  device_type: 'platform',
  phone_number: 'phone',
  notes: 'data',
}

const DATES = ['created', 'updated']
const STATE = ['status', 'message_type', 'error_message', 'device_id', 'sent_at', 'delivered_at']

const MESSAGES: List = {
  collection: 'sms_messages',
  sort: '-created',
  fields: ['id', 'batch_id', 'recipient', 'from_number', 'body', ...STATE, ...DATES],
  filters: ['status', 'device_id', 'batch_id', 'recipient', 'from', 'to'],
}
const CONTACTS: List = {
  collection: 'contacts',
  sort: '-created',
  fields: ['id', 'name', 'phone_number', 'groups', 'notes', ...DATES],
  filters: ['search', 'group_id'],
}
const GROUPS: List = {
  collection: 'contact_groups',
  sort: 'name',
  fields: ['id', 'name', ...DATES],
  filters: [],
}
const DEVICES: List = {
  collection: 'devices',
  sort: '-created',
  fields: ['id', 'name', 'device_type', 'phone_number', ...DATES],
  filters: ['device_type'],
}

/** PocketBase filters for parameters that do not mean "the field has this value". */
const FILTERS: Readonly<Record<string, (text: string) => string>> = {
  from: (text) => `created >= ${text}`,
  to: (text) => `created <= ${text}`,
  search: (text) => `(name ~ ${text} || phone ~ ${text})`,
  group_id: (text) => `groups.id ?= ${text}`,
}

/** The PocketBase filter for a query parameter. A text in a filter is quoted as in JSON. */
const filterOf = ([name, value]: readonly [name: string, value: string]) =>
  FILTERS[name]?.(JSON.stringify(value)) ?? `${OURS[name] ?? name} = ${JSON.stringify(value)}`

const itemOf = ({ fields }: List) =>
  z.strictObject(
    Object.fromEntries(fields.map((name) => [name, name === 'groups' ? z.array(z.string()) : z.string()])),
  )

type Row = Readonly<Record<string, unknown>>

/** A field's value in Vendel's form. `notes` is a key in a contact's JSON field `data`. */
function shownIn(record: Row, name: string): unknown {
  const value = record[OURS[name] ?? name] ?? ''
  return name === 'notes' ? toText((value as Row).notes) : value
}

/** A page of what the caller may see. An API key sees incoming texts only with the scope `inbox:list`. */
async function find(
  { c, services: { extensions } }: DoorCall,
  caller: SendingCaller,
  { collection, sort, fields }: List,
  given: Readonly<Record<string, string>>,
  [page, perPage]: readonly [page: number, perPage: number],
) {
  const { store, auth } = caller
  const conditions = Object.entries(given).map(filterOf)
  if (collection === MESSAGES.collection && !isAllowed(caller, 'readInbox'))
    conditions.push('message_type = "outgoing"')
  const query = { filter: conditions.join(' && '), sort, page: `${page}`, perPage: `${perPage}` }
  const request = { ...NO_REQUEST, auth, meter: meterFor(c, auth), query }
  const found = await listRecords(store, extensions, store.catalog.find(collection)!, request)
  const { items, totalItems: total_items, totalPages: total_pages } = JSON.parse(found)
  const itemFrom = (record: Row) => Object.fromEntries(fields.map((name) => [name, shownIn(record, name)]))
  return { items: (items as Row[]).map(itemFrom), page, per_page: perPage, total_items, total_pages }
}

const pageOf = (list: List) =>
  z.strictObject({
    items: z.array(itemOf(list)),
    page: z.int(),
    per_page: z.int(),
    total_items: z.int(),
    total_pages: z.int(),
  })

const DATE = instant()
  .transform((ms) => formatDate(new Date(ms)))
  .optional()
const PERIOD = z.looseObject({ from: DATE, to: DATE })

const MAX_PER_PAGE = 200

/** `text` as a whole number from 1 on, else `otherwise`: Vendel's server ignores other texts, too. */
const wholeOr = (text: string | undefined, otherwise: number) =>
  /^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : otherwise

/** Answers a list. An empty parameter counts as left out. */
const listing = (list: List, act: Act) => (call: DoorCall) => {
  const { page, per_page, ...query } = queryOf(call.c)
  const known = Object.entries(query).filter(([name, value]) => list.filters.includes(name) && value !== '')
  const given = checkShape(PERIOD, Object.fromEntries(known)) as Record<string, string>
  const part = [wholeOr(page, 1), Math.min(wholeOr(per_page, 50), MAX_PER_PAGE)] as const
  return withReader(call.c, call.services, act, (caller) => find(call, caller, list, given, part))
}

/** Sent as the limit where there is no limit. A number, since clients subtract from it. */
const UNLIMITED = 2 ** 31 - 1

const { recipients, group_ids, device_id, body } = SEND.shape
const { template_id, variables } = TEMPLATE_SEND.shape
const WHOM = { recipients, group_ids, device_id }
const TEXT = z.object({ ...WHOM, body }).meta({ id: 'VendelSend' })
const TEMPLATE = z.object({ ...WHOM, template_id, variables }).meta({ id: 'VendelTemplateSend' })

/** Handles a send. Ignores fields that Vendel's API lacks. */
const sending =
  (schema: typeof SEND | typeof TEMPLATE_SEND, known: z.ZodType) =>
  ({ c, services }: DoorCall): Promise<Response> =>
    sendFrom(services, schema, (json) => checkShape(known, json))(c).catch(async (error: unknown) => {
      if (!isRefusal(error, 'quota_exceeded')) throw error
      const { user, store } = await requireSender(c, services, 'send')
      throw quotaExceeded(await readUsage(store, user, services.config, new Date()))
    })

const reading =
  <T>(act: Act, work: (call: DoorCall, caller: SendingCaller, id: string) => Promise<T>) =>
  (call: DoorCall): Promise<T> =>
    withReader(call.c, call.services, act, (caller) => work(call, caller, call.c.req.param('id') ?? ''))

const QUOTA = z.strictObject({
  plan: z.string(),
  sms_sent_this_month: z.int(),
  max_sms_per_month: z.int().describe(`${UNLIMITED}: without limit.`),
  devices_registered: z.int(),
  max_devices: z.int(),
  reset_date: z.string(),
})

async function readQuota({ services }: DoorCall, { store, user }: SendingCaller) {
  const { used, quota, resets_at } = await readUsage(store, user, services.config, new Date())
  const { devices } = await queries(store.db)
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number>().as('devices'))
    .where('user', '=', user)
    .executeTakeFirstOrThrow()
  return {
    plan: 'pocketsms',
    sms_sent_this_month: used,
    max_sms_per_month: quota || UNLIMITED,
    devices_registered: devices,
    max_devices: UNLIMITED,
    reset_date: resets_at.slice(0, 10),
  } satisfies z.output<typeof QUOTA>
}

const BATCH = z.strictObject({
  batch_id: z.string(),
  total: z.int(),
  status_counts: z.record(z.string(), z.int()),
  messages: z.array(itemOf(MESSAGES)).describe('The newest, 1,000 at most.'),
})

/** Maximum messages of a batch that are shown: PocketBase's largest page. Some batches are larger. */
const MAX_OF_BATCH = 1_000

async function readBatch(call: DoorCall, caller: SendingCaller, batch_id: string) {
  const { recipients_count: total, counts } = await countBatch(caller.store, caller.user, batch_id)
  const { items: messages } = await find(call, caller, MESSAGES, { batch_id }, [1, MAX_OF_BATCH])
  const present = Object.entries(counts).filter(([, count]) => count > 0)
  return { batch_id, total, status_counts: Object.fromEntries(present), messages }
}

async function readStatus(call: DoorCall, caller: SendingCaller, id: string) {
  const { items } = await find(call, caller, MESSAGES, { id }, [1, 1])
  return items[0] ?? Promise.reject(gatewayRefusal('message_not_found'))
}

const header = z.object({ 'x-api-key': z.string().optional().describe('An API key.') })

/** `at`: method, and path below `/vendel/api/`. Takes an API key, or a session's `Authorization`. */
const route = (
  at: string,
  id: string,
  summary: string,
  answer: z.ZodType,
  more: Pick<DoorRoute, 'body' | 'query' | 'work'>,
): DoorRoute => ({
  ...{ at: at.replace(' ', ' /vendel/api/'), id: `vendel${id}`, summary, header, error: ERROR },
  ...{ answer: [200, 'Done.', answer], ...more },
})

const listRoute = (path: string, things: string, list: List, act: Act): DoorRoute =>
  route(`GET ${path}`, `List${things}`, `List ${things.toLowerCase()}`, pageOf(list), {
    query: [...list.filters, 'page', 'per_page'],
    work: listing(list, act),
  })

const ROUTES = [
  route('POST sms/send', 'Send', 'Send a text', ACCEPTED, { body: TEXT, work: sending(SEND, TEXT) }),
  route('POST sms/send-template', 'SendTemplate', 'Send a template', ACCEPTED, {
    body: TEMPLATE,
    work: sending(TEMPLATE_SEND, TEMPLATE),
  }),
  route('GET sms/status/{id}', 'ReadStatus', 'Read a message', itemOf(MESSAGES), {
    work: reading('readMessage', readStatus),
  }),
  route('GET sms/batch/{id}', 'ReadBatch', 'Read a send', BATCH, { work: reading('readMessage', readBatch) }),
  route('GET plans/quota', 'ReadQuota', 'Read the quota of the month', QUOTA, {
    work: reading('readUsage', readQuota),
  }),
  listRoute('sms/messages', 'Messages', MESSAGES, 'listMessages'),
  listRoute('contacts', 'Contacts', CONTACTS, 'readContacts'),
  listRoute('contacts/groups', 'Groups', GROUPS, 'readContacts'),
  listRoute('devices', 'Devices', DEVICES, 'listDevices'),
]

const DESCRIPTION =
  'What Vendel’s SDKs call, below `/vendel`. 429 means that the quota is exceeded, 503 also that requests are too many.'

/** What Vendel's SDKs call (https://github.com/JimScope/vendel). Vendel's app and web pages call more. */
export const VENDEL: Protocol = {
  ...doorProtocol('vendel', DESCRIPTION, ['/vendel'], ROUTES, errorForm),
  groups: Object.fromEntries(ROUTES.slice(0, 2).map(({ at }) => [at, SEND_GROUP])),
}
