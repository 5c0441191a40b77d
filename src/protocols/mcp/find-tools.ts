import { z } from 'zod'
import { FilterError } from '../../engine/filter/parse-filter.ts'
import { AnswerTooLarge } from '../../engine/request/answer-limit.ts'
import { makeIdSchema } from '../../gateway/base/body-schemas.ts'
import { listOpenedRecords, viewOpenedRecord } from '../../gateway/base/list-opened-records.ts'
import { ApiError } from '../../platform/api-errors.ts'
import type { McpCaller, McpServices } from './caller.ts'
import { defineTool, type Tool } from './define-tool.ts'

const MAX_PER_PAGE = 100
/**
 * Maximum characters of filter and sort, checked before parsing. Lists of records refuse longer ones, too.
 */
const [MAX_FILTER, MAX_SORT] = [3_500, 2_100]

const makePageSchema = (filterHelp: string, sort: string) =>
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

type Page = z.output<ReturnType<typeof makePageSchema>>

const MESSAGE_FILTER =
  'A PocketBase filter, such as `status = "failed" && created >= @todayStart`, `to = "+4915112345678"` or `body ~ "parcel"`. Fields: to, from, body, status (pending, assigned, sending, sent, delivered, failed, received), message_type (outgoing, incoming), device, batch_id, error_message, scheduled_at, sent_at, delivered_at, created.'
const CONVERSATION_FILTER =
  'A PocketBase filter, such as `unanswered = true`, `name ~ "Anna"` or `number = "+4915112345678"`. Fields: number, name, last_text, last_at, last_type (outgoing, incoming), failure, unread, unanswered, archived.'
const DEVICE_FILTER =
  'A PocketBase filter, such as `enabled = true`. Fields: name, phone, platform, enabled, last_seen.'

/** A tool's `run` that returns a page of the records that the scopes of the key open. */
const makeFindTool =
  (name: string) =>
  async ({ store, extensions }: McpServices, caller: McpCaller, query: Page): Promise<object> => {
    const { filter = '', sort, page, per_page } = query
    const asked = { filter, sort, page: String(page), perPage: String(per_page) }
    const { sender } = caller
    try {
      return JSON.parse(
        await listOpenedRecords(store, extensions, sender, name, caller.reading(asked)),
      )
    } catch (error) {
      throw explainFilterError(error)
    }
  }

/** Replaces PocketBase's error for an invalid filter or sort, since that error has no details. */
function explainFilterError(error: unknown): unknown {
  const isFilter =
    error instanceof FilterError || (error instanceof ApiError && error.status === 400)
  if (!isFilter || error instanceof AnswerTooLarge) return error
  return new ApiError(
    400,
    'The filter or the sort cannot be read: look at the fields and examples of this tool',
  )
}

export const FIND_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'find_messages',
    title: 'Find messages',
    description:
      'Lists messages that were sent, and received if the key has `inbox:list`, newest first, with how many match.',
    scope: 'messages:list',
    kind: 'read',
    input: makePageSchema(MESSAGE_FILTER, '-created'),
    run: makeFindTool('sms_messages'),
  }),
  defineTool({
    name: 'get_message',
    title: 'Get a message',
    description: 'One message with its present status.',
    scope: 'messages:read',
    kind: 'read',
    input: z.object({ id: makeIdSchema().describe('The id that a send answered.') }),
    async run({ store, extensions }, caller, { id }) {
      const { sender } = caller
      const request = caller.reading({})
      return JSON.parse(
        await viewOpenedRecord(store, extensions, sender, 'sms_messages', request, id),
      )
    },
  }),
  defineTool({
    name: 'find_conversations',
    title: 'Find conversations',
    description: 'Lists conversations, newest text first, with the number of matches.',
    scope: 'inbox:list',
    kind: 'read',
    input: makePageSchema(CONVERSATION_FILTER, '-last_at'),
    run: makeFindTool('conversations'),
  }),
  defineTool({
    name: 'list_devices',
    title: 'List devices',
    description: 'Lists the phones and modems that send, with their state.',
    scope: 'devices:list',
    kind: 'read',
    input: makePageSchema(DEVICE_FILTER, 'name'),
    run: makeFindTool('devices'),
  }),
]
