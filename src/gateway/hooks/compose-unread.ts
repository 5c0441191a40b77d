import type { ApiError } from '../../platform/errors.ts'
import { sendOf } from './compose.ts'
import type { Hook } from './hook-settings.ts'

const TOO_LARGE = 'an alarm was too large to read.'

/**
 * What a hook sends for a body that could not be read: one that is too large is news for its own recipients.
 * Throws the reason for other bodies, and for hooks of codes and those that check signatures: nothing proves
 * who called them.
 */
export function composeUnread(hook: Hook, reason: ApiError) {
  const { name, kind, recipients, groups, signing_secret } = hook
  const isNews = reason.status === 413 && kind === 'alerts' && recipients.length + groups.length > 0
  if (!isNews || signing_secret !== '') throw reason
  const text = `${name}: ${TOO_LARGE}`
  const send = sendOf(hook, { numbers: [], groups: [] }, text)
  return { outcome: 'sent' as const, send, text, shown: undefined, key: TOO_LARGE }
}
