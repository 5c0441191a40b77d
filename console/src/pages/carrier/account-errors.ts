import { ClientResponseError } from 'pocketbase'
import type { Choices } from '../../data/choices.ts'
import { t } from '../../language/words.ts'

const NEEDS_SECRET = /^A change of preset, url, user, values or custom needs/
const AT_FIELD = /^account\.([\w.]+): (.+)$/
const MISSING = /^(?:(url) is missing|values has no (\w+))/
const SEND = /^custom\.(send|url)\b (.+)$/

/** Words for zod's messages, which name no field. */
const WRONG: Choices<RegExp> = [
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
function findPlace(message: string): readonly [field: string, words: string] | undefined {
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
  const [field, message] = findPlace(String(error.response.message ?? '')) ?? []
  if (!field) return error
  return new ClientResponseError({
    url: error.url,
    status: error.status,
    response: { ...error.response, data: { [field]: { message } } },
  })
}
