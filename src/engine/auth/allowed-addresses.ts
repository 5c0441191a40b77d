import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { commonRefusal } from '../../platform/common-refusals.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import { toNetwork } from '../../platform/limits/limit-holder.ts'
import { isIpListed } from '../../platform/tools/ip-lists.ts'
import { makeOncePer, memoize } from '../../platform/tools/lru.ts'
import type { Store } from '../collections/catalog.ts'
import { DEVICES_ID } from '../collections/collection.ts'
import type { Value } from '../fields/field.ts'
import { ipOrSubnet } from '../fields/value-checks.ts'
import type { AuthRecord } from '../request/request.ts'

/** The addresses and networks of a record's field `addresses`; [] if all are allowed. */
export const splitAddresses = (field: string): readonly string[] =>
  field === '' ? [] : field.split(',')

export const isAllowedAt = (addresses: readonly string[], ip: string): boolean =>
  addresses.length === 0 || isIpListed(addresses, ip)

const INVALID = makeFieldError(
  'validation_invalid_addresses',
  'Write IP addresses and networks such as 203.0.113.7 or 2001:db8::/32, separated by commas.',
)

/** Stores the field `addresses` without blanks, and IPv4-mapped networks as IPv4. Throws 400. */
export function completeAddresses(values: Record<string, Value>): void {
  const parts = splitAddresses(String(values.addresses ?? '').trim()).map(writeAsIpv4)
  if (parts.some((part) => part === '' || part.includes('%') || ipOrSubnet(part)))
    throw invalidFields({ addresses: INVALID })
  values.addresses = parts.join(',')
}

const MAPPED_BITS = 96

function writeAsIpv4(part: string): string {
  const plain = part.trim().toLowerCase()
  const [, ipv4, bits] = /^::ffff:([\d.]+)(?:\/(\d+))?$/.exec(plain) ?? []
  if (ipv4 === undefined || Number(bits ?? MAPPED_BITS) < MAPPED_BITS) return plain
  return bits === undefined ? ipv4 : `${ipv4}/${Number(bits) - MAPPED_BITS}`
}

/** A record with `addresses` whose secret was used. */
interface UsedRecord {
  readonly user: string
  readonly collection: 'api_keys' | 'hooks' | 'devices' | 'members'
  readonly record: string
  readonly name: string
}

/** How long a refusal is not noted again. */
const NOTED_MS = 3_600_000
const MAX_NOTED = 10_000
const mustNote = makeOncePer(NOTED_MS, MAX_NOTED)

/**
 * Notes in the background, once an hour for each network, that a record was used at an address which its
 * list excludes. A failure is ignored.
 */
function noteRefusedAddress({ db }: Store, used: UsedRecord, ip: string): void {
  const network = toNetwork(ip)
  if (!mustNote(`${used.record} ${network}`)) return
  const { user, collection, record, name } = used
  callFunction(db, 'auth_note_refused_address', user, collection, record, name, ip, network).catch(
    () => {},
  )
}

/** Throws 403, and notes it, if a record is used at an address that its list excludes. */
export function requireAllowedAddress(
  store: Store,
  addresses: readonly string[],
  ip: string,
  used: UsedRecord,
): void {
  if (isAllowedAt(addresses, ip)) return
  noteRefusedAddress(store, used, ip)
  throw commonRefusal('forbidden', REFUSED[used.collection])
}

const REFUSED = {
  api_keys: 'This API key may not be used from this address (addresses)',
  hooks: 'This hook may not be called from this address (addresses)',
  devices: 'This device may not be used from this address (addresses)',
  members: 'You may not act for this account from this address (addresses)',
} as const

/** Where a token may be used: the addresses of its device, or of the member who acts. */
const findTokenAddresses = memoize(({ collection, values, actor }: AuthRecord) =>
  splitAddresses(
    actor?.addresses ?? (collection.id === DEVICES_ID ? String(values.addresses ?? '') : ''),
  ),
)

export const isTokenAllowedAt = (auth: AuthRecord, ip: string): boolean =>
  isAllowedAt(findTokenAddresses(auth), ip)

/** Throws 403, and notes it, if a device or a member uses a token at an address that its list excludes. */
export function requireTokenAddress(store: Store, auth: AuthRecord, ip: string): void {
  const { id, values, actor } = auth
  requireAllowedAddress(
    store,
    findTokenAddresses(auth),
    ip,
    actor
      ? { user: id, collection: 'members', record: actor.id, name: '' }
      : { user: String(values.user), collection: 'devices', record: id, name: String(values.name) },
  )
}
