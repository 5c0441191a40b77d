import { z } from 'zod'
import { parseDate } from '../../../engine/fields/parse-date.ts'
import { MAX_TEXT_CHARACTERS } from '../../../portable/max-text-characters.ts'
import { E164 } from '../../../portable/phone/e164.ts'
import {
  acceptNumber,
  makeIdSchema,
  makeRequiredIdSchema,
  makeTextSchema,
  makeVariableValue,
  makeVisibleText,
  makeWholeNumber,
} from '../../base/body-schemas.ts'
import { isServerRef } from '../../base/server-refs.ts'
import { MAX_FILES } from './mms.ts'
import { STORED_OPTIONS } from './stored-options.ts'

const MAX_TTL_SECONDS = 10 * 365 * 86_400
const MAX_UNDO_SECONDS = 60
/** Maximum groups of a send: each contact's groups are compared with all of them. */
const MAX_GROUPS = 100
/** The schema of a date. Its output is a PocketBase date; '' for an empty text. */
export const makeDateSchema = () =>
  z.string('must be a date').transform((raw, issues) => {
    const at = parseDate(raw)
    if (at === '' && raw !== '') issues.addIssue('must be a date, for example 2026-11-20T07:00:00Z')
    return at
  })
/** Fields of both SEND and TEMPLATE_SEND. `null` counts as absent. */
export const COMMON = {
  recipients: z
    .array(
      acceptNumber(z.string().meta({ pattern: E164.source })),
      'must be a list of phone numbers',
    )
    .nullish()
    .describe(
      'Phone numbers in E.164. Each gets one message. May be empty when `group_ids` are given. After groups and duplicates, at most 1,000 (the server may set another limit).',
    ),
  group_ids: z
    .array(makeIdSchema(), 'must be a list of group ids')
    .max(MAX_GROUPS, `must have at most ${MAX_GROUPS} items`)
    .nullish()
    .describe('Contact groups whose members are added, without those who have opted out.'),
  device_id: makeIdSchema()
    .nullish()
    .describe('The only device that may send. Default: the available lines take turns.'),
  line_id: makeIdSchema().nullish().describe('A record of `lines`: this SIM sends, and no other.'),
  from: z
    .string()
    .nullish()
    .describe(
      'The number of one of your lines in E.164, or its name as a sender: this line sends, and no other.',
    ),
  scheduled_at: makeDateSchema()
    .nullish()
    .describe(
      'Not before this instant. One that is past means now. Without an offset, as `2026-12-01 09:00:00`, it is a time of UTC; with one: `2026-12-01T09:00:00+01:00`.',
    ),
  expires_at: makeDateSchema()
    .nullish()
    .describe(
      'The end: a message that no device has claimed by then ends as `failed`. Excludes `ttl`.',
    ),
  ttl: makeWholeNumber(1, MAX_TTL_SECONDS)
    .nullish()
    .describe('The same as a number of seconds, counted from when the message is due.'),
  ...STORED_OPTIONS,
  client_ref: acceptNumber(
    makeIdSchema(255).refine(
      (ref) => !isServerRef(ref),
      'must not begin with retry:, auto: or phone:',
    ),
  )
    .nullish()
    .describe(
      'A reference of yours, unique among your messages: a second send with it, of the same text to the same number, answers with the first message. For one recipient. Must not begin with `retry:`, `auto:` or `phone:`, as the references of retries, automatic answers and texts typed on a phone do.',
    ),
  bulk: z
    .boolean()
    .nullish()
    .describe(
      'True for one text of many, as of a list: it does not change the conversation with its number. A send to several recipients never does.',
    ),
  quiet_hours: z
    .boolean()
    .nullish()
    .describe(
      "True: waits during the quiet hours of `user_settings`, by the recipient's time. An answer to a conversation that waits for one never does.",
    ),
}

const MAX_SUBJECT = 40

