import { useEffect, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { nameFilter } from '../../data/phone/contact-filter.ts'
import type { Contact } from '../../data/record-types.ts'
import { session } from '../../data/session.ts'
import { useLatest } from '../../data/use/use-latest.ts'

/** PocketBase allows a filter 200 comparisons and 3,500 bytes. Each phone number takes two comparisons. */
const MOST_NUMBERS = 50

interface Named {
  readonly words: string
  /** At most MOST_NUMBERS phone numbers, in the order of the contacts' names. */
  readonly numbers: readonly string[]
  readonly isCut: boolean
}

const NOBODY: Named = { words: '', numbers: [], isCut: false }

/**
 * The user's contacts whose names contain these words; undefined until the first read. Keeps the last result
 * during the next read. A superuser has no contacts.
 */
export function useNamed(typed: string): Named | undefined {
  const words = typed.trim()
  const [named, setNamed] = useState<Named | undefined>(words === '' ? NOBODY : undefined)
  const begin = useLatest()
  useEffect(() => {
    if (words === named?.words) return
    const isLatest = begin()
    void find(words).then((found) => isLatest() && setNamed(found))
    return () => void begin()
  }, [words])
  return named
}

/** Finds contacts by name. None if they cannot be read: texts and numbers are still searched. */
async function find(words: string): Promise<Named> {
  if (words === '') return NOBODY
  if (session.value?.role !== 'user') return { ...NOBODY, words }
  const page = await pb
    .collection<Contact>('contacts')
    .getList(1, MOST_NUMBERS + 1, {
      filter: nameFilter(words),
      sort: 'name,phone',
      skipTotal: true,
      fields: 'phone',
    })
    .catch(() => ({ items: [] }))
  const numbers = page.items.slice(0, MOST_NUMBERS).map(({ phone }) => phone)
  return { words, numbers, isCut: page.items.length > MOST_NUMBERS }
}
