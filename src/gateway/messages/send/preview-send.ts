import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import { INSTANT_OR_EMPTY } from '../../../engine/fields/date-schema.ts'
import { evaluateSql } from '../../../platform/db/call-function.ts'
import type { Db } from '../../../platform/db/open.ts'
import { countSegments } from '../../../portable/segments.ts'
import { isOfPerson, type Missing } from '../../../portable/text-template.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import type { Sender } from '../../base/make-sender.ts'
import { REASONS } from '../../base/message-status.ts'
import { isAllowed, requirePermit } from '../../base/permissions.ts'
import { readRecipients } from '../../base/read-numbers.ts'
import type { LinkConfig } from '../../base/stop-link.ts'
import { ESTIMATE_OR_NULL, type EstimateConfig, estimateCost } from './cost-estimate.ts'
import { makeLinkedText } from './file-links.ts'
import { loadAllRecipients } from './load-all-recipients.ts'
import { refuseEmptyVariable, refuseMissingVariable } from './missing-variables.ts'
import { hasMmsLine } from './mms.ts'
import type { OfferConfig } from './prepare-offer.ts'
import type { GivenSend } from './read-send.ts'
import { readPreview } from './read-send.ts'
import { findRefused } from './refused-recipients.ts'
import type { SendBody } from './send-options.ts'
import { requireReach } from './sending-permission.ts'
import { addTemplateFiles, type NamedFiles } from './template-files.ts'
import {
  checkBody,
  checkTextLength,
  findSharedText,
  readConsentScope,
  TEXT,
  type Text,
  writeTexts,
} from './write-text-bodies.ts'

export const LAST_LEAVES_AT =
  'When the last text can leave by the limits of the lines, after those that wait already; empty without a line.'

/** When the last of this number of texts can leave within the lines' limits; '' if no line can send them. */
export async function estimateLastSending(
  { db }: Store,
  user: string,
  texts: number,
  due: string,
  { deviceId, line }: Pick<SendBody, 'deviceId' | 'line'>,
): Promise<string> {
  const named = sql`(select min(n.line) from sms_named_lines(${user}, ${line.id || null}, ${line.number || null}, null, 0) n)`
  const lineId = line.id + line.number === '' ? sql`''` : named
  const at = sql<string>`coalesce(pb_text(sms_last_leaves_at(
    ${user}, greatest(now(), nullif(${due}, '')::timestamptz), ${texts}, ${deviceId}, ${lineId})), '')`
  return evaluateSql(db, at)
}

/** The preview of a send. Body, encoding, units and segments are those of the first text that is shown. */
export type Preview = Readonly<z.output<typeof PREVIEW>>
export const PREVIEW = TEXT.omit({ to: true })
  .extend({
    recipients_count: z.int().min(0),
    total_segments: z.int().min(0).describe('Segments of all texts that would be sent.'),
    opted_out: z
      .int()
      .min(0)
      .describe(
        'Recipients who have opted out: their messages would fail at once and cost nothing.',
      ),
    without_consent: z
      .int()
      .min(0)
      .describe(
        'Recipients without proof of the consent that the template or a group requires: their messages would fail at once and cost nothing.',
      ),
    items: z
      .array(
        TEXT.extend({
          opted_out: z.boolean().describe('Nothing would be sent to them.'),
          without_consent: z.boolean().describe('Nothing would be sent to them.'),
        }).meta({ id: 'PreviewedText' }),
      )
      .describe(
        'One for each recipient, in the order of the send. Empty for an API key without `messages:list` if the text has variables or goes to groups: such a key sees the text for an unknown person instead of the first one.',
      ),
    last_leaves_at: INSTANT_OR_EMPTY.describe(LAST_LEAVES_AT),
    estimate: ESTIMATE_OR_NULL,
    missing: z
      .array(z.string())
      .optional()
      .describe(
        'The variables without a default whose value is empty for one recipient at least, or in a draft absent. Always there for a draft, else if there is such a variable.',
      ),
  })
  .meta({ id: 'Preview' })

type PreviewBody = SendBody & NamedFiles & { readonly isDraft: boolean }

/**
 * Returns a function that makes of a text what leaves of a send with files: an MMS, which has no segments, or
 * a text with links. Throws 400 `mms_not_supported`.
 */
