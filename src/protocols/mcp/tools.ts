import { z } from 'zod'
import { admission } from '../../admission/admission.ts'
import type { Ticket } from '../../admission/holder.ts'
import { userHolder } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { ApiError, notFound } from '../../errors.ts'
import { spendReading } from '../../filter/compile.ts'
import { FilterError, namesIn, parseFilter, spelling } from '../../filter/parse.ts'
import { readSort } from '../../filter/sort.ts'
import type { Logger } from '../../log.ts'
import type { Extensions } from '../../records/extension.ts'
import { listRecords, viewRecord } from '../../records/list.ts'
import { AnswerTooLarge } from '../../request/answer-meter.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { Scope } from '../../request/scopes.ts'
import { cancelMessage } from '../../sms/queue/cancel.ts'
import { COMMON, SEND, TEMPLATE_SEND } from '../../sms/send/body-schema.ts'
import { readIdempotency } from '../../sms/send/idempotency.ts'
import { may } from '../../sms/send/judge.ts'
import { previewSend } from '../../sms/send/preview.ts'
import { readPreview, readSend } from '../../sms/send/read-body.ts'
import { withNumbers } from '../../sms/send/read-numbers.ts'
import { id } from '../../sms/send/schemas.ts'
import { type SendServices, send } from '../../sms/send/send.ts'
import type { Sender } from '../../sms/send/sender.ts'
import { readUsage } from '../../sms/usage.ts'

export interface McpServices extends SendServices {
  readonly extensions: Extensions
  readonly config: Pick<Config, 'maxRecipients' | 'monthlyQuota'>
  readonly log: Logger
}

export interface McpCaller {
  readonly sender: Sender
  readonly may: (scope: Scope) => boolean
  /** Runs `work` with this key as the sender. Repeats `work` if the user or the key has changed meanwhile. */
  readonly asSender: <T>(work: (sender: Sender) => Promise<T>) => Promise<T>
  /** Makes a request that reads records with the user's rights and limits. */
  readonly reading: (query: Readonly<Record<string, string>>) => RequestInfo
}

/** A tool of the Model Context Protocol. Its answer is a JSON object. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly scope: Scope
  readonly input: z.ZodObject
  /** Before a call of a `write` tool, assistants ask their user. */
  readonly kind: 'read' | 'write'
  readonly run: (services: McpServices, caller: McpCaller, input: never) => Promise<object>
}

const tool = <Input extends z.ZodObject>(
  definition: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input
    readonly run: (services: McpServices, caller: McpCaller, input: z.output<Input>) => Promise<object>
  },
): Tool => definition

const RECIPIENTS = COMMON.recipients.describe(
  'Phone numbers, each of which gets one message. Without a calling code, they are numbers of the account’s country. May be empty when `group_ids` are given.',
)
const WHOM = { recipients: RECIPIENTS, group_ids: COMMON.group_ids }
const TEXT = { body: SEND.shape.body, variables: SEND.shape.variables }
const { template_id, variables } = TEMPLATE_SEND.shape
const TEMPLATE = { template_id: template_id.describe('The id of a template: see the resources.'), variables }
const WHEN = {
  device_id: COMMON.device_id,
  scheduled_at: COMMON.scheduled_at,
  idempotency_key: z
    .string()
    .optional()
    .describe('A value of your own for this send: the same call again with it sends nothing twice.'),
}

/** Sends with the checks, quota and opt-outs of `/api/sms`. `name`: the tool's name. */
async function sendAs(
  services: McpServices,
  caller: McpCaller,
  name: string,
  { idempotency_key, ...json }: { readonly idempotency_key?: string | undefined },
  schema: typeof SEND | typeof TEMPLATE_SEND,
): Promise<object> {
  const { store, config } = services
  const body = readSend(schema, json, new Date())
  const idempotency = readIdempotency(idempotency_key, `/mcp/${name}`, json)
  const { answer } = await caller.asSender(async (sender) =>
    send(services, sender, await withNumbers(store, sender.user, body, config.maxRecipients), idempotency),
  )
  return JSON.parse(answer)
}

