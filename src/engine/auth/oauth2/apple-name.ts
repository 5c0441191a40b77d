import { Lru } from '../../../platform/tools/lru.ts'
import { readProfileText } from './read-provider-profile.ts'

const MAX_CODE_LENGTH = 1_000
const MAX_NAME_LENGTH = 150

const names = new Lru<string, string>(1_000)

/**
 * Keeps a user's name for the sign-in with `code`: Apple sends the name only once. PocketBase:
 * record_auth_with_oauth2_redirect.go
 */
export function storeAppleName(code: string, user: string): void {
  const name = readAppleName(user).slice(0, MAX_NAME_LENGTH).trim()
  if (name && code.length <= MAX_CODE_LENGTH) names.set(code, name)
}

function readAppleName(user: string) {
  try {
    const said: unknown = JSON.parse(user)
    return `${readProfileText(said, 'name.firstName')} ${readProfileText(said, 'name.lastName')}`
  } catch {
    return ''
  }
}

export function consumeAppleName(code: string) {
  const name = names.get(code) ?? ''
  if (name) names.set(code, '')
  return name
}
