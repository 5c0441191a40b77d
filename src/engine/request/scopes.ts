/** Scopes of API keys, with SMSGate's names. The select field `api_keys.scopes` has the same values. */
export const SCOPES = [
  'messages:send',
  'messages:read',
  'messages:list',
  'messages:cancel',
  'messages:export',
  'campaigns:send',
  'devices:list',
  'devices:delete',
  'webhooks:list',
  'webhooks:write',
  'webhooks:delete',
  'settings:read',
  'settings:write',
  'inbox:list',
  'inbox:refresh',
  'logs:read',
  'tokens:manage',
  'all:any',
] as const
export type TokenScope = (typeof SCOPES)[number]

const ALL: TokenScope = 'all:any'

/** Texts to groups, filters and further numbers at once. `all:any` does not include it. */
const CAMPAIGNS: TokenScope = 'campaigns:send'

/** The only scope of SMSGate's refresh tokens. API keys cannot have it; `all:any` does not include it. */
export const REFRESH_SCOPE = 'tokens:refresh'

/** Scopes as stored with an API key. An empty list means DEFAULT_SCOPES. */
export type Scopes = readonly string[]

/**
 * Scopes of a key that stores none. A thief of it cannot read inboxes, list messages or delete devices.
 */
const DEFAULT_SCOPES: readonly TokenScope[] = ['messages:send', 'messages:read', 'messages:cancel']

export const resolveScopes = (scopes: Scopes): Scopes =>
  scopes.length > 0 ? scopes : DEFAULT_SCOPES

/** Whether these scopes allow `scope`. An empty list allows nothing. */
export const grantsScope = (scopes: Scopes, scope: string): boolean =>
  scopes.includes(scope) || (scope !== REFRESH_SCOPE && scope !== CAMPAIGNS && scopes.includes(ALL))

/** Whether a key with these stored scopes allows `scope`. An empty list means DEFAULT_SCOPES. */
export const hasScope = (scopes: Scopes, scope: string): boolean =>
  grantsScope(resolveScopes(scopes), scope)