export const SEND_TOOLS: readonly Tool[] = [
  tool({
    name: 'send_message',
    title: 'Send a text message',
    description:
      'Sends a text to people. It cannot be taken back: preview it first, and send only what the person has agreed to.',
    scope: 'messages:send',
    kind: 'write',
    input: z.object({ ...WHOM, ...TEXT, ...WHEN }),
    run: (services, caller, input) => sendAs(services, caller, 'send_message', input, SEND),
  }),
  tool({
    name: 'send_template',
    title: 'Send a template',
    description:
      'Sends a template to people, a text of its own to each. It cannot be taken back: preview it first, and send only what the person has agreed to.',
    scope: 'messages:send',
    kind: 'write',
    input: z.object({ ...WHOM, ...TEMPLATE, ...WHEN }),
    run: (services, caller, input) => sendAs(services, caller, 'send_template', input, TEMPLATE_SEND),
  }),
  tool({
    name: 'preview_message',
    title: 'Preview a text message',
    description: 'Previews a send: texts, recipients, segments. Sends nothing. Give `body` or `template_id`.',
    scope: 'messages:send',
    kind: 'read',
    input: z.object({
      ...WHOM,
      body: TEXT.body.optional(),
      template_id: TEMPLATE.template_id.optional(),
      variables: TEMPLATE.variables,
    }),
    run: ({ store, config }, caller, input) =>
      caller.asSender((sender) =>
        admission.heavyWork.run(userHolder(sender.user), async () => {
          const given = readPreview(input, new Date())
          const preview = await withNumbers(store, sender.user, given, config.maxRecipients)
          return previewSend(store, config, sender, preview)
        }),
      ),
  }),
  tool({
    name: 'cancel_message',
    title: 'Cancel a text message',
    description: 'Cancels a message that no device has taken yet.',
    scope: 'messages:cancel',
    kind: 'write',
    input: z.object({ id: id().describe('The id that a send answered.') }),
    run: ({ store }, { sender }, { id }) => cancelMessage(store, may(sender, 'cancel'), id),
  }),
  tool({
    name: 'get_quota',
    title: 'Get the quota',
    description: 'How many messages were sent this month, and how many may be.',
    scope: 'messages:send',
    kind: 'read',
    input: z.object({}),
    run: ({ store, config }, { sender }) => readUsage(store, sender.user, config, new Date()),
  }),
]

const MAX_PER_PAGE = 100
/**
 * Maximum characters of filter and sort, checked before parsing. Lists of records refuse longer ones, too.
 */
const [MAX_FILTER, MAX_SORT] = [3_500, 2_100]

const page = (filterHelp: string, sort: string) =>
  z.object({
    filter: z.string().max(MAX_FILTER).optional().describe(filterHelp),
    sort: z
      .string()
      .max(MAX_SORT)
      .default(sort)
      .describe('Fields to sort by; `-` before a field turns the order around.'),
    page: z.int().min(1).default(1),
    per_page: z.int().min(1).max(MAX_PER_PAGE).default(20),
  })

type Page = z.output<ReturnType<typeof page>>

const MESSAGE_FILTER =
  'A PocketBase filter, such as `status = "failed" && created >= @todayStart`, `to = "+4915112345678"` or `body ~ "parcel"`. Fields: to, from, body, status (pending, assigned, sending, sent, delivered, failed, received), message_type (outgoing, incoming), device, batch_id, error_message, scheduled_at, sent_at, delivered_at, created.'
const CONVERSATION_FILTER =
  'A PocketBase filter, such as `unanswered = true`, `name ~ "Anna"` or `number = "+4915112345678"`. Fields: number, name, last_text, last_at, last_type (outgoing, incoming), unread, unanswered, archived.'