/** Not among COMMON: a campaign lacks the one, and leaves people out by the other. */
const OF_SEND = {
  answers: z
    .union([z.boolean(), makeRequiredIdSchema()])
    .nullish()
    .describe(
      'Of an API key: true, or the id of the received text, for a text that answers the person. The conversation then waits for no answer any more. Other texts of programs leave it waiting; texts of persons always answer.',
    ),
  requires_consent: z
    .boolean()
    .nullish()
    .describe(
      'True: a message to a person without proof of consent fails. Always so if the template or a group requires it.',
    ),
  requires_values: z
    .boolean()
    .nullish()
    .describe(
      'True: a text with a gap is refused, as one whose variable has no value at all: a variable is empty and has no default. Variables of `body` are then filled in also without `variables`.',
    ),
  undo_seconds: makeWholeNumber(0, MAX_UNDO_SECONDS)
    .nullish()
    .describe(
      'For so many seconds no device gets the text, and a cancel takes it back. Meanwhile it is `pending` with `waiting_for` `undo`, and not a scheduled text. Excludes a later `scheduled_at`.',
    ),
  smart_encoding: z
    .boolean()
    .nullish()
    .describe(
      'True: typographic quotes, dashes, spaces and other signs become those of the GSM alphabet, as in Twilio’s smart encoding, if the text then takes fewer short messages. The message stores the text that is sent.',
    ),
}

const NAMED =
  'each an http or https address that the server fetches, or `ID/NAME`: a file of one of your messages, templates, campaigns or automatic answers. In a multipart body, files with this name are added. Pictures are made smaller if need be.'
const OR_LINK =
  '`or_link`: if no line that may send this can send MMS, a text leaves with a link to each file. The links work for 30 days. `only`'

export const MMS = {
  attachments: z
    .array(makeRequiredIdSchema(2_000), 'must be a list of addresses and files')
    .max(MAX_FILES, `must have at most ${MAX_FILES} items`)
    .nullish()
    .describe(`Files of an MMS, ${NAMED}`),
  subject: acceptNumber(makeTextSchema(MAX_SUBJECT)).nullish().describe('The subject of an MMS.'),
  mms: z
    .enum(['only', 'or_link'])
    .nullish()
    .describe(`${OR_LINK} (default): the request is then refused.`),
}

/** The same with a template, which may have files of its own. */
const MMS_OF_TEMPLATE = {
  ...MMS,
  attachments: MMS.attachments.describe(`Files of an MMS besides those of the template, ${NAMED}`),
  mms: MMS.mms.describe(
    `${OR_LINK}: the request is then refused. Default: \`or_link\` if only the template has files, else \`only\`.`,
  ),
}

const VARIABLES = z.record(z.string(), makeVariableValue()).nullish()

/** The body of `send`. TEMPLATE_SEND is that of `send-template`. */
export const SEND = z
  .strictObject({
    ...COMMON,
    ...OF_SEND,
    ...MMS,
    body: makeVisibleText().optional().meta({
      maxLength: MAX_TEXT_CHARACTERS,
      description: 'The text, in Unicode characters. Required without `attachments`.',
    }),
    variables: VARIABLES.describe(
      'If present, even as `{}`: the `{{variables}}` of `body` are filled in like those of a template. If absent, `body` is sent unchanged.',
    ),
  })
  .meta({ id: 'Send' })
export const TEMPLATE_SEND = z
  .strictObject({
    ...COMMON,
    ...OF_SEND,
    ...MMS_OF_TEMPLATE,
    template_id: makeRequiredIdSchema().describe('A record of `sms_templates`.'),
    variables: VARIABLES.describe(
      "Values for the `{{variables}}` of the template, the same for all recipients. An absent value comes from the field of this name in the contact's `data`. `name` is for people without a contact, and for contacts without a name; `phone` and `stop_link` cannot be given. `{{variable|text}}` has a text for an empty or missing value.",
    ),
  })
  .meta({ id: 'TemplateSend' })

const DRAFT = {
  draft: z
    .boolean()
    .nullish()
    .describe(
      'True for an unfinished text: variables without a value stay in the texts as `{{variable}}` and are listed in `missing`. A send is refused instead.',
    ),
}

/** Bodies of `preview`: those of `send` and `send-template`, which may lack recipients and values. */
export const PREVIEW_TEXT = SEND.extend(DRAFT)
export const PREVIEW_TEMPLATE = TEMPLATE_SEND.extend(DRAFT)

/** Both as one object for the description: some generators make no code of a choice of two. */
export const PREVIEW_BODY = PREVIEW_TEXT.extend({
  template_id: TEMPLATE_SEND.shape.template_id
    .optional()
    .describe('A record of `sms_templates`, instead of `body`.'),
}).meta({ id: 'PreviewBody' })
