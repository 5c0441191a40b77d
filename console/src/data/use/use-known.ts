import { useEffect, useState } from 'preact/hooks'
import { pb } from '../client.ts'
import type { Contact } from '../records.ts'

/** What a filter can hold: 200 parts, 3,500 bytes. */
const AT_ONCE = 100

type Known = Pick<Contact, 'name' | 'phone' | 'opted_out'>

/**
 * The contacts of these numbers, as far as read; each number is looked up once. A number without a contact
 * has none.
 */
export function useKnown(numbers: readonly string[]): (number: string) => Known | undefined {
  const [known, setKnown] = useState<ReadonlyMap<string, Known | undefined>>(new Map())
  const question = [...new Set(numbers)]
    .filter((number) => number !== '' && !known.has(number))
    .slice(0, AT_ONCE)
    .join()
  useEffect(() => {
    if (question === '') return
    let isLeft = false
    void find(question.split(',')).then((found) => {
      if (!isLeft) setKnown((old) => new Map([...old, ...found]))
    })
    return () => {
      isLeft = true
    }
  }, [question])
  return (number) => known.get(number)
}

/** The names of these numbers' contacts; '' without a contact. */
export function useNames(numbers: readonly string[]): (number: string) => string {
  const known = useKnown(numbers)
  return (number) => known(number)?.name ?? ''
}

/** Finds none when contacts cannot be read: numbers are shown instead. */
async function find(numbers: readonly string[]): Promise<Map<string, Known | undefined>> {
  const filter = numbers.map((phone) => pb.filter('phone = {:phone}', { phone })).join(' || ')
  const page = await pb
    .collection<Known & Contact>('contacts')
    .getList(1, AT_ONCE, { filter, skipTotal: true, fields: 'name,phone,opted_out' })
    .catch(() => ({ items: [] }))
  const found = new Map(page.items.map((contact) => [contact.phone, contact]))
  return new Map(numbers.map((number) => [number, found.get(number)]))
}
