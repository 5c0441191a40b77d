import { Lru } from '../../tools/lru.ts'
import { textAt } from './profile.ts'

const MAX_KNOWN = 1_000
const MAX_CODE_LENGTH = 1_000
const MAX_NAME_LENGTH = 150
const KEPT_MS = 60_000

/** Names by code, on the node that received Apple's redirect. */
const names = new Lru<string, { name: string; untilMs: number }>(MAX_KNOWN)

/** Keeps the name that Apple sends only once. PocketBase: apis/record_auth_with_oauth2_redirect.go */
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

/** Takes the name that came with a code in the last minute; '' if none did. */
export function takeAppleName(code: string): string {
  const kept = names.get(code)
  if (!kept) return ''
  names.set(code, { name: '', untilMs: 0 })
  return Date.now() < kept.untilMs ? kept.name : ''
}
