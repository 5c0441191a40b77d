import { setImmediate } from 'node:timers/promises'
import type { Store } from '../../engine/collections/catalog.ts'
import { badRequest } from '../../platform/api-errors.ts'
import { queries } from '../../platform/db/queries.ts'
import {
  findValueAt,
  makeJsonTextReader,
  makeMissingError,
} from '../../platform/templates/find-value-at.ts'
import { renderTemplate, TooManySteps } from '../../platform/templates/render.ts'
import { cleanText } from '../../platform/tools/clean-text.ts'
import { isInvisible } from '../../portable/fold-text.ts'
import { PRESETS } from '../../portable/hook-presets.ts'
import { MAX_TEXT_CHARACTERS } from '../../portable/max-text-characters.ts'
import { E164, SHORT_CODE } from '../../portable/phone/e164.ts'
import { makeValueFinder } from '../../portable/text-template.ts'
import { readNumbers, readRecipients } from '../base/read-numbers.ts'
import { allowsShortCodes } from '../messages/send/load-all-recipients.ts'
import { PLAIN_OPTIONS, type SendBody } from '../messages/send/send-options.ts'
import { checkBody } from '../messages/send/write-text-bodies.ts'
import { cutToParts } from './cut-text-to-parts.ts'
import { DEFAULT_PARTS, type HookSettings, sendsLoginCodes } from './hook-settings.ts'

/**
 * Maximum characters of an event's key before hashing. A whole body fits: bodies may differ only at the end.
 */
const MAX_KEY_CHARACTERS = 2 << 20
const MAX_NAMED = 100
/** The priority of texts with login codes: the highest, since a person waits for the code. */
const CODE_PRIORITY = 127
/**
 * Writes the text for a body, or says why nothing is sent. `key` identifies the event. Throws 400 for missing
 * values.
 */
export async function composeHookText(
  store: Store,
  user: string,
  hook: HookSettings,
  body: unknown,
) {
  const preset = PRESETS[hook.preset]
  if (hook.send_when && !isConditionMet(hook.send_when, body))
    return { outcome: 'skipped' as const }
  if (hook.resolved === 'skip' && isConditionMet(hook.resolved_when || preset.resolved_when, body))
    return { outcome: 'resolved' as const }
  const template = hook.template || preset.template
  if (template === '') throw badRequest('The hook has no template.')
  // let other requests run between the steps below, which take up to 10 ms each
  await setImmediate()
  const text = cutToParts(
    renderTemplate(template, body, 2 * MAX_TEXT_CHARACTERS),
    hook.max_parts || DEFAULT_PARTS,
  )
  if (isInvisible(text)) return { outcome: 'skipped' as const }
  await setImmediate()
  const key = makeEventKey(hook.once_key || preset.once_key, body)
  const isCode = sendsLoginCodes(hook)
  const named = await (isCode ? readCodeRecipients : readAlertRecipients)(store, user, body, hook)
  const shown = isCode ? hideCode(text, readLoginCode(body, hook)) : undefined
  const send = composeHookSend(hook, named, text, shown)
  return { outcome: 'sent' as const, send, text, shown, key }
}

/** A text to the hook's recipients and those that a body names. Throws 400 if there are none. */
export function composeHookSend(
  hook: HookSettings,
  named: { readonly numbers: readonly string[]; readonly groups: readonly string[] },
  text: string,
  shown?: string,
): SendBody {
  const send: SendBody = {
    recipients: [...hook.recipients, ...named.numbers],
    groupIds: [...hook.groups, ...named.groups],
    deviceId: '',
    line: { id: hook.line, number: '' },
    content: { body: text, ...(shown !== undefined && { shown }) },
    // isBulk: the text is no answer to anybody, so the conversation still counts as unanswered
    options: {
      ...PLAIN_OPTIONS,
      isBulk: true,
      ...(sendsLoginCodes(hook) && { priority: CODE_PRIORITY }),
    },
  }
  if (send.recipients.length + send.groupIds.length === 0)
    throw badRequest('The hook has no recipients.')
  checkBody(send)
  return send
}

/** The login code in an auth server's body; '' if the body has it only within the text. */
const readLoginCode = (body: unknown, { preset }: HookSettings): string =>
  renderTemplate(PRESETS[preset].codes?.code ?? '', body, MAX_TEXT_CHARACTERS).text

/**
 * Replaces the code in a text by dots. If the text lacks `code`, replaces each word of 3 or more letters and
 * digits that has a digit.
 */
