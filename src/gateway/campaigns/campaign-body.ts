import { z } from 'zod'
import { formatDate } from '../../engine/fields/parse-date.ts'
import type { Upload } from '../../engine/files/upload.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { MAX_TEXT_CHARACTERS } from '../../portable/max-text-characters.ts'
import { normalizePhone } from '../../portable/phone/read-phone.ts'
import {
  checkShape,
  makeRequiredIdSchema,
  makeRequiredTextSchema,
  makeTextSchema,
  makeVisibleText,
  makeWholeNumber,
} from '../base/body-schemas.ts'
import { checkPhones } from '../messages/send/load-all-recipients.ts'
import { checkExpiry, formatInstant, keepFutureDate } from '../messages/send/message-expiry.ts'
import { readContent } from '../messages/send/read-send.ts'
import { COMMON, MMS, TEMPLATE_SEND } from '../messages/send/send-body-schema.ts'
import type { Content, NamedLine } from '../messages/send/send-options.ts'
import { readStoredOptions, STORED_OPTIONS } from '../messages/send/stored-options.ts'
import { checkTextLength } from '../messages/send/write-text-bodies.ts'
import { LIST, readListFile, readListRows } from './list-body.ts'
import { AUDIENCE_STATES, type Audience, isNobody, NOBODY } from './load-audience.ts'
import { REMINDER, type WantedReminder } from './reminder-body.ts'
import { REPEAT, type WantedRepeat } from './repetition.ts'

const MAX_HOLD_SECONDS = 3_600
/** The default delay of a campaign without `scheduled_at`, in which it can still be canceled. */
const HOLD_SECONDS = 10

/** The body of a request to change a campaign. Absent fields and `null` change nothing. */
export const CAMPAIGN_CHANGE = z
  .strictObject({
    name: makeTextSchema(255).nullish().describe('How it is called; left out, its text.'),
    body: makeVisibleText().nullish().meta({
      maxLength: MAX_TEXT_CHARACTERS,
      description:
        'The text; with `variables`, even `{}`, its `{{variables}}` are filled in. Excludes `template_id`.',
    }),
    template_id: makeRequiredIdSchema().nullish().describe('A record of `sms_templates`.'),
    variables: TEMPLATE_SEND.shape.variables,
    recipients: COMMON.recipients.describe(
      'Phone numbers in E.164. With the members of the groups at most 20,000 people.',
    ),
    group_ids: COMMON.group_ids,
    filter: makeRequiredTextSchema(1_000)
      .nullish()
      .describe(
        'A PocketBase filter of `contacts`, as `data.city = "Berlin"`: those who match it are added, without those who have opted out.',
      ),
    of_campaign: makeRequiredIdSchema()
      .nullish()
      .describe('An earlier campaign, whose recipients in this `state` are added.'),
    state: z
      .enum(AUDIENCE_STATES)
      .nullish()
      .describe(
        'Of `of_campaign`: `sent` (who got the text), `not_sent` (whose text failed or was canceled, or who was left out of a list), `failed`, or `answered`. Nobody whose text still waits.',
      ),
    attachments: MMS.attachments.describe(
      'Files that each message has: an MMS. Each is an http or https address that the server fetches, or `ID/NAME`: a file of one of your messages, templates, campaigns or automatic answers. In a multipart body, files with this name are added. An empty list removes them.',
    ),
    subject: MMS.subject,
    mms: MMS.mms.describe(
      '`or_link`: if no line that may send this can send MMS, texts leave with a link to each file. The links work for 30 days. `only`: the campaign is then refused. Default: `or_link` if only the template of a new campaign has files, else `only`.',
    ),
    scheduled_at: COMMON.scheduled_at,
    hold_seconds: makeWholeNumber(0, MAX_HOLD_SECONDS)
      .nullish()
      .describe('Without `scheduled_at`: it begins after so many seconds, 10 when left out.'),
    expires_at: COMMON.expires_at.describe(
      'Messages that no device has claimed by then end as `failed`. Empty or absent: no end. With `repeat`, the end of the first run; each run has as much time.',
    ),
    repeat: REPEAT.nullish().describe(
      'It repeats: its first run is at the first time from `scheduled_at` on, and each run is a campaign of its own. Only one that repeats can be changed so.',
    ),
    reminder: REMINDER.nullish().describe(
      'A text before a date of each record, instead of recipients. Only a reminder can be changed so; its `collection` and `field` stay.',
    ),
  })
  .meta({ id: 'CampaignChange' })

const { device_id, line_id, from } = COMMON
export const CAMPAIGN = CAMPAIGN_CHANGE.extend({
  ...LIST,
  device_id,
  line_id,
  from,
  ...STORED_OPTIONS,
  requires_consent: z
    .boolean()
    .nullish()
    .describe(
      'True: recipients who have not given consent, for all purposes or for one of the groups, are left out and named. Always so if the template or a group requires it.',
    ),
  quiet_hours: COMMON.quiet_hours.describe(
    "Waits during the quiet hours of `user_settings`, by the recipients' time; true when left out.",
  ),
}).meta({ id: 'Campaign' })

