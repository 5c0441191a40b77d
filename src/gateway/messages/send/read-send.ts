import type { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import { toText } from '../../../engine/fields/convert-values.ts'
import { toDate } from '../../../engine/fields/parse-date.ts'
import type { Upload } from '../../../engine/files/upload.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import type { Config } from '../../../platform/config.ts'
import { checkShape } from '../../base/body-schemas.ts'
import { readRecipients } from '../../base/read-numbers.ts'
import type { ReadySend } from './accept-send.ts'
import { checkExpiry, formatInstant, keepFutureDate } from './message-expiry.ts'
import { type AskedMedia, type MediaConfig, makeMediaLoad } from './read-media.ts'
import { markAddresses } from './same-send.ts'
import {
  PREVIEW_TEMPLATE,
  PREVIEW_TEXT,
  type SEND,
  type TEMPLATE_SEND,
} from './send-body-schema.ts'
import type { Content, SendBody } from './send-options.ts'
import { readStoredOptions } from './stored-options.ts'
import type { NamedFiles } from './template-files.ts'
import { addTemplateFiles } from './template-files.ts'

/** A parsed body. `attachments`: the files that it names; `subject`: '' for none. */
export interface ReadSend extends SendBody, NamedFiles {
  readonly subject: string
}

const makeUndoError = () =>
  invalidRequest('undo_seconds and a later scheduled_at exclude each other')

export const makeSubjectError = () => invalidRequest('subject needs attachments')

/** Parses a body of `send` or `send-template`. Throws 400 that names the first wrong field. */
export function readSend(
  schema: typeof SEND | typeof TEMPLATE_SEND,
  raw: unknown,
  now: Date,
  uploads = 0,
): ReadSend {
  const body = readFields(checkShape(schema, raw), now, uploads)
  if (body.recipients.length > 0 || body.groupIds.length > 0) return body
  throw invalidRequest('recipients must name at least one phone number, or group_ids a group')
}

/** Parses a body of `preview`: as for a send, but recipients are optional. */
export function readPreview(raw: unknown, now: Date): ReadSend & { readonly isDraft: boolean } {
  const isTemplate = typeof raw === 'object' && raw !== null && 'template_id' in raw
  const body = isTemplate ? checkShape(PREVIEW_TEMPLATE, raw) : checkShape(PREVIEW_TEXT, raw)
  return { ...readFields(body, now), isDraft: body.draft ?? false }
}

function readFields(
  body: z.output<typeof SEND> | z.output<typeof TEMPLATE_SEND>,
  now: Date,
  uploads = 0,
): ReadSend {
  const attachments = body.attachments ?? []
  if (uploads + attachments.length === 0 && !('template_id' in body) && body.body === undefined)
    throw invalidRequest('body is required')
  // a template may have files
  if (body.subject && uploads + attachments.length === 0 && !('template_id' in body))
    throw makeSubjectError()
  const scheduledAt = body.scheduled_at ? keepFutureDate(body.scheduled_at, now) : ''
  const undoSeconds = body.undo_seconds ?? 0
  if (scheduledAt && undoSeconds) throw makeUndoError()
  const due = scheduledAt || formatInstant(now.getTime() + undoSeconds * 1000)
  if (body.expires_at) checkExpiry(body, due)
  return {
    attachments,
    subject: body.subject ?? '',
    orLink: body.mms ? body.mms === 'or_link' : undefined,
    recipients: body.recipients ?? [],
    groupIds: body.group_ids ?? [],
    deviceId: body.device_id ?? '',
    line: { id: body.line_id ?? '', number: body.from ?? '' },
    content: {
      ...readContent(body),
      ...(body.smart_encoding && { isSmart: true }),
      ...(body.requires_values && { requiresValues: true }),
    },
    options: {
      scheduledAt,
      ...(undoSeconds && { undoSeconds }),
      // `ttl` counts from when the message is due
      expiresAt: body.ttl
        ? formatInstant(toDate(due)!.getTime() + body.ttl * 1000)
        : (body.expires_at ?? ''),
      ...readStoredOptions(body),
      clientRef: body.client_ref ?? '',
      isBulk: body.bulk ?? false,
      keepsQuiet: body.quiet_hours ?? false,
      ...(body.requires_consent && { requiresConsent: true }),
      ...(body.answers && { answers: body.answers }),
    },
  }
}

/** The text or template of a body. Converts the values of variables to strings. */
export function readContent(
  body: Readonly<Partial<z.output<typeof SEND> & z.output<typeof TEMPLATE_SEND>>>,
): Content {
  const { template_id: templateId, variables } = body
  if (templateId == null && !variables && !body.requires_values) return { body: body.body ?? '' }
  const given = Object.entries(variables ?? {})
  const texts = Object.fromEntries(given.map(([name, of]) => [name, toText(of)]))
  return templateId != null
    ? { templateId, variables: texts }
    : { body: body.body ?? '', variables: texts }
}

/** A send in the fields of `POST /api/sms/send` or `send-template`. */
export interface GivenSend {
  readonly schema: typeof SEND | typeof TEMPLATE_SEND
  readonly fields: unknown
  /** How numbers may be written: in E.164 alone, or in any notation. */
  readonly notation: 'e164' | 'any'
  readonly uploads?: readonly Upload[]
  /** Whose memory counts the files. */
  readonly request: Pick<AskedMedia, 'memory'>
}

/** Reads a send with its numbers in E.164. Loads no files. Throws 400 that names the first wrong field. */
export async function readGivenSend(
  store: Store,
  user: string,
  config: MediaConfig & Pick<Config, 'maxRecipients'>,
  { schema, fields, notation, uploads = [], request }: GivenSend,
): Promise<ReadySend> {
  const read = readSend(schema, fields, new Date(), uploads.length)
  const { attachments: _, orLink: __, subject, ...body } = read
  const recipients =
    notation === 'e164'
      ? body.recipients
      : await readRecipients(store, user, body.recipients, config.maxRecipients)
  const send = { ...body, recipients }
  const { attachments, orLink } = await addTemplateFiles(
    store,
    user,
    body.content,
    read,
    uploads.length,
  )
  if (subject !== '' && attachments.length + uploads.length === 0) throw makeSubjectError()
  const asked = { subject, named: attachments, uploads, orLink }
  const load = makeMediaLoad(store, user, config, request, asked)
  if (!load) return { body: send }
  const named = uploads.length === 0 ? markAddresses(subject, attachments) : undefined
  return { body: send, files: { load, named } }
}