export function hideCode(text: string, code: string): string {
  const dots = (hidden: string) => '•'.repeat(hidden.length)
  if (code !== '' && text.includes(code)) return text.replaceAll(code, (found) => dots(found))
  return text.replaceAll(/[\p{L}\p{N}]{3,}/gu, (word) => (/\p{N}/u.test(word) ? dots(word) : word))
}

/**
 * The key that identifies a body's event. It is the whole body if the key's template takes too many steps.
 */
function makeEventKey(template: string, body: unknown) {
  try {
    return renderTemplate(template, body, MAX_KEY_CHARACTERS).text
  } catch (error) {
    if (error instanceof TooManySteps) return JSON.stringify(body)
    throw error
  }
}

/** The phone numbers that get codes. No groups: an end user who enters a group's name must not reach it. */
async function readCodeRecipients(store: Store, user: string, body: unknown, hook: HookSettings) {
  const numbers = await readRecipients(store, user, readNamedRecipients(body, hook), MAX_NAMED)
  const wrong = numbers.findIndex((number) => !E164.test(number))
  if (wrong === -1) return { numbers, groups: [] }
  throw badRequest(
    `Recipient ${wrong + 1} is not a number with its country code, as +4915112345678.`,
  )
}

/**
 * Recipients of alerts in the body: phone numbers, short codes if the account allows them, and ids of groups.
 * Throws 400 for an unknown group.
 */
async function readAlertRecipients(store: Store, user: string, body: unknown, hook: HookSettings) {
  const named = readNamedRecipients(body, hook)
  const read = await readNumbers(store, user, named)
  const isCode = (number: string | undefined) => number !== undefined && SHORT_CODE.test(number)
  const allowsCodes = read.some(isCode) && (await allowsShortCodes(store, user))
  const isNumber = (number: string | undefined): number is string =>
    !!number && (E164.test(number) || (allowsCodes && isCode(number)))
  const names = named.filter((_, i) => !isNumber(read[i]))
  return {
    numbers: [...new Set(read.filter(isNumber))],
    groups: await findGroupsByName(store, user, names),
  }
}

/**
 * Phone numbers and group names in a body, at the path `recipients_from` or where the preset says. Throws 400
 * for too many, or if neither that path nor the hook names a recipient.
 */
function readNamedRecipients(
  body: unknown,
  { preset, recipients_from: path, recipients, groups }: HookSettings,
): string[] {
  const to = PRESETS[preset].codes?.to
  if (path === '') return to ? [renderTemplate(to, body, MAX_TEXT_CHARACTERS).text] : []
  const found = findValueAt(body, splitFieldPath(path))
  const texts = (Array.isArray(found) ? found : [found]).slice(0, MAX_NAMED + 1).flatMap((one) => {
    const isText = typeof one === 'string' || typeof one === 'number'
    return isText ? String(one).split(',', MAX_NAMED + 1) : []
  })
  const named = texts.map((name) => cleanText(name).trim()).filter((name) => name !== '')
  if (named.length + recipients.length + groups.length === 0)
    throw makeMissingError(splitFieldPath(path))
  if (named.length > MAX_NAMED)
    throw badRequest(`The body names more than ${MAX_NAMED} recipients.`)
  return named
}

/** Ids of the account's groups with these names. Throws 400 for an unknown name. */
export async function findGroupsByName(
  { db }: Store,
  user: string,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return []
  const groups = await queries(db)
    .selectFrom('contact_groups')
    .select(['id', 'name'])
    .where('user', '=', user)
    .execute()
  const found = makeValueFinder(groups.map(({ name, id }) => [name, id]))
  const unknown = names.find((name) => !found(name))
  if (unknown === undefined) return [...new Set(names.map((name) => found(name)!))]
  throw badRequest(
    `"${unknown.slice(0, 40)}" is neither a number in E.164 nor a group of the account.`,
  )
}

const splitFieldPath = (path: string): string[] => path.trim().split('.')

/** Whether a body meets one of the conditions `path=value,other value`, which are separated by `;`. */
function isConditionMet(condition: string, body: unknown): boolean {
  const readText = makeJsonTextReader()
  return condition.split(';').some((one) => {
    const [, path = '', values] = /^([^=]*)=(.*)$/s.exec(one) ?? []
    const state = findValueAt(body, splitFieldPath(path), readText)
    const isScalar = state === null || typeof state !== 'object'
    return isScalar && values?.split(',').some((value) => value.trim() === String(state)) === true
  })
}
