import { matchAny, pb } from '../client.ts'
import type { ConsentState, Contact } from '../record-types.ts'
import { useLookup } from '../use/use-known.ts'
import { useList } from '../use/use-list.ts'
import { formatRecordTime, hasStopped, STOPPED } from './has-stopped.ts'

const MOST_STATES = 500

/**
 * Whether a number has opted out, live. Its contact says so, or if it has none, the statements of the person.
 * `isContactKnown`: false until the contact is read; then an undefined `contact` means that there is none.
 */
export function useOptedOut(
  number: string,
  contact: Pick<Contact, 'opted_out'> | undefined,
  isContactKnown: boolean,
): boolean {
  const { items } = useList<ConsentState>('consent_states', {
    filter: pb.filter('number = {:number}', { number }),
    expand: 'entry',
    perPage: MOST_STATES,
    isCounted: false,
    ready: isContactKnown && !contact,
  })
  return contact?.opted_out ?? (isContactKnown && hasStopped(items, formatRecordTime(Date.now())))
}

/** Returns a function: whether a number has opted out. False until it is read. */
export const useOptedOutNumbers = (numbers: readonly string[]): ((number: string) => boolean) => {
  const { get } = useLookup(numbers, findOptedOutNumbers)
  return (number) => get(number) === true
}

/** Finds the numbers (of at most 50) that have opted out. */
async function findOptedOutNumbers(numbers: readonly string[]): Promise<[string, boolean][]> {
  const { items } = await pb.collection<Contact>('contacts').getList(1, numbers.length, {
    filter: matchAny('phone', numbers),
    skipTotal: true,
    fields: 'phone,opted_out',
  })
  const known = new Set(items.map(({ phone }) => phone))
  const stopped = await findStoppedNumbers(numbers.filter((number) => !known.has(number)))
  return [
    ...items.map(({ phone, opted_out }): [string, boolean] => [phone, opted_out]),
    ...stopped.map((number): [string, boolean] => [number, true]),
  ]
}

/** Finds the numbers without a contact that have opted out. */
async function findStoppedNumbers(numbers: readonly string[]): Promise<readonly string[]> {
  if (numbers.length === 0) return []
  const read = async (filter: string) => {
    const asked = { filter, expand: 'entry', skipTotal: true }
    return (await pb.collection<ConsentState>('consent_states').getList(1, MOST_STATES, asked))
      .items
  }
  const stops = await read(`(${matchAny('number', numbers)}) && ${STOPPED}`)
  if (stops.length === 0) return []
  const out = stops.map(({ number }) => number)
  const groups = await read(`(${matchAny('number', out)}) && group != ""`)
  const now = formatRecordTime(Date.now())
  return out.filter((number) =>
    hasStopped(
      [...stops, ...groups].filter((state) => state.number === number),
      now,
    ),
  )
}
