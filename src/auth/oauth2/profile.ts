import { toBool } from '../../fields/cast.ts'

export type RawProfile = Readonly<Record<string, unknown>>

/** A user of any provider. `email` is empty unless the provider verified it. */
export interface Profile {
  readonly id: string
  readonly name: string
  readonly username: string
  readonly email: string
  readonly avatarURL: string
}

/** Paths in a provider's answer, '' for none: keys joined by dots; numbers index lists. */
export type ProfilePaths = readonly [
  id: string,
  name?: string,
  username?: string,
  email?: string,
  avatarURL?: string,
]

export interface ProfileForm {
  readonly paths: ProfilePaths
  readonly at?: string
  readonly hasNumericId?: true
  readonly emailIf?: string
  /** Path of a value that must mean true for the address to count: some providers send `'true'` or 1. */
  readonly emailIfSaid?: string
  /** Path and value that active users have; all others are refused. */
  readonly active?: readonly [path: string, value: unknown]
}

export function valueAt(raw: unknown, place: string): unknown {
  return place.split('.').reduce<unknown>((inner, key) => {
    const isHolder = typeof inner === 'object' && inner !== null
    return isHolder && Object.hasOwn(inner, key) ? (inner as RawProfile)[key] : undefined
  }, raw)
}

/** Reads a value of one type, `zero` if absent. Throws for another type, as Go's decoder does. */
const reader =
  <T>(zero: T, isFit: (value: unknown) => boolean, fault: string) =>
  (raw: unknown, place = ''): T => {
    const value = (place ? valueAt(raw, place) : undefined) ?? zero
    if (!isFit(value)) throw new TypeError(`${place} is ${fault}`)
    return value as T
  }
export const textAt = reader<string>('', (value) => typeof value === 'string', 'no text')
export const flagAt = reader<boolean>(false, (value) => typeof value === 'boolean', 'neither true nor false')
const numberAt = reader<number>(0, Number.isInteger, 'no whole number')

/** Reads a provider's answer. Throws for values of unexpected types and for an inactive user. */
export function readProfile(answer: RawProfile, form: ProfileForm): Profile {
  const { at, active, hasNumericId, paths } = form
  const raw = at === undefined ? answer : valueAt(answer, at)
  if (active && valueAt(raw, active[0]) !== active[1]) throw new Error('the account is not active')
  const [id, name, username, email, avatarURL] = paths
  return {
    id: hasNumericId ? String(numberAt(raw, id)) : textAt(raw, id),
    name: textAt(raw, name),
    username: textAt(raw, username),
    email: isVouchedFor(raw, form) ? textAt(raw, email) : '',
    avatarURL: textAt(raw, avatarURL),
  }
}

function isVouchedFor(raw: unknown, { emailIf, emailIfSaid }: ProfileForm): boolean {
  if (emailIfSaid !== undefined) return toBool(valueAt(raw, emailIfSaid))
  return emailIf === undefined || flagAt(raw, emailIf)
}
