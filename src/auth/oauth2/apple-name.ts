import { Lru } from '../../tools/lru.ts'
import { textAt } from './profile.ts'

const MAX_KNOWN = 1_000
const MAX_CODE_LENGTH = 1_000
const MAX_NAME_LENGTH = 150
const KEPT_MS = 60_000

/** Names by code, on the node that Apple led somebody to. */
const names = new Lru<string, { name: string; untilMs: number }>(MAX_KNOWN)

/**
 * Keeps the name that Apple tells once only, with its redirect, for the sign-in that follows with the same
 * code. Something else than Apple's JSON is no name. PocketBase: apis/record_auth_with_oauth2_redirect.go,
 * parseAndStoreAppleRedirectName
 */
export function keepAppleName(code: string, user: string): void {
  const name = readName(user).slice(0, MAX_NAME_LENGTH).trim()
  if (name && code.length <= MAX_CODE_LENGTH) names.set(code, { name, untilMs: Date.now() + KEPT_MS })
}

function readName(user: string): string {
  try {
    const said: unknown = JSON.parse(user)
    return `${textAt(said, 'name.firstName')} ${textAt(said, 'name.lastName')}`
  } catch {
    return ''
  }
}

/** The name that came with a code, once; '' if none did in the last minute. */
export function takeAppleName(code: string): string {
  const kept = names.get(code)
  if (!kept) return ''
  names.set(code, { name: '', untilMs: 0 })
  return Date.now() < kept.untilMs ? kept.name : ''
}