const DEVICE_FILTER =
  'A PocketBase filter, such as `enabled = true`. Fields: name, phone, platform, enabled, last_seen.'

/** A tool's `run` that returns a page of records. `seen` narrows the filter to what the key may see. */
const finding =
  (name: string, seen = (_: McpCaller, filter: string) => filter) =>
  async ({ store, extensions }: McpServices, caller: McpCaller, query: Page): Promise<object> => {
    const { filter = '', sort, page, per_page } = query
    try {
      checkNames(caller, store.db.ticket, filter, sort)
      const asked = { filter: seen(caller, filter), sort, page: String(page), perPage: String(per_page) }
      const collection = store.catalog.find(name)!
      return JSON.parse(await listRecords(store, extensions, collection, caller.reading(asked)))
    } catch (error) {
      throw readable(error)
    }
  }

/** Replaces PocketBase's error for an invalid filter or sort, since that error has no details. */
function readable(error: unknown): unknown {
  const isFilter = error instanceof FilterError || (error instanceof ApiError && error.status === 400)
  if (!isFilter || error instanceof AnswerTooLarge) return error
  return new ApiError(
    400,
    'The filter or the sort cannot be read: look at the fields and examples of this tool',
  )
}

export const FIND_TOOLS: readonly Tool[] = [
  tool({
    name: 'find_messages',
    title: 'Find messages',
    description:
      'Lists messages that were sent, and received if the key has `inbox:list`, newest first, with how many match.',
    scope: 'messages:list',
    kind: 'read',
    input: page(MESSAGE_FILTER, '-created'),
    run: finding('sms_messages', visibleMessages),
  }),
  tool({
    name: 'get_message',
    title: 'Get a message',
    description: 'One message with its present status.',
    scope: 'messages:read',
    kind: 'read',
    input: z.object({ id: id().describe('The id that a send answered.') }),
    async run({ store, extensions }, caller, { id }) {
      const messages = store.catalog.find('sms_messages')!
      const message = JSON.parse(await viewRecord(store, extensions, messages, caller.reading({}), id))
      if (message.message_type !== 'outgoing' && !caller.may('inbox:list')) throw notFound()
      return message
    },
  }),
  tool({
    name: 'find_conversations',
    title: 'Find conversations',
    description: 'Lists conversations, newest text first, with the number of matches.',
    scope: 'inbox:list',
    kind: 'read',
    input: page(CONVERSATION_FILTER, '-last_at'),
    run: finding('conversations'),
  }),
  tool({
    name: 'list_devices',
    title: 'List devices',
    description: 'Lists the phones and modems that send, with their state.',
    scope: 'devices:list',
    kind: 'read',
    input: page(DEVICE_FILTER, 'name'),
    run: finding('devices'),
  }),
]

/** Throws a FilterError if a key without the scope `all:any` names a field of a related record. */
function checkNames({ may }: McpCaller, ticket: Ticket | undefined, filter: string, sort: string): void {
  if (may('all:any')) return
  const read = () => parseFilter(filter, () => spendReading(ticket, filter.length))
  const filtered = filter === '' ? [] : [...namesIn(read())]
  const sorted = readSort(sort).map(({ name }) => name)
  if ([...filtered, ...sorted].some((name) => name.includes('.')))
    throw new FilterError('a path through a relation needs all:any')
}

const SENT = 'message_type = "outgoing"'

/** Narrows a filter to what the key may see: `… && (filter)`. Throws if the filter itself closes the `(`. */
function visibleMessages({ may }: McpCaller, filter: string): string {
  if (may('inbox:list')) return filter
  if (filter === '') return SENT
  const both = `${SENT} && (${filter}\n)`
  const { root } = parseFilter(both)
  const [first] = root.kind === 'and' ? root.items : []
  const isOurs = first?.kind === 'comparison' && spelling(first.left) === 'message_type'
  if (!isOurs || first.sign !== '=' || spelling(first.right) !== 'outgoing')
    throw new FilterError('invalid group')
  return both
}
