import { isRoleEnough, makeNotAllowed } from '../../engine/records/check-rules.ts'
import type { Role } from '../../engine/request/request.ts'
import { grantsScope, type TokenScope } from '../../engine/request/scopes.ts'
import { MAX_OF_AGENT } from '../../portable/agent-send-limit.ts'
import { gatewayRefusal } from './gateway-errors.ts'
import type { Sender } from './make-sender.ts'

/** The needs of an act: a role of a member, one of these scopes of an API key (none: keys may not do it). */
interface Needs {
  readonly role: Role
  readonly scopes: readonly TokenScope[]
  /** Agents may do it to MAX_OF_AGENT texts at once. */
  readonly isCounted?: boolean
}

const SENDING: Needs = { role: 'agent', scopes: ['messages:send'], isCounted: true }

/** Everything that makes a text leave, changes one that waits, or shows data of an account to a sender. */
export const ACTS = {
  send: SENDING,
  retry: SENDING,
  /** Another text, time or priority. */
  change: SENDING,
  /** Also: an earlier end. */
  cancel: { role: 'agent', scopes: ['messages:cancel'] },
  verify: { role: 'agent', scopes: ['messages:send'] },
  campaign: { role: 'admin', scopes: ['campaigns:send'] },
  reminder: { role: 'admin', scopes: [] },
  /** A campaign to a list; also to see one's own campaigns, and to change, pause and cancel them. */
  list: { role: 'agent', scopes: ['messages:send', 'campaigns:send'] },
  readCampaign: { role: 'viewer', scopes: ['messages:read', 'messages:send', 'campaigns:send'] },
  /** A preview without data of contacts. */
  preview: { role: 'agent', scopes: ['messages:send'] },
  /** Names, numbers and other data of contacts. */
  readContacts: { role: 'viewer', scopes: ['messages:list'] },
  readMessage: { role: 'viewer', scopes: ['messages:read'] },
  listMessages: { role: 'viewer', scopes: ['messages:list'] },
  readInbox: { role: 'viewer', scopes: ['inbox:list'] },
  /** Devices and their lines, and what texts of a line cost. */
  listDevices: { role: 'viewer', scopes: ['devices:list'] },
  /** Counts of messages, without their data. */
  readUsage: { role: 'viewer', scopes: ['messages:read', 'messages:send'] },
} as const satisfies Readonly<Record<string, Needs>>
export type Act = keyof typeof ACTS

declare const isPermit: unique symbol

/**
 * The judge's permission for an act of a sender. What stores, changes or cancels texts takes one, and judges
 * the texts themselves by `sms_may` in its own statement. Only `requirePermit` makes permits.
 */
export interface Permit {
  readonly [isPermit]: true
  readonly sender: Sender
  readonly act: Act
}

/** The judge. `texts`: how many at once. Throws 403 for a role or scope, 400 `too_many_recipients`. */
export function requirePermit(sender: Sender, act: Act, texts = 1): Permit {
  const fault = findPermissionError(sender, ACTS[act], texts)
  if (fault) throw fault
  return { sender, act } as Permit
}

/** Whether a sender may do an act, for answers that otherwise show less. */
export const isAllowed = (sender: Sender, act: Act): boolean =>
  findPermissionError(sender, ACTS[act], 1) === undefined

/**
 * The API key whose own texts alone a sender may see, change, cancel and send again, of all that the account
 * has sent; undefined for people, and for keys that may list the account's texts.
 */
export const findOwnTextsKey = (sender: Sender): string | undefined =>
  isAllowed(sender, 'listMessages') ? undefined : sender.key?.id

function findPermissionError(
  { role, scopes: own }: Sender,
  needs: Needs,
  texts: number,
): Error | undefined {
  const { scopes, isCounted = false } = needs
  if (role && !isRoleEnough(role, needs.role)) return makeNotAllowed(role)
  if (own && !scopes.some((scope) => grantsScope(own, scope)))
    return makeScopeError(scopes[0] ?? 'all:any')
  if (isCounted && role === 'agent' && texts > MAX_OF_AGENT) return makeCountError(MAX_OF_AGENT)
  return undefined
}

export const makeScopeError = (scope: string) =>
  gatewayRefusal('forbidden', `scope required: ${scope}`)

export const makeCountError = (max: number) =>
  gatewayRefusal('too_many_recipients', `At most ${max} recipients per request`)
