import { z } from 'zod'
import { makeUserHolder } from '../../engine/collections/collection.ts'
import { readJson } from '../../http/body/raw-body.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { SENDING } from '../../http/openapi/describe-operations.ts'
import { describeJson } from '../../http/openapi/success-answers.ts'
import type { Ctx } from '../../http/request-context.ts'
import type { Routed } from '../../http/route-limits.ts'
import { sendRaw } from '../../http/send-answer.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { readMediaType } from '../../platform/tools/charsets.ts'
import { describeRefusals } from '../base/describe-gateway-errors.ts'
import type { RefusalCode } from '../base/gateway-errors.ts'
import { readBodyRecipients } from '../base/read-numbers.ts'
import { type ActingCaller, allowSender } from './require-sender.ts'
import { markAddresses } from './send/given-files.ts'
import { readIdempotency } from './send/idempotency.ts'
import { PREVIEW, previewSend } from './send/preview-send.ts'
import { hashUploads, loadMedia, readSendForm } from './send/read-media.ts'
import { readPreview, readSend } from './send/read-send-body.ts'
import { ATTEMPT_HEADER, refuseOwnAttempt } from './send/refuse-send-loop.ts'
import { PREVIEW_TEMPLATE, PREVIEW_TEXT, SEND, TEMPLATE_SEND } from './send/send-body-schema.ts'
import { ACCEPTED, sendMessages } from './send/send-messages.ts'

/** Enough for 100,000 recipients. */
export const MAX_BODY_BYTES = 4 << 20
/** Enough for the files of a send. */
const FORM_WITH_FILES_BYTES = 32 << 20

export const IDEMPOTENCY = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'A name of yours for this request. Within 24 hours the same one gets the first answer, and nothing is sent twice.',
    ),
})
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

const isForm = (c: Routed) =>
  readMediaType(c.req.header('content-type')).startsWith('multipart/form-data')

/** A form may have files. */
const findMaxSendBytes = (c: Routed): number => (isForm(c) ? FORM_WITH_FILES_BYTES : MAX_BODY_BYTES)

/**
 * Sends a text or a template. `adapt` reads the body of another API, whose numbers may have any notation, and
 * which has no files: throws 400 for them.
 */
export async function answerSend(
  sender: ActingCaller,
  c: Ctx,
  schema: typeof SEND | typeof TEMPLATE_SEND,
  adapt?: (json: unknown) => unknown,
): Promise<Response> {
  const { store, user, services, sending } = sender
  // parse
  const { json: given, uploads } = isForm(c)
    ? await readSendForm(c)
    : { json: await readJson(c), uploads: [] }
  if (adapt && uploads.length > 0) throw invalidRequest('This interface sends no files')
  const json = adapt ? adapt(given) : given
  const { attachments, subject, orLink, ...strict } = readSend(
    schema,
    json,
    new Date(),
    uploads.length,
  )
  const body = adapt
    ? await readBodyRecipients(store, user, strict, services.config.maxRecipients)
    : strict
  const key = c.req.header('idempotency-key')
  const asked = async () => (uploads.length > 0 ? [json, await hashUploads(uploads)] : json)
  const idempotency = key === undefined ? null : readIdempotency(key, c.req.path, await asked())
  const attempt = c.req.header(ATTEMPT_HEADER)
  if (attempt !== undefined) await refuseOwnAttempt(store, user, attempt)
  const load = () => {
    const media = { subject, named: attachments, uploads, orLink, memory: c.env.incoming.memory }
    return loadMedia(store, user, services.config, media)
  }
  const hasFiles = attachments.length + uploads.length > 0
  // plan an offer, and store it in one transaction with offers of other requests
  const { answer, replayed } = await sendMessages(
    sending,
    sender,
    body,
    idempotency,
    hasFiles ? load : undefined,
    uploads.length === 0 && hasFiles ? markAddresses(subject, attachments) : undefined,
  )
  // respond
  if (replayed) {
    c.header('Idempotent-Replayed', 'true')
    // lets scripts of pages from other origins read the header above
    c.header('Access-Control-Expose-Headers', 'Idempotent-Replayed')
  }
  return sendRaw(c, answer)
}

/** `/api/sms`: sends and their previews. Errors are `{"error","message"}`. */
export const SEND_ROUTES = makeRoutes(SENDING, {
  'POST /api/sms/send': {
    permission: allowSender('send'),
    maxBytes: findMaxSendBytes,
    describe: {
      id: 'send',
      summary: 'Send a text',
      description:
        'Sends one text to many. Name `recipients`, `group_ids` or both. All messages of a request are stored, or none.',
      params: { header: IDEMPOTENCY },
      body: [SEND, TEXT_EXAMPLE],
      ...describeSent(),
    },
    run: (sender, c) => answerSend(sender, c, SEND),
  },
  'POST /api/sms/send-template': {
    permission: allowSender('send'),
    maxBytes: findMaxSendBytes,
    describe: {
      id: 'sendTemplate',
      summary: 'Send a template',
      description: 'Sends each recipient an individual text, made from a template.',
      params: { header: IDEMPOTENCY },
      body: [TEMPLATE_SEND, TEMPLATE_EXAMPLE],
      ...describeSent(),
    },
    run: (sender, c) => answerSend(sender, c, TEMPLATE_SEND),
  },
  'POST /api/sms/preview': {
    permission: allowSender('preview'),
    maxBytes: MAX_BODY_BYTES,
    describe: {
      id: 'preview',
      summary: 'Preview a send',
      description: 'Accepts the body of either send; recipients are optional. Nothing is stored.',
      body: [z.union([PREVIEW_TEXT, PREVIEW_TEMPLATE]), TEXT_EXAMPLE],
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
      const { store, user, services } = sender
      const body = readPreview(await readJson(c), new Date())
      const preview = () => previewSend(store, services.config, sender, body)
      return admission.heavyWork.run(makeUserHolder(user), preview)
    },
  },
})
