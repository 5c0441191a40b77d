import { ROWS, rowsTriedBy, type TriedOnEach, triedOnEach } from './table.ts'
import { WAYS, type Way } from './ways-in.ts'

/**
 * The ways on which the table says that a promise is tried by one test for all, with their titles. Each must
 * have a request in `WAYS`.
 */
export const eachWay = (tried: TriedOnEach): { readonly title: string; readonly way: Way }[] =>
  rowsTriedBy(triedOnEach(tried)).map((name) => {
    const way = WAYS[name]
    if (!way) throw new Error(`ways-in.ts has no way ${name}, which table.ts tries by ${tried}`)
    return { title: ROWS[name]!.title, way }
  })
