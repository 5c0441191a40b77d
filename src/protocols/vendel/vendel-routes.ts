import { z } from 'zod'
import { checkShape } from '../../gateway/base/body-schemas.ts'
import { gatewayRefusal, isRefusal } from '../../gateway/base/gateway-errors.ts'
import { ACTS, type Act } from '../../gateway/base/permissions.ts'
import { loadUsage } from '../../gateway/base/quota-usage.ts'
import { countDevices } from '../../gateway/lines/pair-device.ts'
import { countBatch } from '../../gateway/messages/queue/count-batch.ts'
import { addSending, asSender, type SendingCaller } from '../../gateway/messages/require-sender.ts'
import { ACCEPTED } from '../../gateway/messages/send/accept-send.ts'
import { SEND, TEMPLATE_SEND } from '../../gateway/messages/send/send-body-schema.ts'
import { answerSendRequest, MAX_SEND_BODY_BYTES } from '../../gateway/messages/send-routes.ts'
import type { Bound, RouteBound } from '../../http/bounds.ts'
import { BY_KEY_OR_TOKEN } from '../../http/identify-caller.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import type { Description } from '../describe-route.ts'
import type { Protocol } from '../gateway-services.ts'
import { type DoorCall, defineSendRoute, makeSendOnlyProtocol } from '../send-only-protocol.ts'
import { ERROR, makeQuotaError, sendVendelError } from './vendel-errors.ts'
import {
  CONTACT_LIST,
  DEVICE_LIST,
  findListPage,
  GROUPS,
  type List,
  MESSAGE_LIST,
  makeItemSchema,
  makeListHandler,
  makeVendelPageSchema,
} from './vendel-lists.ts'

const { recipients, group_ids, device_id, body } = SEND.shape
const { template_id, variables } = TEMPLATE_SEND.shape
const WHOM = { recipients, group_ids, device_id }
const TEXT = z.object({ ...WHOM, body }).meta({ id: 'VendelSend' })
const TEMPLATE = z.object({ ...WHOM, template_id, variables }).meta({ id: 'VendelTemplateSend' })

/** Handles a send. Ignores fields that Vendel's API lacks. */
const makeSendHandler =
  (schema: typeof SEND | typeof TEMPLATE_SEND, known: z.ZodType) =>
  ({ c, services }: DoorCall): Promise<Response> =>
    asSender(c, services, 'send', 'write', (sender, permit) =>
      answerSendRequest(addSending(services, sender, permit), c, schema, (json) =>
        checkShape(known, json),
      ),
    ).catch(async (error: unknown) => {
      if (!isRefusal(error, 'quota_exceeded')) throw error
      const usage = ({ store, user }: SendingCaller) =>
        loadUsage(store, user, services.config, new Date())
      throw makeQuotaError(await asSender(c, services, 'send', 'checkedRead', usage))
    })

/** Sent as the limit where there is no limit. A number, since clients subtract from it. */
const UNLIMITED = 2 ** 31 - 1

const QUOTA = z.strictObject({
  plan: z.string(),
  sms_sent_this_month: z.int(),
  max_sms_per_month: z.int().describe(`${UNLIMITED}: without limit.`),
  devices_registered: z.int(),
  max_devices: z.int(),
  reset_date: z.string(),
})

async function readQuota({ services }: DoorCall, { store, user }: SendingCaller) {
  const { used, quota, resets_at } = await loadUsage(store, user, services.config, new Date())
  return {
    plan: 'pocketsms',
    sms_sent_this_month: used,
    max_sms_per_month: quota || UNLIMITED,
    devices_registered: await countDevices(store.db, user),
    max_devices: UNLIMITED,
    reset_date: resets_at.slice(0, 10),
  } satisfies z.output<typeof QUOTA>
}

const BATCH = z.strictObject({
  batch_id: z.string(),
  total: z.int(),
  status_counts: z.record(z.string(), z.int()),
  messages: z.array(makeItemSchema(MESSAGE_LIST)).describe('The newest, 1,000 at most.'),
})

/** Maximum messages of a batch that are shown: PocketBase's largest page. Some batches are larger. */
const MAX_OF_BATCH = 1_000

async function readBatch(call: DoorCall, caller: SendingCaller, batch_id: string) {
  const { recipients_count: total, counts } = await countBatch(caller.store, caller, batch_id)
  const { items: messages } = await findListPage(call, caller, MESSAGE_LIST, { batch_id }, [
    1,
    MAX_OF_BATCH,
  ])
  const present = Object.entries(counts).filter(([, count]) => count > 0)
  return { batch_id, total, status_counts: Object.fromEntries(present), messages }
}

