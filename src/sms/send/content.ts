import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { countSegments, type Segmentation } from '../../portable/segments.ts'
import { type Content, MAX_CHARACTERS, type SendBody } from './body.ts'
import { checkCount, checkPhones, contactsOf, uniquePhones } from './recipients.ts'
import { gatewayRefusal, invalid, templateRefusal } from './refusal.ts'
import { isInvisible } from './shape.ts'
import { fieldNames, fillVariables, parseTemplate, renderFor } from './template.ts'

/** Not in the file of `countSegments`, which also runs in the browser. */
const SEGMENTATION = z.object({
  encoding: z.enum(['GSM-7', 'UCS-2']),
  units: z.int().min(0).describe('Septets (GSM-7) or UTF-16 units (UCS-2) of the text.'),
  segments: z.int().min(0).describe('Short messages it takes.'),
}) satisfies z.ZodType<Segmentation>

export type Text = Readonly<z.output<typeof TEXT>>
export const TEXT = z.object({ to: z.string(), body: z.string(), ...SEGMENTATION.shape }).meta({ id: 'Text' })

/** Checks a body without the database: numbers, length, number of recipients. Throws 400. */
export function checkBody({ recipients, content }: SendBody, maxRecipients: number): void {
  checkPhones(recipients)
  if ('body' in content) checkLength(content.body)
  checkCount(uniquePhones(recipients), maxRecipients)
}

/** Throws 400 `body_too_long`. */
export function checkLength(body: string): void {
  // every code point takes one or two units
  if (body.length <= MAX_CHARACTERS) return
  if (body.length > 2 * MAX_CHARACTERS || [...body].length > MAX_CHARACTERS)
    throw gatewayRefusal('body_too_long')
}

/** One text per recipient, in order. Throws the template's fault. @param missing as in `renderFor`. */
export async function writeTexts(
  store: Store,
  user: string,
  content: Content,
  phones: readonly string[],
  missing?: (name: string) => string,
): Promise<Text[]> {
  const plain = plainText(content)
  if (plain !== undefined) {
    const counted = countSegments(plain)
    return phones.map((to) => ({ to, body: plain, ...counted }))
  }
  const template = 'body' in content ? content.body : await loadTemplate(store, user, content.templateId)
  const filled = fillVariables(parseTemplate(template), content.variables!)
  const contacts = await contactsOf(store, user, phones, fieldNames(filled))
  const personOf = (phone: string) => contacts.get(phone) ?? { phone, name: '' }
  return phones.map((phone) => textFor(phone, renderFor(filled, personOf(phone), missing)))
}

/** The one text of all recipients; undefined when each gets their own. */
export const plainText = (content: Content): string | undefined =>
  'body' in content && !content.variables ? content.body : undefined

function textFor(to: string, body: string): Text {
  checkLength(body)
  if (isInvisible(body)) throw invalid(`the text for ${to} is empty`)
  return { to, body, ...countSegments(body) }
}

/** The text of a user's template. Throws 400 for an unknown one and another user's. */
export async function loadTemplate(store: Store, user: string, id: string): Promise<string> {
  const { rows } = await store.db.query(
    'select body, "user" from sms_templates where id = $1',
    [id],
    'sms template',
  )
  if (!rows[0]) throw templateRefusal('Template not found.')
  if (rows[0][1] !== user) throw templateRefusal('Template does not belong to user.')
  return String(rows[0][0])
}
