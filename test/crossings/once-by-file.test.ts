import { createServer } from 'node:http'
import { listenLocally } from '../support/services/listen.ts'
import { eachWay } from './each-way.ts'
import {
  handOut,
  isAccepted,
  nextNumber,
  nextWords,
  PHOTOS,
  startCrossings,
  storedText,
  textsTo,
  WAYS,
} from './ways-in.ts'

// The files of a request belong to what it asks for: the same key with another picture is another request.

const at = await startCrossings()
const countFiles = async (id: string) =>
  Number((await at.query('select count(*) from _files where record = $1', [id]))[0]![0])

test.each(eachWay('onceByFile'))(
  'a request by $title that is repeated with another picture is refused',
  async ({ way }) => {
    const shop = await at.makeShop()
    const text = {
      to: nextNumber(),
      words: nextWords(),
      key: crypto.randomUUID(),
      photo: 'menu.jpg',
    } as const
    for (let i = 0; i < 2; i++) {
      const answer = await way.send(at, shop, text)
      expect([isAccepted(answer), answer]).toEqual([true, expect.anything()])
    }
    const { id } = await storedText(at, shop, text.to)
    expect(await textsTo(at, shop, text.to)).toHaveLength(1)
    expect(await countFiles(id)).toBe(1)

    expect(isAccepted(await way.send(at, shop, { ...text, photo: 'other.jpg' }))).toBe(false)
    expect(await textsTo(at, shop, text.to)).toHaveLength(1)
    expect(await countFiles(id)).toBe(1)
  },
)

test.each(eachWay('referenceByFile'))(
  'a reference by $title that is used again with another picture is refused',
  async ({ way }) => {
    const shop = await at.makeShop()
    const text = {
      to: nextNumber(),
      words: nextWords(),
      reference: crypto.randomUUID(),
      photo: 'menu.jpg',
    } as const
    for (let i = 0; i < 2; i++) {
      const answer = await way.send(at, shop, text)
      expect([isAccepted(answer), answer]).toEqual([true, expect.anything()])
    }
    expect(isAccepted(await way.send(at, shop, { ...text, photo: 'other.jpg' }))).toBe(false)
    expect(await textsTo(at, shop, text.to)).toHaveLength(1)
  },
)

// a new key is noted as used by its first request, which is then done again
test.each(['template', 'address', 'scheduled', 'hook', 'twilio', 'mcp'])(
  'an address that answers once is fetched once by %s, with a new key',
  async (name) => {
    let asked = 0
    const { url } = await listenLocally(
      createServer((_, res) => {
        if (++asked > 1) return res.writeHead(410).end()
        res.writeHead(200, { 'content-type': 'image/jpeg' }).end(PHOTOS['small.jpg'])
      }),
    )
    const shop = await at.makeShop()
    const text = { to: nextNumber(), words: nextWords(), photo: 'small.jpg' } as const
    const answer = await WAYS[name]!.send({ ...at, outside: url }, shop, text)
    expect([isAccepted(answer), answer]).toEqual([true, expect.anything()])
    expect(await handOut(at, shop)).toMatchObject([{ to: text.to, attachments: [{}] }])
    expect(asked).toBe(1)
  },
)