export async function makeFileAdder(
  db: Db,
  config: LinkConfig,
  user: string,
  { files, orLink }: { readonly files: number; readonly orLink: boolean },
  named: Pick<SendBody, 'deviceId' | 'line'>,
): Promise<(text: Text) => Text> {
  if (files === 0) return (text) => text
  if (await hasMmsLine(db, user, named)) return (text) => ({ ...text, segments: 0 })
  if (!orLink) throw gatewayRefusal('mms_not_supported')
  const write = await makeLinkedText(db, config, files)
  return ({ to, body }) => {
    const linked = write(UNKNOWN_ID, body)
    checkTextLength(linked)
    return { to, body: linked, ...countSegments(linked) }
  }
}

/** Stands in previewed links for the id of the message. */
const UNKNOWN_ID = 'x'.repeat(15)

/** Previews a send by the body of a request. `notation`: how numbers may be written. Throws 400. */
export async function previewGivenSend(
  store: Store,
  config: OfferConfig & EstimateConfig,
  sender: Sender,
  raw: unknown,
  notation: GivenSend['notation'],
): Promise<Preview> {
  const body = readPreview(raw, new Date())
  const recipients =
    notation === 'e164'
      ? body.recipients
      : await readRecipients(store, sender.user, body.recipients, config.maxRecipients)
  return previewSend(store, config, sender, { ...body, recipients })
}

/**
 * Renders the texts of a send; stores nothing. Without recipients, it renders one for an unknown person. A
 * sender who may not read contacts gets counts and that one text, unless numbers and text are its own.
 */
async function previewSend(
  store: Store,
  config: OfferConfig & EstimateConfig,
  sender: Sender,
  body: PreviewBody,
): Promise<Preview> {
  checkBody(body)
  const { user } = sender
  const { deviceId: device, line, options } = body
  const permit = requirePermit(sender, 'preview')
  const phones = await loadAllRecipients(store, user, body, config.maxRecipients)
  await requireReach(store.db, permit, phones, { device, line: line.id, sim: options.sim })
  const missing = new Set<string>()
  const keepOpen: Missing = (name, empty) => empty ?? `{{${name}}}`
  const refuse = body.content.requiresValues ? refuseEmptyVariable : refuseMissingVariable
  const note: Missing = (name, empty) => {
    // an unknown person has no name
    if (phones.length > 0 || !isOfPerson(name)) missing.add(name)
    return (body.isDraft ? keepOpen : refuse)(name, empty)
  }
  const whom = phones.length > 0 ? phones : ['']
  const { attachments, orLink } = await addTemplateFiles(store, user, body.content, body, 0)
  const files = { files: attachments.length, orLink }
  const addFiles = await makeFileAdder(store.db, config, user, files, body)
  const words = await writeTexts(store, config, user, body.content, whom, note)
  const texts = words.map(addFiles)
  const isOwnWords = findSharedText(body.content) !== undefined && body.groupIds.length === 0
  const showsPeople = isOwnWords || isAllowed(sender, 'readContacts')
  const shown = showsPeople
    ? texts
    : (await writeTexts(store, config, user, body.content, [''], keepOpen)).map(addFiles)
  const { to: _, ...first } = shown[0]!
  const refused = await findRefused(store, user, phones, readConsentScope(body))
  const items = (phones.length > 0 ? texts : []).map((text) => ({
    ...text,
    opted_out: refused.has(text.to) && refused.get(text.to) !== REASONS.noConsent,
    without_consent: refused.get(text.to) === REASONS.noConsent,
  }))
  const sent = items.filter((item) => !refused.has(item.to))
  return {
    ...first,
    recipients_count: items.length,
    total_segments: sent.reduce((sum, { segments }) => sum + segments, 0),
    opted_out: items.filter((item) => item.opted_out).length,
    without_consent: items.filter((item) => item.without_consent).length,
    items: showsPeople ? items : [],
    last_leaves_at: await estimateLastSending(store, user, sent.length, options.scheduledAt, body),
    estimate: isAllowed(sender, 'listDevices')
      ? await estimateCost(store, config, user, sent, {
          ...options,
          key: sender.key?.id,
          device,
          line,
        })
      : null,
    ...((body.isDraft || missing.size > 0) && { missing: [...missing] }),
  }
}
