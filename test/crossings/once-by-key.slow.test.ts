import { eachWay } from './each-way.ts'
import {
  isAccepted,
  nextNumber,
  nextWords,
  startCrossings,
  storedText,
  textsTo,
} from './ways-in.ts'

// A client that repeats a request, because it got no answer, sends one text.

const at = await startCrossings()

test.each(eachWay('onceByKey'))(
  'a request that is repeated by $title sends one text, and its key sends no other',
  async ({ way }) => {
    const shop = await at.makeShop()
    const text = { to: nextNumber(), words: nextWords(), key: crypto.randomUUID() }
    const answers = await Promise.all([1, 2, 3].map(() => way.send(at, shop, text)))
    answers.push(await way.send(at, shop, text))
    // a repetition beside the first may be told to ask again
    expect(answers.filter(isAccepted).length).toBeGreaterThan(0)
    expect(isAccepted(answers.at(-1)!)).toBe(true)
    await storedText(at, shop, text.to)
    expect(await textsTo(at, shop, text.to)).toHaveLength(1)

    const other = await way.send(at, shop, { ...text, words: nextWords() })
    expect(isAccepted(other)).toBe(way.isKeyOfWords ?? false)
    expect(await textsTo(at, shop, text.to)).toHaveLength(way.isKeyOfWords ? 2 : 1)
  },
)
