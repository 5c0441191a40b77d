import { cleanText } from '../../platform/tools/clean-text.ts'
import { decodeUrlPart } from '../../platform/tools/decode-url-part.ts'
import { maskSecrets } from '../../platform/tools/mask-secrets.ts'

/** Bytes of an answer that are read and stored. */
export const KEPT_BYTES = 1024

/** The first KEPT_BYTES characters of a text, without NUL and surrogates, which Postgres refuses. */
const toReadableText = (text: string) => [...cleanText(text)].slice(0, KEPT_BYTES).join('')

/**
 * The stored part of a receiver's answer, which may quote the call: `secrets` and the password in the called
 * address are masked.
 */
export const maskAnswer = (body: Buffer, url: string, secrets: readonly string[] = []): string =>
  toReadableText(
    maskSecrets(toReadableText(body.toString('utf8')), [...secrets, ...listUrlPasswords(url)]),
  )

/** An error's message. If it has several causes (one per address), the message of the first. */
export function readErrorReason(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  return toReadableText(first instanceof Error ? first.message : String(first))
}

/** The password of an address, alone and as Basic authentication sends it. */
function listUrlPasswords(url: string): string[] {
  const { username = '', password = '' } = (url.includes('@') && URL.parse(url)) || {}
  if (password === '') return []
  return [password, `${username}:${password}`].flatMap((text) => [text, decodeUrlPart(text)])
}
