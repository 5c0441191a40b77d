import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { needsCountry, readSender } from '../../portable/phone/incoming-sender.ts'
import { isPlainPhone, readPhone } from '../../portable/phone/read-phone.ts'
import { loadSlotCountries } from './complete-senders.ts'
import {
  countSentTo,
  countTextsByOrigin,
  loadContacts,
  loadConversations,
  loadNumbersAfter,
  MAX_NUMBERS,
} from './irregular-numbers.ts'

/** Incoming texts from one number that one slot of a device received. */
export interface NationalTexts {
  readonly device: string
  readonly sim: number
  readonly to: string
  readonly count: number
  /** `from` and `to` in E.164. */
  readonly phone: string
  readonly ownPhone: string
}

/** A number that is stored in its national form, or in a second form of E.164 as `+490151…`. */
export interface NationalNumber {
  readonly number: string
  /** Its E.164 form for conversation and contact; undefined if the country of some texts is unknown. */
  readonly phone: string | undefined
  readonly texts: readonly NationalTexts[]
  /** How many texts were sent to it. */
  readonly sent: number
  readonly hasConversation: boolean
  /** `kept`: another contact has the E.164 number, and a person must decide between the two. */
  readonly contact: 'none' | 'moves' | 'kept'
}

/** Whether there is something to join, apart from two contacts between which a person must decide. */
export const isJoinable = ({
  texts,
  phone,
  sent,
  hasConversation,
  contact,
}: NationalNumber): boolean =>
  texts.length > 0 || (phone !== undefined && (sent > 0 || hasConversation || contact === 'moves'))

/** Yields an account's national numbers, up to MAX_NUMBERS at a time, with all that is stored under them. */
export async function* readNationalNumbers(
  db: Db,
  user: string,
): AsyncGenerator<readonly NationalNumber[]> {
  const countries = makeCountryReader(db, user)
  for (let after = ''; ; ) {
    const page = await loadNumbersAfter(db, user, after)
    const national = page.filter(mayBeNational)
    if (national.length > 0) yield await describeNumbers(db, user, national, countries)
    if (page.length < MAX_NUMBERS) return
    after = page.at(-1)!
  }
}

const mayBeNational = (number: string): boolean =>
  !isPlainPhone(number) && (readPhone(number).phone !== undefined || needsCountry(number))

type CountryOf = (device: string, slot: number) => Promise<string>

/** The countries of an account's devices, each read once. */
function makeCountryReader(db: Db, user: string): CountryOf {
  const known = new Map<string, Promise<(sim: number) => string>>()
  const read = async (id: string) => {
    const device = await queries(db)
      .selectFrom('devices')
      .select('phone')
      .where('id', '=', id)
      .where('user', '=', user)
      .executeTakeFirst()
    return loadSlotCountries(db, { id: device ? id : '', user, phone: device?.phone ?? '' })
  }
  return async (device, slot) => {
    if (!known.has(device)) known.set(device, read(device))
    return (await known.get(device)!)(slot)
  }
}

async function describeNumbers(
  db: Db,
  user: string,
  numbers: readonly string[],
  countryOf: CountryOf,
): Promise<NationalNumber[]> {
  const [texts, sent, conversations, contacts] = await Promise.all([
    countTextsByOrigin(db, user, numbers),
    countSentTo(db, user, numbers),
    loadConversations(db, user, numbers),
    loadContacts(db, user, numbers),
  ])
  const found = await Promise.all(
    numbers.map(async (number) => {
      const phoneAt = async (device: string, slot: number) => {
        const phone = readSender(number, await countryOf(device, slot))
        return phone !== number && isPlainPhone(phone) ? phone : undefined
      }
      const heard = await Promise.all(
        (texts.get(number) ?? []).map(async (group) => ({
          ...group,
          phone: await phoneAt(group.device, group.sim),
          ownPhone: readSender(group.to, await countryOf(group.device, group.sim)),
        })),
      )
      const known = heard.filter(
        (group): group is NationalTexts & typeof group => group.phone !== undefined,
      )
      const conversation = conversations.get(number)
      const place = heard[0] ?? conversation
      const phone =
        known.length < heard.length
          ? undefined
          : (known[0]?.phone ?? (await phoneAt(place?.device ?? '', conversation?.slot ?? 0)))
      const hasConversation = conversation !== undefined
      return { number, phone, texts: known, sent: sent.get(number) ?? 0, hasConversation }
    }),
  )
  const phones = found.flatMap(({ phone }) => phone ?? [])
  const others = await loadContacts(db, user, phones)
  return found.map((one) => ({ ...one, contact: decideContactChange(one, contacts, others) }))
}

type Contacts = ReadonlyMap<string, { readonly opted_out: boolean }>

/** An opt-out of the national number that the other contact does not have is something to do: `moves`. */
function decideContactChange(
  { number, phone }: Pick<NationalNumber, 'number' | 'phone'>,
  contacts: Contacts,
  others: Contacts,
): NationalNumber['contact'] {
  const contact = contacts.get(number)
  if (!contact || !phone) return 'none'
  const other = others.get(phone)
  return other && (other.opted_out || !contact.opted_out) ? 'kept' : 'moves'
}