async function readStatus(call: DoorCall, caller: SendingCaller, id: string) {
  const { items } = await findListPage(call, caller, MESSAGE_LIST, { id }, [1, 1])
  return items[0] ?? Promise.reject(gatewayRefusal('message_not_found'))
}

const makeReadHandler =
  <T>(act: Act, work: (call: DoorCall, caller: SendingCaller, id: string) => Promise<T>) =>
  (call: DoorCall): Promise<T> =>
    asSender(call.c, call.services, act, 'checkedRead', (caller) =>
      work(call, caller, call.c.req.param('id') ?? ''),
    )

/** A row for an API key or an account's own token. `act`: what `work` asks of them. */
const defineVendelRoute = (
  act: Act,
  id: string,
  summary: string,
  answer: z.ZodType,
  more: Pick<Description, 'body' | 'query' | 'idempotent'>,
  work: Parameters<typeof defineSendRoute>[2],
  bound?: RouteBound,
) =>
  defineSendRoute(
    { scopes: ACTS[act].scopes, security: 'sender', credentials: BY_KEY_OR_TOKEN },
    { id: `vendel${id}`, summary, error: ERROR, answer: [200, 'Done.', answer], ...more },
    work,
    MAX_SEND_BODY_BYTES,
    bound,
  )

const OF_LIST: Bound = {
  cost: 'the rows of a list of records',
  by: 'the bounds of a list of records; 200 records, 1,000 of a batch',
}

const listRoute = (things: string, list: List, act: Act) => {
  const query = [...list.filters, 'page', 'per_page']
  return defineVendelRoute(
    act,
    `List${things}`,
    `List ${things.toLowerCase()}`,
    makeVendelPageSchema(list),
    { query },
    makeListHandler(list, act),
    OF_LIST,
  )
}

const SENDS = makeRoutes('vendel', {
  'POST /vendel/api/sms/send': defineVendelRoute(
    'send',
    'Send',
    'Send a text',
    ACCEPTED,
    { body: TEXT, idempotent: true },
    makeSendHandler(SEND, TEXT),
  ),
  'POST /vendel/api/sms/send-template': defineVendelRoute(
    'send',
    'SendTemplate',
    'Send a template',
    ACCEPTED,
    { body: TEMPLATE, idempotent: true },
    makeSendHandler(TEMPLATE_SEND, TEMPLATE),
  ),
})

const READS = makeRoutes('vendel', {
  'GET /vendel/api/sms/status/:id': defineVendelRoute(
    'readMessage',
    'ReadStatus',
    'Read a message',
    makeItemSchema(MESSAGE_LIST),
    {},
    makeReadHandler('readMessage', readStatus),
    OF_LIST,
  ),
  'GET /vendel/api/sms/batch/:id': defineVendelRoute(
    'readMessage',
    'ReadBatch',
    'Read a send',
    BATCH,
    {},
    makeReadHandler('readMessage', readBatch),
    OF_LIST,
  ),
  'GET /vendel/api/plans/quota': defineVendelRoute(
    'readUsage',
    'ReadQuota',
    'Read the quota of the month',
    QUOTA,
    {},
    makeReadHandler('readUsage', readQuota),
    { cost: 'devices of the user', by: 'one index scan' },
  ),
  'GET /vendel/api/sms/messages': listRoute('Messages', MESSAGE_LIST, 'listMessages'),
  'GET /vendel/api/contacts': listRoute('Contacts', CONTACT_LIST, 'readContacts'),
  'GET /vendel/api/contacts/groups': listRoute('Groups', GROUPS, 'readContacts'),
  'GET /vendel/api/devices': listRoute('Devices', DEVICE_LIST, 'listDevices'),
})

const DESCRIPTION =
  'What Vendel’s SDKs call, below `/vendel`. 429 means that the quota is exceeded, 503 also that requests are too many.'

/** Routes of Vendel's SDKs (https://github.com/JimScope/vendel). Vendel's app and web pages call more. */
export const VENDEL: Protocol = {
  ...makeSendOnlyProtocol('vendel', DESCRIPTION, ['/vendel'], SENDS, sendVendelError),
  rows: [...SENDS, ...READS],
}
