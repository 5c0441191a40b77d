import { z } from 'zod'
import { makeIdSchema } from '../../gateway/base/body-schemas.ts'
import { requirePermit } from '../../gateway/base/permissions.ts'
import { loadUsage } from '../../gateway/base/quota-usage.ts'
import { cancelMessage } from '../../gateway/messages/queue/cancel-messages.ts'
import { acceptSend } from '../../gateway/messages/send/accept-send.ts'
import { writeAnswer } from '../../gateway/messages/send/prepare-offer.ts'
import { previewGivenSend } from '../../gateway/messages/send/preview-send.ts'
import { readGivenSend } from '../../gateway/messages/send/read-send.ts'
import { SEND, TEMPLATE_SEND } from '../../gateway/messages/send/send-body-schema.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import type { McpCaller, McpServices } from './caller.ts'
import { defineTool, type Tool } from './define-tool.ts'

/** In any notation of the account's country: a pattern for E.164 would forbid what the words allow. */
const RECIPIENTS = z
  .array(z.string(), 'must be a list of phone numbers')
  .nullish()
  .describe(
    'Phone numbers, each of which gets one message. Without a calling code, they are numbers of the account’s country. May be empty when `group_ids` are given.',
  )
/** Fields of a send that these tools leave out, so that assistants read less. They take all others. */
const LEFT_OUT = {
  line_id: true,
  from: true,
  expires_at: true,
  ttl: true,
  priority: true,
  sim: true,
  guarantee: true,
  client_ref: true,
  bulk: true,
  quiet_hours: true,
  requires_consent: true,
  smart_encoding: true,
} as const
const { template_id } = TEMPLATE_SEND.shape
const TEMPLATE_ID = template_id.describe('The id of a template: see the resources.')
const ONCE = {
  idempotency_key: z
    .string()
    .optional()
    .describe(
      'A value of your own for this send: the same call again with it sends nothing twice.',
    ),
}
const TEXT = z.object({ ...SEND.omit(LEFT_OUT).shape, recipients: RECIPIENTS, ...ONCE })
const TEMPLATE = z.object({
  ...TEMPLATE_SEND.omit(LEFT_OUT).shape,
  recipients: RECIPIENTS,
  template_id: TEMPLATE_ID,
  ...ONCE,
})

/** Sends with the checks, quota and opt-outs of `/api/sms`. `name`: the tool's name. */
async function sendToolTexts(
  services: McpServices,
  caller: McpCaller,
  name: string,
  { idempotency_key, ...fields }: { readonly idempotency_key?: string | undefined },
  schema: typeof SEND | typeof TEMPLATE_SEND,
): Promise<object> {
  const { store, config } = services
  const given = { schema, fields, notation: 'any', request: caller } as const
  const accepted = await caller.asSender((sender) =>
    acceptSend(services, sender, {
      once: { key: idempotency_key, endpoint: `/mcp/${name}`, asked: fields },
      read: () => readGivenSend(store, sender.user, config, given),
    }),
  )
  return JSON.parse(writeAnswer(accepted))
}

export const SEND_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'send_message',
    title: 'Send a text message',
    description:
      'Sends a text to people. It cannot be taken back: preview it first, and send only what the person has agreed to.',
    scope: 'messages:send',
    kind: 'write',
    input: TEXT,
    run: (services, caller, input) => sendToolTexts(services, caller, 'send_message', input, SEND),
  }),
  defineTool({
    name: 'send_template',
    title: 'Send a template',
    description:
      'Sends a template to people, a text of its own to each. It cannot be taken back: preview it first, and send only what the person has agreed to.',
    scope: 'messages:send',
    kind: 'write',
    input: TEMPLATE,
    run: (services, caller, input) =>
      sendToolTexts(services, caller, 'send_template', input, TEMPLATE_SEND),
  }),
  defineTool({
    name: 'preview_message',
    title: 'Preview a text message',
    description:
      'Previews a send: texts, recipients, segments. Sends nothing. Give `body` or `template_id`.',
    scope: 'messages:send',
    kind: 'read',
    input: z.object({
      recipients: RECIPIENTS,
      group_ids: SEND.shape.group_ids,
      body: SEND.shape.body.optional(),
      template_id: TEMPLATE_ID.optional(),
      variables: TEMPLATE_SEND.shape.variables,
    }),
    run: ({ store, config }, caller, input) =>
      caller.asSender((sender) =>
        admission.heavyWork.run(caller.memory.holder, () =>
          previewGivenSend(store, config, sender, input, 'any'),
        ),
      ),
  }),
  defineTool({
    name: 'cancel_message',
    title: 'Cancel a text message',
    description: 'Cancels a message that no device has taken yet.',
    scope: 'messages:cancel',
    kind: 'write',
    input: z.object({ id: makeIdSchema().describe('The id that a send answered.') }),
    run: ({ store }, { sender }, { id }) =>
      cancelMessage(store, requirePermit(sender, 'cancel'), id),
  }),
  defineTool({
    name: 'get_quota',
    title: 'Get the quota',
    description: 'How many messages were sent this month, and how many may be.',
    scope: 'messages:send',
    kind: 'read',
    input: z.object({}),
    run: ({ store, config }, { sender }) => loadUsage(store, sender.user, config, new Date()),
  }),
]
