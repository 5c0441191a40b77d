/** What a SID names, by its first two letters. */
export type SidKind = 'AC' | 'SK' | 'MG' | 'PN' | 'SM'

/** Ids of records that a SID can hold. */
const ID = /^[a-z0-9]{15}$/
const SID = /^([A-Z]{2})([0-9a-fA-F]{30})00$/

/** Whether a record's id fits into a SID; imported ones may not. */
export const hasSid = (id: string): boolean => ID.test(id)

/** Two letters, the 15 characters of the id in hex, `00`: what Twilio's SIDs look like. */
export const sidOf = (kind: SidKind, id: string): string => `${kind}${Buffer.from(id).toString('hex')}00`

/** The id in a SID of this kind; undefined for anything else. Messages may be called `MM`, too. */
export function idOf(kind: SidKind, sid: string): string | undefined {
  const [, prefix, hex] = SID.exec(sid) ?? []
  if (!hex || (prefix !== kind && !(kind === 'SM' && prefix === 'MM'))) return undefined
  const id = Buffer.from(hex, 'hex').toString('latin1')
  return hasSid(id) ? id : undefined
}

/** The version of Twilio's API, which its paths begin with. */
export const API_VERSION = '2010-04-01'

/** The path of an account, without `.json`. */
export const accountPath = (accountSid: string) => `/${API_VERSION}/Accounts/${accountSid}`
