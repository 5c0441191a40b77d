/** The first two letters of a SID say what it names. */
export type SidKind = 'AC' | 'SK' | 'MG' | 'PN' | 'SM' | 'ME' | 'VA' | 'VE' | 'VL'

/** A record's id that fits into a SID. */
const ID = /^[a-z0-9]{15}$/
const SID = /^([A-Z]{2})([0-9a-fA-F]{30})00$/

/** Whether a record's id fits into a SID. Ids of imported records may not. */
export const hasSid = (id: string): boolean => ID.test(id)

/** A SID that looks like Twilio's: two letters, the 15 characters of the id in hex, and `00`. */
export const makeSid = (kind: SidKind, id: string): string =>
  `${kind}${Buffer.from(id).toString('hex')}00`

/** The id in a SID of this kind; undefined for anything else. `MM` also means a message. */
export function parseSid(kind: SidKind, sid: string): string | undefined {
  const [, prefix, hex] = SID.exec(sid) ?? []
  if (!hex || (prefix !== kind && !(kind === 'SM' && prefix === 'MM'))) return undefined
  const id = Buffer.from(hex, 'hex').toString('latin1')
  return hasSid(id) ? id : undefined
}

export const API_VERSION = '2010-04-01'

export const makeAccountPath = (user: string) => `/${API_VERSION}/Accounts/${makeSid('AC', user)}`
