import { eachWay } from './each-way.ts'
import {
  isAccepted,
  nextNumber,
  nextWords,
  startCrossings,
  storedText,
  textsTo,
} from './ways-in.ts'

// A client that has a name of its own for each text sends it once, whatever becomes of its requests.

const at = await startCrossings()

test.each(eachWay('onceByReference'))(
  'a reference of a text by $title sends one text, also without a key',
  async ({ way }) => {
    const shop = await at.makeShop()
    const text = { to: nextNumber(), words: nextWords(), reference: crypto.randomUUID() }
    const answers = await Promise.all([1, 2, 3].map(() => way.send(at, shop, text)))
    expect(answers.filter(isAccepted).length).toBeGreaterThan(0)
    await way.send(at, shop, text)
    await storedText(at, shop, text.to)
    expect(await textsTo(at, shop, text.to)).toHaveLength(1)

    const other = await way.send(at, shop, { ...text, words: nextWords() })
    expect(isAccepted(other)).toBe(false)
    expect(await textsTo(at, shop, text.to)).toHaveLength(1)
  },
)
