import { createSocket } from 'node:dgram'
import { isIP } from 'node:net'

const A = 1
const AAAA = 28

/** A name server on 127.0.0.1 for UDP, which knows what it is told. RFC 1035, 4 */
export async function startNameServer() {
  const known = new Map<string, (readonly string[])[]>()
  const asked: string[] = []
  const socket = createSocket('udp4', (query, from) => {
    const { name, type, end } = questionOf(query)
    asked.push(`${name} ${type === A ? 'A' : 'AAAA'}`)
    const answers = known.get(name)
    const fitting = (answers?.[0] ?? []).filter((address) => isIP(address) === (type === A ? 4 : 6))
    // the next answer is for the next connection: both families belong to one
    if (type === AAAA && answers && answers.length > 1) answers.shift()
    socket.send(
      answerTo(query.subarray(0, end), fitting, answers !== undefined),
      from.port,
      from.address,
    )
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    port: socket.address().port,
    /** Every question, as `name type`. */
    asked,
    /** What a name means; of several answers each but the last is given once. */
    answer: (name: string, ...answers: (readonly string[])[]) => void known.set(name, answers),
    stop: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function answerTo(query: Buffer, addresses: readonly string[], isKnown: boolean): Buffer {
  const head = Buffer.from(query)
  head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...addresses.map(record)])
}

/** The name of the question again, the class of the internet, no time to live. */
function record(address: string): Buffer {
  const data = bytesOf(address)
  const fixed = Buffer.from([
    0xc0,
    12,
    0,
    data.length === 4 ? A : AAAA,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    data.length,
  ])
  return Buffer.concat([fixed, data])
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const hexadecimal = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [before = '', after] = hexadecimal.split('::')
  const parts = (text: string) => (text === '' ? [] : text.split(':'))
  const [left, right] = [parts(before), parts(after ?? '')]
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
