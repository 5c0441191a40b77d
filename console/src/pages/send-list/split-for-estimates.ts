import type { ListText } from './list-rows.ts'

/** Numbers in one request: the server reads at most as many as one send may have. */
const AT_ONCE = 500

/** A text, and the numbers whose texts have as many segments. */
interface Equal {
  readonly body: string
  readonly phones: readonly string[]
}

/** Splits a list for estimates: a preview has one text, and up to 500 different numbers. */
export function groupEqualTexts(texts: readonly ListText[]): Equal[] {
  const open = new Map<number, { body: string; phones: Set<string> }[]>()
  for (const { phone, body, segments } of texts) {
    const all = open.get(segments) ?? []
    open.set(segments, all)
    const free = all.find(({ phones }) => phones.size < AT_ONCE && !phones.has(phone))
    if (free) free.phones.add(phone)
    else all.push({ body, phones: new Set([phone]) })
  }
  return [...open.values()].flat().map(({ body, phones }) => ({ body, phones: [...phones] }))
}
