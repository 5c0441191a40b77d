import { z } from 'zod'
import type { Config } from '../../platform/config.ts'
import { cleanText } from '../../platform/tools/clean-text.ts'
import { writeAttachmentLines, writeMmsText } from '../../portable/attachment-lines.ts'
import { cutBetweenGraphemes } from '../../portable/cut-text.ts'
import { DATA_URL } from '../../portable/data-url.ts'
import { MAX_SIMS } from '../../portable/max-sims.ts'
import { readPhone } from '../../portable/phone/read-phone.ts'
import { joinSubject } from '../../portable/written-words.ts'
import { checkShape, makeTextSchema as line, makeWholeNumber } from '../base/body-schemas.ts'
import { readAttachment } from '../base/message-files.ts'
import type { ReceivedText } from '../conversations/store-received-texts.ts'
import { MAX_TEXT, makeOptionalField } from '../lines/device-schemas.ts'
import { cut, makeLenientList, phoneInstant } from './lenient-schemas.ts'

const MAX_SENDER = 255

/** Fields of every received text. Invalid values are replaced, since a refused text would be lost. */
const received = {
  sender: cut(MAX_SENDER).nullish(),
  /** The sender as the app called it until 2026. */
  phoneNumber: cut(MAX_SENDER).nullish(),
  recipient: makeOptionalField(line()),
  simNumber: makeWholeNumber(0, MAX_SIMS).catch(0),
  /** The time of arrival if the date is invalid: some phones send other units than milliseconds. */
  receivedAt: phoneInstant.catch(() => Date.now()),
}
const content = cut(MAX_TEXT)
  .nullish()
  .transform((value) => value ?? '')

/** A received SMS. DATA_PAYLOAD and MMS_PAYLOAD: a binary SMS and an MMS. */
export const TEXT_PAYLOAD = z.object({ ...received, message: content })
export const DATA_PAYLOAD = z.object({ ...received, data: content })
export const MMS_PAYLOAD = z.object({
  ...received,
  subject: content,
  body: content,
  attachments: makeLenientList(
    z.object({
      name: makeOptionalField(cut(255)),
      contentType: makeOptionalField(cut(100)),
      size: z.number().optional().catch(undefined),
      /** Base64; absent if the phone could not read the file. */
      data: z.string().catch(''),
    }),
  ),
})

export type AttachmentLimits = Pick<Config, 'maxAttachments' | 'maxAttachmentBytes'>
export const NO_FILES: AttachmentLimits = { maxAttachments: 0, maxAttachmentBytes: 0 }

export const TEXTS: Readonly<
  Record<string, (payload: unknown, limits: AttachmentLimits) => Text | Promise<Text>>
> = {
  'sms:received': (raw) => {
    const payload = checkShape(TEXT_PAYLOAD, raw)
    return toText(payload, payload.message)
  },
  'sms:data-received': (raw) => {
    const payload = checkShape(DATA_PAYLOAD, raw)
    return toText(payload, DATA_URL + payload.data)
  },
  'mms:downloaded': (raw, limits) => readMms(checkShape(MMS_PAYLOAD, raw), limits),
}

/** `to`: the number that received the text; '' if the phone does not say. */
type Text = ReceivedText & { readonly to: string }

function toText(
  {
    sender,
    phoneNumber,
    recipient,
    simNumber,
    receivedAt,
  }: Omit<z.output<typeof TEXT_PAYLOAD>, 'message'>,
  body: string,
): Text {
  const to = readPhone(recipient ?? '').phone ?? ''
  // some texts have no sender; texts from mails have a long one
  const from = sender || phoneNumber || 'unknown'
  return {
    from,
    body: cleanText(cutBetweenGraphemes(body, MAX_TEXT)),
    receivedAt,
    sim: simNumber,
    to,
  }
}

type Mms = z.output<typeof MMS_PAYLOAD>

/**
 * Reads an MMS. The result's `body` has the subject, the text and a line for each file that is left out.
 * Without subject and text it also names the kept files. `identity` names all files, to recognize repeats.
 */
async function readMms(
  payload: Mms,
  { maxAttachments, maxAttachmentBytes }: AttachmentLimits,
): Promise<Text> {
  let room = maxAttachmentBytes
  const files = payload.attachments.map((part) => ({
    part,
    content: Buffer.from(part.data, 'base64'),
  }))
  const kept = files
    .filter(({ content: { length } }) => {
      const fits = length > 0 && length <= room
      if (fits) room -= length
      return fits
    })
    .slice(0, maxAttachments)
  const left = files.filter((file) => !kept.includes(file))
  const { subject = '', body: words } = joinSubject(payload.subject, payload.body)
  const written = [payload.subject, payload.body].filter(Boolean)
  const partsOf = (list: typeof files) => list.map(({ part }) => part)
  return {
    ...toText(payload, writeMmsText([words].filter(Boolean), partsOf(kept), partsOf(left))),
    subject: cleanText(subject),
    identity: toText(payload, [...written, ...writeAttachmentLines(payload.attachments)].join('\n'))
      .body,
    attachments: await Promise.all(
      kept.map(({ part, content }) => readAttachment(part.name ?? '', content)),
    ),
  }
}
