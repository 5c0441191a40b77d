/** What a provider says of somebody, as it says it. */
export type RawProfile = Readonly<Record<string, unknown>>

/** Somebody as a provider knows them, in one form for all. `email` only if the provider vouches for it. */
export interface Profile {
  readonly id: string
  readonly name: string
  readonly username: string
  readonly email: string
  readonly avatarURL: string
}

/** Where each part stands in a provider's answer: keys joined by dots; numbers are places in a list. */
export interface ProfilePaths {
  readonly id: string
  readonly name?: string
  readonly username?: string
  readonly email?: string
  readonly avatarURL?: string
  /** The id is a whole number; 0 if there is none. */
  readonly hasNumericId?: true
  /** The address counts only if this is true. */
  readonly emailIf?: string
  /** The same, of providers that also say it in words or numbers. */
  readonly emailIfSaid?: string
  /** Who has another value there may not come in. */
  readonly active?: readonly [place: string, value: unknown]
}

/** What stands at a place; undefined if nothing does. */
export function valueAt(raw: unknown, place: string): unknown {
  return place.split('.').reduce<unknown>((inner, key) => {
    const isHolder = typeof inner === 'object' && inner !== null
    return isHolder && Object.hasOwn(inner, key) ? (inner as RawProfile)[key] : undefined
  }, raw)
}

/** The text at a place, '' for none. Throws for anything else, as Go's decoder does. */
export function textAt(raw: unknown, place: string | undefined): string {
  const value = (place === undefined ? undefined : valueAt(raw, place)) ?? ''
  if (typeof value !== 'string') throw new TypeError(`${place} is no text`)
  return value
}

/** Whether there is a `true` at a place. Throws for anything that is neither true nor false. */
export function flagAt(raw: unknown, place: string): boolean {
  const value = valueAt(raw, place) ?? false
  if (typeof value !== 'boolean') throw new TypeError(`${place} is neither true nor false`)
  return value
}

/** The whole number at a place, as text; '0' for none. Throws for anything else. */
function numberAt(raw: unknown, place: string): string {
  const value = valueAt(raw, place) ?? 0
  if (!Number.isInteger(value)) throw new TypeError(`${place} is no whole number`)
  return String(value)
}

/** Go's reading of texts as truth: spf13/cast, ToBool */
const TRUE_TEXTS: ReadonlySet<unknown> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])

/** Some providers say it in words. */
export const isTrue = (value: unknown): boolean =>
  value === true || (typeof value === 'number' && value !== 0) || TRUE_TEXTS.has(value)

/**
 * Reads a provider's answer. Throws where it has another form than is told, and for somebody who is not
 * active.
 */
export function readProfile(raw: RawProfile, places: ProfilePaths): Profile {
  const { active, id, hasNumericId } = places
  if (active && valueAt(raw, active[0]) !== active[1]) throw new Error('the account is not active')
  const email = textAt(raw, places.email)
  return {
    id: hasNumericId ? numberAt(raw, id) : textAt(raw, id),
    name: textAt(raw, places.name),
    username: textAt(raw, places.username),
    email: isVouchedFor(raw, places) ? email : '',
    avatarURL: textAt(raw, places.avatarURL),
  }
}

function isVouchedFor(raw: RawProfile, { emailIf, emailIfSaid }: ProfilePaths): boolean {
  if (emailIfSaid !== undefined) return isTrue(valueAt(raw, emailIfSaid))
  return emailIf === undefined || flagAt(raw, emailIf)
}
