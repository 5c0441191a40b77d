import { z } from 'zod'
import type { Act } from '../../gateway/base/permissions.ts'
import { SEND, TEMPLATE_SEND } from '../../gateway/messages/send/body-schema.ts'
import { ACCEPTED } from '../../gateway/messages/send/send.ts'
import { type SendingCaller, withReader } from '../../gateway/messages/sender.ts'
import { SENDS as SEND_GROUP } from '../../http/metrics/traffic.ts'
import { type DoorCall, type DoorRoute, doorProtocol } from '../door.ts'
import type { Protocol } from '../gateway-services.ts'
import { ERROR, errorForm } from './errors.ts'
import { CONTACTS, DEVICES, GROUPS, itemOf, type List, listing, MESSAGES, pageOf } from './lists.ts'
import { BATCH, readBatch, readStatus } from './messages.ts'
import { QUOTA, readQuota } from './quota.ts'
import { sending, TEMPLATE, TEXT } from './send.ts'

const reading =
  <T>(act: Act, work: (call: DoorCall, caller: SendingCaller, id: string) => Promise<T>) =>
  (call: DoorCall): Promise<T> =>
    withReader(call.c, call.services, act, (caller) => work(call, caller, call.c.req.param('id') ?? ''))

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
