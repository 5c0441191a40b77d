import { matchAny, pb } from '../../data/client.ts'
import type { Contact, Conversation } from '../../data/record-types.ts'
import { useLookup } from '../../data/use/use-known.ts'
import { useLive } from '../../data/use/use-live.ts'

export type LastText = Pick<Conversation, 'number' | 'last_text' | 'last_at'>

const FIELDS = 'number,last_text,last_at'

/** Returns a function that finds the last text of a number's conversation, live. */
export function useLastTexts(
  contacts: readonly Contact[],
): (number: string) => LastText | undefined {
  const numbers = contacts.map(({ phone }) => phone)
  const { get, change } = useLookup(numbers, findLastTexts)
  useLive<Conversation>(
    'conversations',
    '*',
    ({ record }) => change(record.number, () => record),
    () => {},
  )
  return get
}

async function findLastTexts(numbers: readonly string[]): Promise<[string, LastText][]> {
  const { items } = await pb.collection<Conversation>('conversations').getList(1, numbers.length, {
    filter: matchAny('number', numbers),
    fields: FIELDS,
    skipTotal: true,
  })
  return items.map((item) => [item.number, item])
}
