import { ClientResponseError } from 'pocketbase'
import { t } from '../../language/words.ts'

/** Parts of a carrier's fault, and what they mean. Presets name these codes. The first match counts. */
const REFUSALS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^The carrier cannot be reached/, t('The carrier cannot be reached.')],
  [
    /\b(21606|21659|21660|line_not_found|line_ambiguous)\b/,
    t('The sender does not belong to this account of the carrier.'),
  ],
  [
    /\b(402|quota_exceeded)\b|credit|balance|insufficient/i,
    t('The account has no credit left, or its quota is used up.'),
  ],
  [/\b(20005|30002|account_disabled)\b|suspended/i, t('The carrier has disabled the account.')],
  [/\b(401|20003|20008)\b/, t('The carrier does not accept the credentials.')],
  [/\b403\b/, t('The carrier does not allow this account to send.')],
  [/\b(404|405|410|30\d)\b/, t('There is no interface at this address.')],
  [/private|not public|https/i, t('The server may not send requests to this address.')],
]

const BEGINNING = /^The carrier refused it: /

/** Why a carrier refuses its account: in plain words, and in the carrier's. */
export function carrierFault(fault: string): { readonly words: string; readonly said: string } {
  const said = fault.replace(BEGINNING, '')
  const words = REFUSALS.find(([pattern]) => pattern.test(said))?.[1]
  return { words: words ?? t('The carrier refuses the account.'), said }
}

const NEEDS_SECRET = /^A change of preset, url, user, values or custom needs/
const AT_FIELD = /^account\.([\w.]+): (.+)$/
const MISSING = /^(?:(url) is missing|values has no (\w+))/
const SEND = /^custom\.(send|url)\b (.+)$/

/** Words for zod's messages, which name no field. */
const WRONG: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    /^must be a number with \+/,
    t('Write a number with +, a short code, or a name of at most 11 characters.'),
  ],
  [/^must be an address/, t('Write an address such as https://example.com.')],
  [/^Too big/, t('This is too much.')],
  [/^Too small/, t('This is too little.')],
  [/^Invalid/, t('Fill this in.')],
]

/** The field that the server's sentence is about, and the words to show there. */
function placeOf(message: string): readonly [field: string, words: string] | undefined {
  if (NEEDS_SECRET.test(message))
    return ['secret', t('Enter this again, because you changed where it is sent.')]
  const [, url, value] = MISSING.exec(message) ?? []
  if (url || value) return [url ?? `values.${value}`, t('Fill this in.')]
  const [, part, why = ''] = SEND.exec(message) ?? []
  if (part) return [part === 'send' ? 'custom.send.path' : 'url', why]
  const [, field = '', said = ''] = AT_FIELD.exec(message) ?? []
  if (!field) return undefined
  return [field, WRONG.find(([pattern]) => pattern.test(said))?.[1] ?? said]
}

/** Moves the server's sentence about an account beside the field that it is about. */
export function atField(error: unknown): unknown {
  if (!(error instanceof ClientResponseError)) return error
  const [field, message] = placeOf(String(error.response.message ?? '')) ?? []
  if (!field) return error
  return new ClientResponseError({
    ...{ url: error.url, status: error.status },
    response: { ...error.response, data: { [field]: { message } } },
  })
}
