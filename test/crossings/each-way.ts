import { ROWS, rowsTriedBy, type TriedOnEach, triedOnEach } from './table.ts'
import { MORE_WAYS, WAYS, type Way } from './ways-in.ts'

const WITH_FILES = new Set(rowsTriedBy(triedOnEach('hiddenInFiles')))

/** The way, whose texts have a picture unless a test chooses another. */
const withPicture = (way: Way): Way => ({
  ...way,
  send: (at, shop, text) => way.send(at, shop, { photo: 'small.jpg', ...text }),
  ...(way.prepare && {
    prepare: (at, shop, text) => way.prepare!(at, shop, { photo: 'small.jpg', ...text }),
  }),
})

/**
 * The ways on which the table says that a promise is tried by one test for all, with their titles. Each must
 * have a request in `WAYS`. Those that carry files send a picture.
 */
export const eachWay = (tried: TriedOnEach): { readonly title: string; readonly way: Way }[] =>
  rowsTriedBy(triedOnEach(tried)).flatMap((name) => {
    const way = WAYS[name]
    if (!way) throw new Error(`ways-in.ts has no way ${name}, which table.ts tries by ${tried}`)
    const first = { title: ROWS[name]!.title, way: WITH_FILES.has(name) ? withPicture(way) : way }
    return [first, ...(MORE_WAYS[name] ?? [])]
  })
