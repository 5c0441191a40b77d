import { createParser } from 'eventsource-parser'
import { ask, type Contender } from './contender.ts'

const WAIT_MS = 10_000

interface Claimed {
  readonly items: readonly { readonly id: string; readonly attempt: number }[]
}

/**
 * Milliseconds from the answer to a send until the device's stream says `wake` (0 when it comes first),
 * sorted, for `count` sends one after the other. A device is paired for it as any phone is, and claims and
 * reports each message.
 */
export async function measureWakes({ url, tokens }: Contender, count: number): Promise<number[]> {
  const devices = `${url}/api/devices`
  const { code } = await ask<{ code: string }>(`${devices}/pairing`, {
    token: tokens.waker,
    body: { name: 'Bench' },
  })
  const pair = { code, name: 'Bench', platform: 'simulator' }
  const { token } = await ask<{ token: string }>(`${devices}/pair`, { body: pair })
  const stream = await openStream(`${devices}/events`, token)
  const times: number[] = []
  try {
    for (let i = 0; i < count; i++) {
      const woken = stream.next()
      const send = { recipients: ['+4915112345678'], body: `Wake ${i}` }
      await ask(`${url}/api/sms/send`, { token: tokens.waker, body: send })
      const accepted = performance.now()
      times.push(Math.max(0, (await woken) - accepted))
      const { items } = await ask<Claimed>(`${devices}/claim`, {
        token,
        body: { limit: 10, wait: 0 },
      })
      const reports = items.map(({ id, attempt }) => ({ id, attempt, status: 'sent' }))
      await ask(`${devices}/report`, { token, body: { items: reports } })
    }
  } finally {
    stream.close()
  }
  return times.sort((a, b) => a - b)
}

/** A device's stream; `next` answers the moment at which it says `wake` next. */
async function openStream(url: string, token: string) {
  const abort = new AbortController()
  const response = await fetch(url, { headers: { authorization: token }, signal: abort.signal })
  if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`)
  let waiting: ((at: number) => void) | undefined
  const parser = createParser({
    onEvent({ event }) {
      if (event === 'wake') waiting?.(performance.now())
    },
  })
  void read(response.body, (text) => parser.feed(text))
  return {
    next: () =>
      new Promise<number>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error('No wake-up came within 10 s.')), WAIT_MS)
        waiting = (at) => {
          clearTimeout(late)
          resolve(at)
        }
      }),
    close: () => abort.abort(),
  }
}

async function read(body: ReadableStream<Uint8Array>, hear: (text: string) => void): Promise<void> {
  try {
    for await (const text of body.pipeThrough(new TextDecoderStream())) hear(text)
  } catch {
    // closed by us: the loop above sits in a read then
  }
}
