import { useEffect, useState } from 'preact/hooks'
import { pb } from '../client.ts'
import type { Contact } from '../record-types.ts'
import { isUser } from '../session.ts'
import { useLatest } from '../use/use-latest.ts'
import { FEW_WORDS, MOST_NUMBERS, type Named } from './filters.ts'
import { isLongSearch, splitWords, writeWordsFilter } from './words.ts'

interface Found {
  readonly words: string
  /** At most MOST_NUMBERS contacts: first those with all words in their names, then those with some. */
  readonly contacts: readonly Named[]
  readonly isCut: boolean
}

const NOBODY: Found = { words: '', contacts: [], isCut: false }

/**
 * The user's contacts with these words in their names; undefined until the first read. Keeps the last result
 * during the next read. A superuser has no contacts.
 */
export function useNamed(typed: string): Found | undefined {
  const words = typed.trim()
  const [named, setNamed] = useState<Found | undefined>(words === '' ? NOBODY : undefined)
  const begin = useLatest()
  useEffect(() => {
    if (words === named?.words) return
    const isLatest = begin()
    void findContactsNamed(words).then((found) => isLatest() && setNamed(found))
    return () => void begin()
  }, [words])
  return named
}

/** Finds contacts by name. None if they cannot be read: texts and numbers are still searched. */
async function findContactsNamed(words: string): Promise<Found> {
  const all = splitWords(words)
  if (all.length === 0 || all.length > FEW_WORDS || !isUser()) return { ...NOBODY, words }
  const some = all.length > 1 ? all.filter(isLongSearch) : []
  const filters = [[all], some.map((word) => [word])].filter((groups) => groups.length > 0)
  const pages = await Promise.all(filters.map((groups) => readContactsNamed(groups)))
  const contacts = [...new Map(pages.flat().map((contact) => [contact.phone, contact])).values()]
  const isCut = pages.some(({ length }) => length > MOST_NUMBERS)
  return { words, contacts: contacts.slice(0, MOST_NUMBERS), isCut }
}

/** Contacts whose names have all words of one of the groups. */
async function readContactsNamed(
  groups: readonly (readonly string[])[],
): Promise<readonly Named[]> {
  const filter = groups.map((words) => `(${writeWordsFilter(words, ['name'])})`).join(' || ')
  const asked = { filter, sort: 'name,phone', skipTotal: true, fields: 'name,phone' }
  const page = await pb
    .collection<Contact>('contacts')
    .getList(1, MOST_NUMBERS + 1, asked)
    .catch(() => ({ items: [] }))
  return page.items
}
