import type { Store } from '../collections/catalog.ts'
import { badRequest } from '../errors.ts'
import { cleanText } from '../fields/values/cast.ts'
import { MAX_CHARACTERS, PLAIN_OPTIONS, type SendBody } from '../sms/send/body.ts'
import { checkBody } from '../sms/send/content.ts'
import { E164, withoutSeparators } from '../sms/send/phone.ts'
import { isInvisible } from '../sms/send/shape.ts'
import { parseJson } from '../tools/json.ts'
import type { HookFields } from './hook.ts'
import { PRESETS } from './presets.ts'
import { missing, renderTemplate, valueAt } from './template.ts'

/** Of a once key, before it is hashed. */
const MAX_KEY_CHARACTERS = 65_536
/** Numbers and groups that a body may name. */
const MAX_NAMED = 100

/** A body as it came: JSON, the fields of a form, else `{text}`. GitHub's forms have JSON in `payload`. */
export function readHookBody(raw: string, isForm = false): unknown {
  const text = raw.trim()
  const fields = isForm ? Object.fromEntries(new URLSearchParams(text)) : { text }
  const read = [text, fields.payload ?? ''].map(parseJson)
  return read.find((json) => typeof json === 'object' && json !== null) ?? fields
}

/**
 * The send that a body asks for, its text, and the `key` that names the event, '' for none. Undefined if the
 * body says that all is well. Throws 400 for what is missing.
 */
export async function compose(
  store: Store,
  user: string,
  hook: HookFields,
  body: unknown,
  maxRecipients: number,
) {
  const preset = PRESETS[hook.preset]
  const [, path = '', value] = /^(.*?)=(.*)/s.exec(hook.resolved_when || preset.resolved_when) ?? []
  const state = valueAt(body, namesOf(path))
  const isScalar = state === null || typeof state !== 'object'
  if (hook.resolved === 'skip' && isScalar && String(state) === value?.trim()) return undefined
  const text = textOf(hook.template || preset.template, body)
  const key = renderTemplate(hook.once_key || preset.once_key, body, MAX_KEY_CHARACTERS)
  const named = namedIn(body, hook)
  const numbers = named.map(withoutSeparators).filter((name) => E164.test(name))
  const names = named.filter((name) => !E164.test(withoutSeparators(name)))
  const send: SendBody = {
    recipients: [...hook.recipients, ...numbers],
    groupIds: [...hook.groups, ...(await groupsNamed(store, user, names))],
    deviceId: '',
    line: { id: hook.line, number: '' },
    content: { body: text },
    // conversations go on waiting for the answer of a person
    options: { ...PLAIN_OPTIONS, isBulk: true },
  }
  if (send.recipients.length + send.groupIds.length === 0) throw badRequest('The hook has no recipients.')
  checkBody(send, maxRecipients)
  return { send, text, key }
}

const namesOf = (path: string): string[] => path.trim().split('.')

/** A longer text is cut. */
function textOf(template: string, body: unknown): string {
  if (template === '') throw badRequest('The hook has no template.')
  const text = cleanText(renderTemplate(template, body, 2 * MAX_CHARACTERS))
  if (isInvisible(text)) throw badRequest('The text is empty.')
  const characters = [...text]
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : text
}

/** Numbers and names of groups, where the hook lets the body name some. */
function namedIn(body: unknown, { recipients_from: path, recipients, groups }: HookFields): string[] {
  if (path === '') return []
  const texts = [valueAt(body, namesOf(path))].flat().filter((one) => typeof one === 'string')
  const named = texts.flatMap((text) => cleanText(text).split(',')).flatMap((name) => name.trim() || [])
  if (named.length + recipients.length + groups.length === 0) throw missing(namesOf(path))
  if (named.length > MAX_NAMED) throw badRequest(`The body names more than ${MAX_NAMED} recipients.`)
  return named
}

/** Ids of the account's groups with these names. Throws 400 for a name that none has. */
async function groupsNamed({ db }: Store, user: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const { rows } = await db.query(
    'select id, name from contact_groups where "user" = $1 and name = any($2::text[])',
    [user, names],
    'hook groups',
  )
  const unknown = names.find((name) => !rows.some((row) => row[1] === name))
  if (unknown === undefined) return rows.map(([id]) => String(id))
  throw badRequest(`"${unknown.slice(0, 40)}" is no number in E.164 and no group of the account.`)
}
