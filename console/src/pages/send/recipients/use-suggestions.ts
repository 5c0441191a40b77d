import { useEffect, useState } from 'preact/hooks'
import { formatPhone, readPhonePart } from '#portable/phone/format-phone.ts'
import { readTypedPhone } from '#portable/phone/read-typed-phone.ts'
import { pb } from '../../../data/client.ts'
import { nameContact } from '../../../data/name-contact.ts'
import { useOptedOutNumbers } from '../../../data/opt-out/opted-out.ts'
import type { Contact, ContactGroup } from '../../../data/record-types.ts'
import { writeContactFilter } from '../../../data/search/filters.ts'
import { hasWords, splitWords } from '../../../data/search/words.ts'
import { useDebounced } from '../../../data/use/use-debounced.ts'
import { useLatest } from '../../../data/use/use-latest.ts'
import { t } from '../../../language/words.ts'
import type { Recipient } from '../composition.ts'

export type Suggestion =
  | { readonly kind: 'group'; readonly id: string; readonly words: string; readonly more: string }
  | {
      readonly kind: 'person'
      readonly id: string
      readonly words: string
      readonly more: string
      readonly recipient: Recipient
    }

const MOST_CONTACTS = 8
const MOST_GROUPS = 4

/** Meanings of the typed text: the number itself, and matching groups and contacts. */
export function useSuggestions(
  typed: string,
  groups: readonly ContactGroup[],
  country: string,
): readonly Suggestion[] {
  const text = typed.trim()
  const asked = useDebounced(text)
  const [found, setFound] = useState<readonly Contact[]>([])
  const begin = useLatest()
  useEffect(() => {
    if (asked === '') return
    const isLatest = begin()
    void findContacts(asked, country).then((contacts) => isLatest() && setFound(contacts))
    return () => void begin()
  }, [asked, country])
  const { phone } = readTypedPhone(text, country)
  const hasOptedOut = useOptedOutNumbers(phone ? [phone] : [])
  if (text === '') return []
  const contacts = found.filter((contact) => matchesTyped(contact, text, country))
  const isKnown = contacts.some((contact) => contact.phone === phone)
  return [
    ...(phone && !isKnown ? [suggestNumber(phone, text, hasOptedOut(phone))] : []),
    ...groups
      .filter(({ name }) => hasWords(name, text))
      .slice(0, MOST_GROUPS)
      .map(suggestGroup),
    ...contacts.map(suggestContact),
  ]
}

/** Whether a contact that was found for an earlier text also matches the present text. */
const matchesTyped = ({ name, phone }: Contact, text: string, country: string) =>
  [[text], splitWords(text)].some((parts) =>
    parts.every(
      (part) => hasWords(name, part) || phone.includes(readPhonePart(part, country) || '-'),
    ),
  )

async function findContacts(text: string, country: string): Promise<readonly Contact[]> {
  const filter = writeContactFilter(text, country)
  const page = await pb
    .collection<Contact>('contacts')
    .getList(1, MOST_CONTACTS, { filter, sort: 'name', skipTotal: true })
    .catch(() => ({ items: [] })) // without suggestions, numbers can still be typed
  return page.items
}

const suggestNumber = (phone: string, typed: string, isOut: boolean): Suggestion => ({
  kind: 'person',
  id: phone,
  words: formatPhone(phone),
  more: isOut ? t('This number, opted out') : t('This number'),
  recipient: { phone, name: '', typed },
})

const suggestGroup = ({ id, name }: ContactGroup): Suggestion => ({
  kind: 'group',
  id,
  words: name,
  more: t('Group'),
})

const suggestContact = ({ id, name, phone, opted_out }: Contact): Suggestion => ({
  kind: 'person',
  id,
  words: nameContact({ name, phone }),
  more: opted_out ? t('{phone}, opted out', { phone: formatPhone(phone) }) : formatPhone(phone),
  recipient: { phone, name },
})
