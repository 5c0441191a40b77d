import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { describeJson } from '../../http/openapi/success-answers.ts'
import type { Ctx } from '../../http/request-context.ts'
import { sendRaw } from '../../http/send-answer.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { queries } from '../../platform/db/queries.ts'
import { describeRefusals } from '../base/describe-gateway-errors.ts'
import type { RefusalCode } from '../base/gateway-errors.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { type ActingCaller, allowSender } from './require-sender.ts'
import { ACCEPTED, acceptSend } from './send/accept-send.ts'
import { writeAnswer } from './send/prepare-offer.ts'
import { PREVIEW, previewGivenSend } from './send/preview-send.ts'
import { listAskedAgain } from './send/read-media.ts'
import { readGivenSend } from './send/read-send.ts'
import { allowFiles, readSendRequest } from './send/read-send-request.ts'
import { PREVIEW_BODY, SEND, TEMPLATE_SEND } from './send/send-body-schema.ts'

/** Enough for 100,000 recipients. */
export const MAX_SEND_BODY_BYTES = 4 << 20

const REPLAYED = z.object({
  'Idempotent-Replayed': z
    .enum(['true'])
    .optional()
    .describe('The answer is that of an earlier request.'),
})

export const SHAPE: readonly RefusalCode[] = [
  'invalid_phone_number',
  'body_too_long',
  'too_many_recipients',
]
const SEND_REFUSALS: readonly RefusalCode[] = [
  ...SHAPE,
  'invalid_template',
  'quota_exceeded',
  'destination_not_allowed',
  'device_not_found',
  'line_not_found',
  'line_ambiguous',
  'line_not_allowed',
  'mms_not_supported',
  'files_too_large',
  'group_not_found',
  'idempotency_key_reused',
  'client_ref_reused',
  'no_devices',
]

const describeSent = () => ({
  fails: describeRefusals(...SEND_REFUSALS),
  responses: {
    200: {
      description: 'Stored: all messages of the request.',
      content: describeJson(ACCEPTED),
      headers: REPLAYED,
    },
  },
})

const TEXT_EXAMPLE = { recipients: ['+4915112345678'], body: 'Your parcel arrives tomorrow.' }
const TEMPLATE_EXAMPLE = {
  recipients: ['+4915112345678'],
  template_id: 'k3v9x0c2m5n8b1a',
  variables: { code: '4711' },
}

/** The header in which a carrier of the preset `pocketsms` names the attempt that it sends: `ID.NUMBER`. */
const ATTEMPT_HEADER = 'x-carrier-attempt'

/**
 * Throws 403 if the attempt is of a text of this same account. The account is then its own carrier, and
 * would send the text to itself again and again.
 */
async function refuseOwnAttempt({ db }: Store, user: string, attempt: string): Promise<void> {
  const [id = ''] = attempt.split('.')
  const own = await queries(db)
    .selectFrom('sms_messages')
    .select('id')
    .where('id', '=', id)
    .where('user', '=', user)
    .executeTakeFirst()
  if (own) throw gatewayRefusal('forbidden', 'The carrier of this account is the account itself')
}

/**
 * Sends a text or a template. `adapt` reads the body of another API, whose numbers may have any notation, and
 * which has no files: throws 400 for them.
 */
export async function answerSendRequest(
  sender: ActingCaller,
  c: Ctx,
  schema: typeof SEND | typeof TEMPLATE_SEND,
  adapt?: (json: unknown) => unknown,
): Promise<Response> {
  const { store, user, services, sending } = sender
  const { json, uploads } = await readSendRequest(c)
  if (adapt && uploads.length > 0) throw invalidRequest('This interface sends no files')
  const fields = adapt ? adapt(json) : json
  const key = c.env.incoming.idempotencyKey
  const asked = await listAskedAgain(key, fields, uploads)
  const notation = adapt ? 'any' : 'e164'
  const given = { schema, fields, notation, uploads, request: c.env.incoming } as const
  const accepted = await acceptSend(sending, sender, {
    once: { key, endpoint: c.req.path, asked },
    read: async () => {
      const attempt = c.req.header(ATTEMPT_HEADER)
      if (attempt !== undefined) await refuseOwnAttempt(store, user, attempt)
      return readGivenSend(store, user, services.config, given)
    },
  })
  if (accepted.isReplayed) c.header('Idempotent-Replayed', 'true')
  return sendRaw(c, writeAnswer(accepted))
}

const OF_SEND: Bound = {
  cost: 'recipients; contacts of the user if it names groups',
  by: '`MAX_RECIPIENTS`; the server reads the members of groups in turns',
}

/** `/api/sms`: sends and their previews. Errors are `{"error","message"}`. */
export const SEND_ROUTES = makeRoutes('sending', {
  'POST /api/sms/send': {
    permission: allowSender('send'),
    maxBytes: allowFiles(MAX_SEND_BODY_BYTES),
    bound: OF_SEND,
    idempotent: true,
    describe: {
      id: 'send',
      summary: 'Send a text',
      description:
        'Sends one text to many. Name `recipients`, `group_ids` or both. All messages of a request are stored, or none.',
      body: [SEND, TEXT_EXAMPLE],
      ...describeSent(),
    },
    run: (sender, c) => answerSendRequest(sender, c, SEND),
  },
  'POST /api/sms/send-template': {
    permission: allowSender('send'),
    maxBytes: allowFiles(MAX_SEND_BODY_BYTES),
    bound: OF_SEND,
    idempotent: true,
    describe: {
      id: 'sendTemplate',
      summary: 'Send a template',
      description: 'Sends each recipient an individual text, made from a template.',
      body: [TEMPLATE_SEND, TEMPLATE_EXAMPLE],
      ...describeSent(),
    },
    run: (sender, c) => answerSendRequest(sender, c, TEMPLATE_SEND),
  },
  'POST /api/sms/preview': {
    permission: allowSender('preview'),
    maxBytes: MAX_SEND_BODY_BYTES,
    bound: OF_SEND,
    heavy: true,
    describe: {
      id: 'preview',
      summary: 'Preview a send',
      description: 'Accepts the body of either send; recipients are optional. Nothing is stored.',
      body: [PREVIEW_BODY, TEXT_EXAMPLE],
      answer: ['The texts, and what it takes to send them.', PREVIEW],
      fails: describeRefusals(
        ...SHAPE,
        'invalid_template',
        'destination_not_allowed',
        'line_not_allowed',
        'mms_not_supported',
        'group_not_found',
      ),
    },
    run: async (sender, c) => {
      const { store, services } = sender
      return previewGivenSend(store, services.config, sender, await readJsonBody(c), 'e164')
    },
  },
})
