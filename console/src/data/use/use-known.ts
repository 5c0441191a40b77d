import { useEffect, useState } from 'preact/hooks'
import { pb } from '../client.ts'
import type { Contact } from '../record-types.ts'
import { useLatest } from './use-latest.ts'

type Known = Pick<Contact, 'name' | 'phone' | 'opted_out'>

/** Returns a function that finds a number's contact. That is undefined if missing or not yet read. */
export const useKnown = (numbers: readonly string[]): ((number: string) => Known | undefined) =>
  useLookup(numbers, find)

/** Returns a function that finds a number's name in the contacts. That is '' if missing or not yet read. */
export function useNames(numbers: readonly string[]): (number: string) => string {
  const known = useKnown(numbers)
  return (number) => known(number)?.name ?? ''
}

async function find(numbers: readonly string[]): Promise<[string, Known][]> {
  const filter = numbers.map((phone) => pb.filter('phone = {:phone}', { phone })).join(' || ')
  const { items } = await pb
    .collection<Known & Contact>('contacts')
    .getList(1, numbers.length, { filter, skipTotal: true, fields: 'name,phone,opted_out' })
  return items.map((contact) => [contact.phone, contact])
}

/** Maximum keys per request. The server accepts filters of up to 200 expressions and 3,500 bytes. */
const AT_ONCE = 50

/**
 * Reads the value of each key once, by calls of `find` with at most 50 keys. Returns a function that looks up
 * a key's value. It returns undefined until the value is read, or if there is none.
 */
export function useLookup<T>(
  keys: readonly string[],
  find: (keys: readonly string[]) => Promise<Iterable<readonly [key: string, value: T]>>,
): (key: string) => T | undefined {
  const [known, setKnown] = useState<ReadonlyMap<string, T | undefined>>(new Map())
  const question = [...new Set(keys)]
    .filter((key) => key !== '' && !known.has(key))
    .slice(0, AT_ONCE)
    .join()
  const begin = useLatest()
  useEffect(() => {
    if (question === '') return
    const isLatest = begin()
    const asked = question.split(',')
    void find(asked)
      .catch(() => [])
      .then((found) => {
        const unknown = asked.map((key) => [key, undefined] as const)
        if (isLatest()) setKnown((old) => new Map([...old, ...unknown, ...found]))
      })
    return () => void begin()
  }, [question])
  return (key) => known.get(key)
}