/** A checked change of a campaign. Null leaves a part unchanged. Dates are PocketBase dates. */
export interface CampaignChange {
  readonly name: string | null
  readonly text: Content | null
  readonly audience: Audience | null
  /** The files that replace the present ones, as the request names them. Uploads count only in `files`. */
  readonly attachments: readonly string[] | null
  readonly files: number | null
  readonly subject: string | null
  readonly orLink: boolean | null
  readonly scheduledAt: string | null
  readonly expiresAt: string | null
  readonly repeat: WantedRepeat | null
  readonly reminder: WantedReminder | null
}

/**
 * A checked new campaign. `options.device`: '' for any device; `uploads`: how many files the request brings;
 * `orLink`: null if it does not say whether links may leave instead.
 */
export type NewCampaign = Readonly<ReturnType<typeof readNewCampaign>>

/** Parses the body of a new campaign. `file`: that of a list. Throws 400 that names the first wrong field. */
export function readNewCampaign(raw: unknown, now: Date, uploads = 0, file?: Upload) {
  const given = checkShape(CAMPAIGN, raw)
  const change = parseCampaignChange(given, now, uploads)
  const { name, audience, scheduledAt, expiresAt, repeat, attachments, reminder } = change
  const files = change.files ?? 0
  if (!change.text && files === 0) throw invalidRequest('body or template_id must be given')
  const list = file
    ? readListFile(file, given.columns)
    : given.list
      ? readListRows(given.list)
      : null
  if (list && (audience || repeat))
    throw invalidRequest('list excludes recipients, group_ids, filter, of_campaign and repeat')
  if (reminder && (list || audience || repeat || expiresAt))
    throw invalidRequest(
      'reminder excludes recipients, group_ids, filter, of_campaign, list, repeat and expires_at',
    )
  if (!list && !reminder && (!audience || isNobody(audience)))
    throw invalidRequest('recipients, group_ids, filter or list must name at least one person')
  const begins = scheduledAt ?? computeCampaignBegin(given.hold_seconds, now)
  checkExpiry({ expires_at: expiresAt }, begins)
  const options = {
    device: given.device_id ?? '',
    ...readStoredOptions(given),
    keepsQuiet: given.quiet_hours ?? true,
    requiresConsent: given.requires_consent ?? false,
    files,
    orLink: change.orLink ?? false,
  }
  const line: NamedLine = { id: given.line_id ?? '', number: given.from ?? '' }
  const times = { scheduledAt: begins, expiresAt: expiresAt ?? '', repeat }
  const media = { attachments: attachments ?? [], uploads, subject: change.subject ?? '' }
  const text = change.text ?? { body: '' }
  const { orLink } = change
  const country = given.country ?? ''
  const people = { audience: audience ?? NOBODY, list, country, reminder }
  return { name: name ?? '', text, ...people, line, options, orLink, ...media, ...times }
}

/** Parses a change of a campaign. Throws 400 that names the first wrong field, or for an empty change. */
export function readCampaignChange(raw: unknown, now: Date, uploads = 0): CampaignChange {
  const change = parseCampaignChange(checkShape(CAMPAIGN_CHANGE, raw), now, uploads)
  if (Object.values(change).some((part) => part !== null)) return change
  throw invalidRequest('name, text, files, audience or time must be given')
}

function parseCampaignChange(
  given: z.output<typeof CAMPAIGN_CHANGE>,
  now: Date,
  uploads: number,
): CampaignChange {
  const { recipients, group_ids, filter, of_campaign, state } = given
  if (!of_campaign !== !state) throw invalidRequest('of_campaign and state need each other')
  checkPhones(recipients ?? [])
  const phones = [...new Set(recipients?.map(normalizePhone))]
  const isTimed = given.scheduled_at != null || given.hold_seconds != null
  return {
    name: given.name ?? null,
    text: parseChangedText(given),
    audience:
      recipients || group_ids || filter || of_campaign
        ? {
            recipients: phones,
            groupIds: [...new Set(group_ids)],
            filter: filter ?? '',
            ofCampaign: of_campaign ?? '',
            ofState: state ?? '',
          }
        : null,
    scheduledAt: isTimed
      ? keepFutureDate(given.scheduled_at, now) || computeCampaignBegin(given.hold_seconds, now)
      : null,
    expiresAt: given.expires_at ?? null,
    repeat: given.repeat ?? null,
    reminder: given.reminder ?? null,
    attachments: given.attachments ?? null,
    files: given.attachments || uploads > 0 ? uploads + (given.attachments?.length ?? 0) : null,
    subject: given.subject ?? null,
    orLink: given.mms ? given.mms === 'or_link' : null,
  }
}

function parseChangedText({ body, template_id, variables }: z.output<typeof CAMPAIGN_CHANGE>) {
  if (body != null && template_id != null)
    throw invalidRequest('body and template_id exclude each other')
  if (body == null && template_id == null) {
    if (variables == null) return null
    throw invalidRequest('variables need a body or a template_id')
  }
  if (body != null) checkTextLength(body)
  return readContent({ body: body!, template_id: template_id!, variables })
}

/** When a campaign without `scheduled_at` begins: after `holdSeconds`, in which it can be canceled. */
const computeCampaignBegin = (holdSeconds: number | null | undefined, now: Date) =>
  holdSeconds === 0
    ? formatDate(now)
    : formatInstant(now.getTime() + (holdSeconds ?? HOLD_SECONDS) * 1000)
