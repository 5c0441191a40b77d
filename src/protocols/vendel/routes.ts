import { z } from 'zod'
import type { Scope } from '../../auth/tokens/scopes.ts'
import { runForRow, statement, text } from '../../db/statement.ts'
import type { Protocol } from '../../http/context.ts'
import { READS, requireSender, SENDS, type SendingCaller, withReader } from '../../http/middleware/sender.ts'
import { sendFrom } from '../../http/routes/sms.ts'
import { SENDS as SEND_GROUP } from '../../metrics/traffic.ts'
import { countBatch } from '../../sms/queue/cancel.ts'
import { SEND, TEMPLATE_SEND } from '../../sms/send/body.ts'
import { ACCEPTED } from '../../sms/send/send.ts'
import { checkShape, gatewayRefusal, isRefusal } from '../../sms/send/shape.ts'
import { readUsage } from '../../sms/usage/quota.ts'
import { type DoorCall, type DoorRoute, doorProtocol } from '../door.ts'
import { ERROR, errorForm, quotaExceeded } from './errors.ts'
import { CONTACTS, DEVICES, find, GROUPS, itemOf, type List, listing, MESSAGES, pageOf } from './lists.ts'

/** Stands for no limit: clients subtract from it. */
const UNLIMITED = 2 ** 31 - 1

const { recipients, group_ids, device_id, body } = SEND.shape
const { template_id, variables } = TEMPLATE_SEND.shape
const WHOM = { recipients, group_ids, device_id }
const TEXT = z.object({ ...WHOM, body }).meta({ id: 'VendelSend' })
const TEMPLATE = z.object({ ...WHOM, template_id, variables }).meta({ id: 'VendelTemplateSend' })

/** Sends. Ignores fields that Vendel does not know. */
const sending =
  (schema: typeof SEND | typeof TEMPLATE_SEND, known: z.ZodType) =>
  ({ c, services }: DoorCall): Promise<Response> =>
    sendFrom(services, schema, (json) => checkShape(known, json))(c).catch(async (error: unknown) => {
      if (!isRefusal(error, 'quota_exceeded')) throw error
      const { user, store } = await requireSender(c, services, SENDS)
      throw quotaExceeded(await readUsage(store, user, services.config, new Date()))
    })

const reading =
  <T>(work: (call: DoorCall, caller: SendingCaller, id: string) => Promise<T>) =>
  (call: DoorCall): Promise<T> =>
    withReader(call.c, call.services, READS, (caller) => work(call, caller, call.c.req.param('id') ?? ''))

const QUOTA = z.strictObject({
  plan: z.string(),
  sms_sent_this_month: z.int(),
  max_sms_per_month: z.int().describe(`${UNLIMITED}: without limit.`),
  devices_registered: z.int(),
  max_devices: z.int(),
  reset_date: z.string(),
})

const DEVICE_COUNT = statement('vendel devices', { devices: 'number' })`
select count(*) as devices from devices where "user" = ${text('user')}`

async function readQuota({ services }: DoorCall, { store, user }: SendingCaller) {
  const { used, quota, resets_at } = await readUsage(store, user, services.config, new Date())
  return {
    plan: 'pocketsms',
    sms_sent_this_month: used,
    max_sms_per_month: quota || UNLIMITED,
    devices_registered: (await runForRow(store.db, DEVICE_COUNT, { user }))!.devices,
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

/** PocketBase's largest page. Some servers allow larger batches. */
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

/** `at`: the path below `/vendel`. A session's `Authorization` opens it as well as the key. */
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

const listRoute = (path: string, things: string, list: List, scope: Scope): DoorRoute =>
  route(`GET ${path}`, `List${things}`, `List ${things.toLowerCase()}`, pageOf(list), {
    query: [...list.filters, 'page', 'per_page'],
    work: listing(list, scope),
  })

const ROUTES = [
  route('POST sms/send', 'Send', 'Send a text', ACCEPTED, { body: TEXT, work: sending(SEND, TEXT) }),
  route('POST sms/send-template', 'SendTemplate', 'Send a template', ACCEPTED, {
    body: TEMPLATE,
    work: sending(TEMPLATE_SEND, TEMPLATE),
  }),
  route('GET sms/status/{id}', 'ReadStatus', 'Read a message', itemOf(MESSAGES), {
    work: reading(readStatus),
  }),
  route('GET sms/batch/{id}', 'ReadBatch', 'Read a send', BATCH, { work: reading(readBatch) }),
  route('GET plans/quota', 'ReadQuota', 'Read the quota of the month', QUOTA, { work: reading(readQuota) }),
  listRoute('sms/messages', 'Messages', MESSAGES, 'messages:list'),
  listRoute('contacts', 'Contacts', CONTACTS, 'messages:list'),
  listRoute('contacts/groups', 'Groups', GROUPS, 'messages:list'),
  listRoute('devices', 'Devices', DEVICES, 'devices:list'),
]

const DESCRIPTION =
  'What Vendel’s SDKs call, below `/vendel`. 429 means that the quota is exceeded, 503 also that requests are too many.'

/** What Vendel's SDKs call (https://github.com/JimScope/vendel). Its app and its web pages call more. */
export const VENDEL: Protocol = {
  ...doorProtocol('vendel', DESCRIPTION, ['/vendel'], ROUTES, errorForm),
  groups: Object.fromEntries(ROUTES.slice(0, 2).map(({ at }) => [at, SEND_GROUP])),
}
